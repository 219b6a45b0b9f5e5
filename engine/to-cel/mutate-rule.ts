import type {JsonObject} from '../json/types.js';
import type {ClassicRule} from '../policy/model.js';
import {Unconvertible} from './code.js';

export function mutateRule(rule: ClassicRule, _options?: {readonly autogen: boolean}): JsonObject {
  throw new Unconvertible(rule.path, 'mutate rules');
}
