import {existsSync, readdirSync, readFileSync, statSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import {parseAllDocuments} from 'yaml';
import {readManifests} from './testing/manifests.js';
import {validateObject} from './testing/strict-validation.js';

const manifests = readManifests();

function policy(rule: object): object {
  return {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name: 'p'}, spec: {rules: [rule]}};
}

function exception(version: string, spec: object): object {
  return {apiVersion: `kyverno.io/${version}`, kind: 'PolicyException', metadata: {name: 'e'}, spec};
}

describe('an object is stored as written', () => {
  const rows: [string, object][] = [
    ['operations beside resources', policy({match: {operations: ['CREATE'], resources: {kinds: ['Pod']}}})],
    [
      'operations beside resources in an exclude',
      policy({exclude: {operations: ['DELETE'], resources: {namespaces: ['a']}}}),
    ],
    [
      'operations beside resources in any',
      policy({match: {any: [{operations: ['CREATE'], resources: {kinds: ['Pod']}}]}}),
    ],
    ['labels in resources', policy({exclude: {resources: {labels: {a: 'b'}}}})],
    ['excludeResources', policy({match: {resources: {kinds: ['Pod'], excludeResources: {namespaces: ['a']}}}})],
    ['validation for validate', policy({validation: {message: 'm', pattern: {spec: {'=(x)': [{y: null}]}}}})],
    ['mutation for mutate', policy({mutation: {patchStrategicMerge: {'+(a)': 1}}})],
    ['generation for generate', policy({generation: {kind: 'ConfigMap', data: '{{request.object.data}}'}})],
    [
      'clean-up in a rule',
      policy({cleanup: {schedule: '* * * * *', removeResources: [{kind: 'Job', selector: {matchLabels: {a: 'b'}}}]}}),
    ],
    ['overlay and patches', policy({mutate: {overlay: {a: [1]}, patches: [{op: 'add', path: '/a', value: {b: 1}}]}})],
    ['a rule with only a name', policy({name: 'later'})],
    ['an empty rule', policy({})],
    ['actions in any case', policy({validate: {failureAction: 'eNforce'}})],
    ['preconditions as a list', policy({preconditions: [{key: 1, operator: 'Equals', value: [1, 'a', null]}]})],
    ['preconditions as an object', policy({preconditions: {any: [{key: '{{a}}', operator: 'In', value: {b: 1}}]}})],
    ['deny without conditions', policy({validate: {deny: {}}})],
    ['alternatives of any shape', policy({validate: {anyPattern: [{a: 1}, 'x', [null]]}})],
    ['context values of any shape', policy({context: [{name: 'a', variable: {value: [1, {b: null}], default: 0}}]})],
    ['lists inside of lists', policy({validate: {foreach: [{list: 'a', foreach: [{list: 'b', pattern: {c: '*'}}]}]}})],
    [
      'signers inside of signers',
      policy({verifyImages: [{attestors: [{entries: [{attestor: {count: 1, entries: []}}]}]}]}),
    ],
    ['old fields of image rules', policy({verifyImages: [{image: 'a', key: 'b', annotations: {c: 'd'}}]})],
    [
      'an exception without a policy',
      exception('v1alpha1', {
        rules: [{name: 'r'}],
        match: {resources: {kinds: ['Pod'], selector: {matchLabels: {a: 'b'}}}},
      }),
    ],
    [
      'an exception of today',
      exception('v2', {
        exceptions: [{policyName: 'p', ruleNames: ['r']}],
        match: {any: [{resources: {kinds: ['Pod']}}]},
      }),
    ],
    ['an exception in its alpha version', exception('v2alpha1', {exceptions: [{policyName: 'p', ruleNames: ['r']}]})],
  ];
  it.each(rows)('%s', (_, object) => {
    expect(validateObject(manifests, object)).toEqual([]);
  });
});

describe('an object is refused by the API server itself', () => {
  const rows: [string, object, string[]][] = [
    ['a misspelt field', policy({valdate: {}}), ['.spec.rules[0].valdate: unknown field']],
    [
      'a value of the wrong type',
      policy({validate: {message: 1}}),
      ['.spec.rules[0].validate.message: must be of type string'],
    ],
    ['no spec at all', {apiVersion: 'kyverno.io/v1', kind: 'Policy', metadata: {name: 'p'}}, ['.spec: required']],
  ];
  it.each(rows)('%s', (_, object, expected) => {
    expect(validateObject(manifests, object)).toEqual(expected);
  });

  it('a version that is not served', () => {
    expect(validateObject(manifests, exception('v9', {}))).toBeUndefined();
  });
});

/** The project's external test data, where it is at hand. */
const outside = resolve(import.meta.dirname, '../../shared');

function* yamlFiles(directory: string): Generator<string> {
  for (const name of readdirSync(directory).sort()) {
    const path = join(directory, name);
    if (statSync(path).isDirectory()) yield* yamlFiles(path);
    else if (path.endsWith('.yaml')) yield path;
  }
}

function documents(path: string): unknown[] {
  return parseAllDocuments(readFileSync(path, 'utf8'), {uniqueKeys: false}).flatMap(document => {
    const object = document.toJS() as {kind?: unknown; items?: unknown} | null;
    return object?.kind === 'List' && Array.isArray(object.items) ? object.items : [object];
  });
}

describe.skipIf(!existsSync(outside))('external objects of our kinds are stored as written', () => {
  const folders = ['guide/policies', 'guide/cases', 'takeover/dump-1.13.4', 'takeover/dump-1.19.1'].filter(() =>
    existsSync(outside),
  );
  const rows = folders
    .flatMap(folder => [...yamlFiles(join(outside, folder))])
    .map(path => [path.slice(outside.length + 1), path] as const);
  it.each(rows)('%s', (_, path) => {
    for (const object of documents(path)) expect(validateObject(manifests, object) ?? []).toEqual([]);
  });
});
