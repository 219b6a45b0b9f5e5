import {Document, isMap, type Scalar, type YAMLMap} from 'yaml';
import {type ValueEntry, values} from './values.js';

/** values.yaml, with remarks. */
export function valuesText(): string {
  const document = new Document(nested(), {aliasDuplicateObjects: false});
  for (const {path, remark} of values) {
    if (remark === undefined) continue;
    const keys = path.split('.');
    const parent = keys.length === 1 ? document.contents : document.getIn(keys.slice(0, -1));
    if (!isMap(parent)) throw new Error(`${path}: no map above`);
    const pair = (parent as YAMLMap<Scalar<string>>).items.find(({key}) => key.value === keys.at(-1));
    if (pair !== undefined) pair.key.commentBefore = ` ${remark}`;
  }
  document.commentBefore = ' Generated from install/source/chart by `npm run generate`; edit there.';
  return document.toString({lineWidth: 0});
}

function nested(): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const {path, initial} of values) {
    const keys = path.split('.');
    let at = root;
    for (const key of keys.slice(0, -1)) at = (at[key] ??= {}) as Record<string, unknown>;
    at[keys.at(-1)!] = initial;
  }
  return root;
}

interface ObjectSchema {
  readonly type: 'object';
  readonly properties: Record<string, unknown>;
  readonly additionalProperties?: false;
}

/**
 * values.schema.json. A misspelt value of ours is refused; at the top, values of upstream's chart that mean nothing here are
 * let through, and named in the notes.
 */
export function schemaText(): string {
  const root: ObjectSchema = {type: 'object', properties: {}};
  for (const entry of values) {
    const keys = entry.path.split('.');
    let at = root;
    for (const key of keys.slice(0, -1)) at = (at.properties[key] ??= {type: 'object', properties: {}, additionalProperties: false}) as ObjectSchema;
    at.properties[keys.at(-1)!] = schemaOf(entry);
  }
  // Of upstream's controllers, values that only a process of their own would need are let through, too.
  for (const duty of ['admission', 'background', 'cleanup', 'reports']) delete (root.properties[`${duty}Controller`] as {additionalProperties?: false}).additionalProperties;
  return `${JSON.stringify({$schema: 'http://json-schema.org/draft-07/schema#', ...root}, null, 2)}\n`;
}

function schemaOf({path, initial, schema}: ValueEntry): unknown {
  if (schema !== undefined) return schema;
  if (typeof initial === 'string') return {type: 'string'};
  if (typeof initial === 'number') return {type: 'integer'};
  if (typeof initial === 'boolean') return {type: 'boolean'};
  throw new Error(`${path}: a schema is wanted`);
}
