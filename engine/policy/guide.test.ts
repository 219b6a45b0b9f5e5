import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {parseAllDocuments} from 'yaml';
import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../json/types.js';
import {loadException} from './load-exception.js';
import {loadClassicPolicy} from './load-policy.js';
import {testKinds} from './testing/kinds.js';

const conformance = process.env['CONFORMANCE_DIR'];
const root = conformance
  ? join(conformance, '..', 'guide')
  : join(import.meta.dirname, '..', '..', '..', 'shared', 'guide');
const isThere = existsSync(root);
/** Rules with a name only: refused, one message per rule. */
const outlines = /^(01-example|33a|33b|37a|37b|40a|40b|40c)/;
/** Two `resources` keys in one block, which only a file reader can join. */
const duplicates = /^11a/;

function documents(folder: string): ReadonlyArray<{readonly file: string; readonly object: JsonObject}> {
  if (!isThere) return [];
  return readdirSync(join(root, folder))
    .sort()
    .flatMap(file =>
      parseAllDocuments(readFileSync(join(root, folder, file), 'utf8'), {version: '1.1', uniqueKeys: false}).map(
        document => ({
          file,
          object: document.toJS() as JsonObject,
        }),
      ),
    )
    .filter(({object}) => typeof object?.['kind'] === 'string');
}

function load(object: JsonObject) {
  return object['kind'] === 'PolicyException'
    ? loadException(object)
    : loadClassicPolicy(object, {resources: testKinds});
}

describe.skipIf(!isThere)('policies of the guide', () => {
  const all = [...documents('policies'), ...documents('cases')];
  const complete = all.filter(
    ({file}) => !duplicates.test(file) && !(outlines.test(file) && !/independent/.test(file)),
  );

  it('are there', () => {
    expect(complete.length).toBeGreaterThan(40);
  });

  it.each(complete.map(({file, object}) => [`${file} ${String(object['kind'])}`, object] as const))(
    'load: %s',
    (_, object) => {
      expect(load(object).errors).toEqual([]);
    },
  );

  it.each(
    documents('policies')
      .filter(({file}) => outlines.test(file))
      .map(({file, object}) => [file, object] as const),
  )('refuse the outline %s with one message per rule', (_, object) => {
    const rules = (object['spec'] as JsonObject)['rules'] as JsonObject[];
    const {errors} = load(object);
    expect(errors.map(({path}) => path)).toEqual(rules.map((_rule, index) => `spec.rules[${index}]`));
    for (const error of errors) {
      expect(error.message).toContain(error.path);
      expect(error.message).toContain('match');
    }
  });
});
