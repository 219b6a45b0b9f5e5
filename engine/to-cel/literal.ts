import {isNumber, isObject, type Json} from '../json/types.js';
import {numberText} from '../values/number-text.js';
import {hasVariable} from '../variables/scan.js';
import {quoted, Unconvertible} from './code.js';
import type {QueryScope} from './query.js';
import {templateValue} from './template.js';

export interface LiteralOptions {
  readonly path: string;
  readonly scope: QueryScope;
  /** `Object.spec.containers`: maps become objects of this type. Absent: maps of any content. */
  readonly type?: string;
}

/** Names of fields that objects can be made with. */
export function isFieldName(key: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) && !['in', 'true', 'false', 'null', 'namespace'].includes(key);
}

/** JSON as a CEL expression; variables in texts are filled in. */
export function literalText(json: Json, options: LiteralOptions): string {
  const {path, scope, type} = options;
  if (json === null) throw new Unconvertible(path, 'a null, which takes a field away');
  if (typeof json === 'string') return hasVariable(json) ? templateValue(json, path, scope).text : quoted(json);
  if (typeof json === 'boolean') return String(json);
  if (isNumber(json)) return numberText(json);
  if (Array.isArray(json)) {
    const items = json.map((item, index) => literalText(item, {...options, path: `${path}[${index}]`}));
    const mixed = new Set(json.map(item => (Array.isArray(item) ? 'list' : typeof item))).size > 1;
    return `[${items.map(item => (mixed ? `dyn(${item})` : item)).join(', ')}]`;
  }
  if (!isObject(json)) throw new Unconvertible(path, 'a value of this form');
  const entries = Object.entries(json);
  if (type !== undefined && entries.every(([key]) => isFieldName(key))) {
    const fields = entries.map(([key, item]) => `${key}: ${literalText(item, {...options, path: `${path}.${key}`, type: `${type}.${key}`})}`);
    return `${type}{${fields.join(', ')}}`;
  }
  const kinds = new Set(entries.map(([, item]) => (Array.isArray(item) ? 'list' : typeof item)));
  const items = entries.map(([key, item]) => {
    const {type: _type, ...plain} = options;
    const text = literalText(item, {...plain, path: `${path}.${key}`});
    return `${quoted(key)}: ${kinds.size > 1 || kinds.has('object') || kinds.has('list') ? `dyn(${text})` : text}`;
  });
  return `{${items.join(', ')}}`;
}
