import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import type {RegexEngine} from '../../engine/regex/types.js';

let shared: RegexEngine | undefined;

/** One for the whole command: compiled patterns and what expressions are compiled with serve all its policies. */
export function sharedRegex(): RegexEngine {
  shared ??= createRegexEngine();
  return shared;
}
