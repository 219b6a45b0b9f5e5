import {RE2JS, RE2JSException} from 're2js';
import {EvalError} from '../../engine/diagnostic.js';
import type {CompiledRegex, RegexEngine} from '../../engine/regex/types.js';
import {nativeSubset} from './native-subset.js';
import {parseReplacement, type ReplacementPart} from './replacement.js';

export interface RegexEngineOptions {
  /** Compiled patterns kept, least recently used dropped first. Default 1,000. */
  readonly capacity?: number;
}

const maxPatternLength = 32 * 1024;

/**
 * RE2 over re2js: linear time, Go's syntax and error texts. Tests of simple patterns on short texts run on the native
 * engine, where both agree and backtracking is bounded.
 */
export function createRegexEngine(options: RegexEngineOptions = {}): RegexEngine {
  const capacity = options.capacity ?? 1_000;
  const cache = new Map<string, CompiledRegex>();
  return {
    compile(pattern) {
      const cached = cache.get(pattern);
      const compiled = cached ?? compileRegex(pattern);
      if (cached) cache.delete(pattern);
      else if (cache.size >= capacity) cache.delete(cache.keys().next().value!);
      cache.set(pattern, compiled);
      return compiled;
    },
  };
}

function compileRegex(pattern: string): CompiledRegex {
  const regex = parse(pattern);
  const native = nativeSubset(pattern);
  const groups = regex.groupCount();
  const names = regex.namedGroups();

  function groupOf(part: Exclude<ReplacementPart, string>): number | undefined {
    if (typeof part.group === 'number') return part.group <= groups ? part.group : undefined;
    return Object.hasOwn(names, part.group) ? names[part.group] : undefined;
  }

  function replace(text: string, parts: readonly ReplacementPart[]): string {
    const matcher = regex.matcher(text);
    let result = '';
    let end = -1;
    let from = 0;
    while (matcher.find()) {
      // Go has no empty match right behind another match.
      if (matcher.start() === matcher.end() && matcher.start() === end) continue;
      end = matcher.end();
      result += text.slice(from, matcher.start());
      from = end;
      for (const part of parts) {
        if (typeof part === 'string') result += part;
        else {
          const group = groupOf(part);
          if (group !== undefined) result += matcher.group(group) ?? '';
        }
      }
    }
    return result + text.slice(from);
  }

  return {
    test: text => (native && text.length <= native.maxLength ? native.regex.test(text) : regex.test(text)),
    replaceAll: (text, replacement) => replace(text, parseReplacement(replacement)),
    replaceAllLiteral: (text, replacement) => replace(text, [replacement]),
  };
}

function parse(pattern: string): RE2JS {
  if (pattern.length > maxPatternLength)
    throw new EvalError('error parsing regexp: expression too large', 'regex-syntax');
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) throw new EvalError(error.message, 'regex-syntax');
    throw error;
  }
}
