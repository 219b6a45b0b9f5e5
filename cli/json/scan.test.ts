import {mkdtempSync, readFileSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {compileAssertion} from '../../engine/assert/index.js';
import {parseYaml} from '../../engine/yaml/index.js';
import {scan, type ScanOptions} from './scan.js';

const folder = mkdtempSync(join(tmpdir(), 'json-'));
let files = 0;

function file(text: string): string {
  files += 1;
  const path = join(folder, `${files}.yaml`);
  writeFileSync(path, text);
  return path;
}

function policy(rules: string): string {
  return file(
    `apiVersion: json.kyverno.io/v1alpha1\nkind: ValidatingPolicy\nmetadata: {name: p}\nspec:\n  rules:\n${rules.replace(/^/gm, '  ')}\n`,
  );
}

async function run(options: Partial<ScanOptions>): Promise<{code: number; text: string}> {
  let text = '';
  const streams = {out: (line: string) => void (text += line), err: () => undefined, terminal: false};
  const code = await scan({payload: [], policy: [], preProcess: [], output: 'text', ...options}, streams);
  return {code, text: text.replaceAll(folder, '')};
}

const buckets = policy(`
- name: private
  match: {all: [{type: bucket}]}
  exclude: {any: [{(name == 'public-site'): true}]}
  context:
  - {name: allowed, variable: [private, internal]}
  assert:
    all:
    - message: "bucket {{ name }} is {{ acl }}"
      check: {"(contains($allowed, acl))": true}`);

describe('json scan', () => {
  const cases: readonly {title: string; payload: string; code: number; text: RegExp}[] = [
    {
      title: 'passes',
      payload: '{type: bucket, name: a, acl: private}',
      code: 0,
      text: /p \/ private \/ \/\d+\.yaml PASSED\npass: 1, fail: 0, error: 0\n$/,
    },
    {
      title: 'fails with the message',
      payload: '{type: bucket, name: a, acl: open}',
      code: 1,
      text: /FAILED: bucket a is open: \(contains\(\$allowed, acl\)\): Invalid value: false: Expected value: true\n/,
    },
    {
      title: 'says nothing of what does not match',
      payload: '{type: queue}',
      code: 0,
      text: /^pass: 0, fail: 0, error: 0\n$/,
    },
    {
      title: 'says nothing of what is excluded',
      payload: '{type: bucket, name: public-site, acl: open}',
      code: 0,
      text: /^pass: 0/,
    },
    {
      title: 'judges each element of a list',
      payload: '[{type: bucket, name: a, acl: private}, {type: bucket, name: b, acl: open}]',
      code: 1,
      text: /yaml\[0\] PASSED[\s\S]*yaml\[1\] FAILED/,
    },
    {
      title: 'tells what cannot be evaluated',
      payload: '{type: bucket, name: a, acl: {}}',
      code: 1,
      text: /FAILED|ERROR/,
    },
  ];
  for (const {title, payload, code, text} of cases) {
    it(title, async () => {
      const result = await run({payload: [file(payload)], policy: [buckets]});
      expect(result.text).toMatch(text);
      expect(result.code).toBe(code);
    });
  }

  it('is content with one of any', async () => {
    const either = policy("- name: r\n  assert: {any: [{check: {a: 1}}, {check: {a: 2}, message: 'two'}]}");
    expect((await run({payload: [file('a: 2')], policy: [either]})).code).toBe(0);
    expect((await run({payload: [file('a: 3')], policy: [either]})).text).toContain(
      'two: a: Invalid value: 3: Expected value: 2',
    );
  });

  it('writes JSON', async () => {
    const {text} = await run({
      payload: [file('{type: bucket, name: a, acl: private}')],
      policy: [buckets],
      output: 'json',
    });
    expect(JSON.parse(text)).toEqual([
      {policy: 'p', rule: 'private', payload: expect.stringMatching(/\.yaml$/), result: 'pass'},
    ]);
  });

  it('puts the payload through expressions first', async () => {
    const {code, text} = await run({
      payload: [file('items: [{type: bucket, name: a, acl: private}]')],
      policy: [buckets],
      preProcess: ['items'],
    });
    expect(text).toContain('[0] PASSED');
    expect(code).toBe(0);
  });

  const classic = file('{apiVersion: kyverno.io/v1, kind: ClusterPolicy, metadata: {name: c}, spec: {rules: []}}');
  const cel = file('{apiVersion: policies.kyverno.io/v1, kind: ValidatingPolicy, metadata: {name: v}, spec: {}}');
  const payload = file('a: 1');
  const faults: readonly [string, Partial<ScanOptions>, string | RegExp][] = [
    [
      'a classic policy',
      {policy: [classic]},
      /ClusterPolicy c judges Kubernetes objects by their kind.*json\.kyverno\.io\/v1alpha1/,
    ],
    ['a CEL policy', {policy: [cel]}, /ValidatingPolicy v is written in CEL/],
    ['a rule without checks', {policy: [policy('- name: r')]}, 'at least one check'],
    [
      'bad syntax',
      {policy: [policy('- name: r\n  assert: {all: [{check: {(a ||): 1}}]}')]},
      /spec\.rules\[0\]\.assert\.all\[0\]\.check/,
    ],
    ['an unknown field', {policy: [policy('- name: r\n  asserts: {}')]}, 'unknown field "asserts"'],
    ['an unknown format', {policy: [buckets], output: 'xml'}, 'invalid output format "xml"'],
    ['a missing payload', {policy: [buckets], payload: [join(folder, 'none')]}, 'no such file'],
    ['a bad expression', {policy: [buckets], preProcess: ['a.']}, '--pre-process a.'],
  ];
  for (const [title, options, message] of faults) {
    it(`refuses ${title}`, () => expect(run({payload: [payload], ...options})).rejects.toThrow(message));
  }

  it('does what its documentation shows', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/assertion-trees.md'), 'utf8');
    const blocks = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(match => match[1]!);
    compileAssertion(parseYaml(blocks[0]!), 'tree');
    const {text} = await run({payload: [file('{type: bucket, name: a, acl: open}')], policy: [file(blocks[2]!)]});
    expect(text).toContain('FAILED: bucket a is open: ');
  });
});
