import type {JsonObject} from '../json/types.js';
import type {ClassicRule} from '../policy/model.js';
import {Unconvertible} from './code.js';

export function generateRule(rule: ClassicRule, _options?: {readonly autogen: boolean}): JsonObject {
  throw new Unconvertible(rule.path, 'generate rules');
}
