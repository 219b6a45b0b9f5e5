import {isObject, type Json} from '../json/types.js';
import {parseYaml} from '../yaml/index.js';
import {quoted, Unconvertible} from './code.js';
import {literalText} from './literal.js';
import type {QueryScope} from './query.js';

const operations = new Set(['add', 'replace', 'remove']);

/** JSON patches as an expression that makes them; parents of what is added are made where they are missing. */
export function jsonPatchCode(text: string, path: string, scope: QueryScope): string {
  let list: Json;
  try {
    list = parseYaml(text) as Json;
  } catch {
    throw new Unconvertible(path, 'patches that cannot be read');
  }
  if (!Array.isArray(list)) throw new Unconvertible(path, 'patches that are no list');
  return list.map((entry, index) => patchCode(entry, `${path}[${index}]`, scope)).join(' +\n');
}

function patchCode(entry: Json, path: string, scope: QueryScope): string {
  if (!isObject(entry)) throw new Unconvertible(path, 'a patch that is no map');
  const {op, path: pointer, value} = entry;
  if (typeof op !== 'string' || !operations.has(op)) throw new Unconvertible(`${path}.op`, `the operation ${String(op)}`);
  if (typeof pointer !== 'string' || !pointer.startsWith('/')) throw new Unconvertible(`${path}.path`, 'a path of this form');
  if (pointer.includes('{{')) throw new Unconvertible(`${path}.path`, 'a path with variables');
  const segments = pointer.slice(1).split('/');
  if (op === 'remove') {
    return `(${chain(segments)}.hasValue() ? [JSONPatch{op: 'remove', path: ${quoted(pointer)}}] : [])`;
  }
  const parents = op === 'add' ? missingParents(segments) : [];
  const made = `[JSONPatch{op: ${quoted(op)}, path: ${quoted(pointer)}, value: ${literalText(value ?? null, {path: `${path}.value`, scope})}}]`;
  return [...parents, made].join(' +\n');
}

/** The top is always there. */
function missingParents(segments: readonly string[]): string[] {
  const parents: string[] = [];
  for (let length = 2; length < segments.length; length++) {
    const own = segments.slice(0, length);
    if (/^(?:\d+|-)$/.test(own.at(-1)!)) continue;
    const empty = /^(?:\d+|-)$/.test(segments[length]!) ? '[]' : '{}';
    parents.push(`(${chain(own)}.hasValue() ? [] : [JSONPatch{op: 'add', path: ${quoted(`/${own.join('/')}`)}, value: ${empty}}])`);
  }
  return parents;
}

function chain(segments: readonly string[]): string {
  return segments.reduce((holder, segment) => {
    const key = segment.replaceAll('~1', '/').replaceAll('~0', '~');
    if (/^\d+$/.test(key)) return `${holder}[?${key}]`;
    return /^[A-Za-z_]\w*$/.test(key) ? `${holder}.?${key}` : `${holder}[?${quoted(key)}]`;
  }, 'object');
}
