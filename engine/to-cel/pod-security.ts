import type {JsonObject} from '../json/types.js';
import {type Test, Unconvertible} from './code.js';

export function podSecurityTest(_raw: JsonObject, path: string): Test {
  throw new Unconvertible(path, 'podSecurity: its controls have to be written out, one validation each');
}
