import {describe, expect, it} from 'vitest';
import type {EngineRequest} from '../../engine/types.js';
import {policy, rule} from '../testing/harness.js';
import {denialMessage, mutationDenial} from './denial.js';
import {blocks} from './verdict.js';
import {mutationWarnings, validationWarnings} from './warnings.js';

const request: EngineRequest = {
  uid: 'u',
  kind: {group: '', version: 'v1', kind: 'Pod'},
  resource: {group: '', version: 'v1', resource: 'pods'},
  subResource: '',
  namespace: 'shop',
  name: 'web',
  operation: 'CREATE',
  object: {metadata: {name: 'web'}},
  oldObject: undefined,
  user: undefined,
  dryRun: false,
  raw: {},
};
const bad = (name: string, message: string) => rule(name, {status: 'fail', message});

describe('a refusal', () => {
  it('lists failing rules of all policies, sorted, and leaves out passes and skips', () => {
    const results = [
      policy('require-labels', [bad('check', 'validation error: no app'), rule('other')]),
      policy('b-quiet', [rule('r', {status: 'skip'})]),
      policy('a-limits', [rule('cpu', {status: 'error', message: 'no such key'})]),
    ];
    expect(denialMessage(request, results)).toBe(
      '\n\nresource Pod/shop/web was blocked due to the following policies \n\n' +
        "a-limits:\n  cpu: no such key\nrequire-labels:\n  check: 'validation error: no app'\n",
    );
  });

  it('shows two policies of one name apart', () => {
    const text = denialMessage(request, [
      policy('same', [bad('r', 'one')]),
      policy('same', [bad('r', 'two')], {namespace: 'shop'}),
      policy('single', [bad('r', 'three')], {namespace: 'shop'}),
    ]);
    expect(text).toContain('same:\n  r: one\nshop/same:\n  r: two\nsingle:\n  r: three\n');
  });

  it('has an empty middle for cluster-scoped objects and takes the object’s name where the request has none', () => {
    const text = denialMessage({...request, namespace: '', name: ''}, [policy('p', [bad('r', 'm')])]);
    expect(text).toContain('resource Pod//web was blocked');
    const generated = {...request, name: '', object: {metadata: {generateName: 'web-'}}};
    expect(denialMessage(generated, [policy('p', [bad('r', 'm')])])).toContain('resource Pod/shop/ was blocked');
  });

  it('of a mutation names policy and rules in error', () => {
    const results = [policy('m', [rule('set', {status: 'error', message: 'boom', type: 'Mutation'}), rule('ok')])];
    expect(mutationDenial(results, 'boom')).toBe('mutation policy m error: failed to apply policy m rules [set: boom]');
    expect(mutationDenial([], 'out of time')).toBe('out of time');
  });
});

describe('verdicts', () => {
  it.each([
    ['an enforced failure blocks', [policy('p', [bad('r', 'm')])], true],
    ['an audited failure does not', [policy('p', [rule('r', {status: 'fail', action: 'Audit'})])], false],
    ['an error blocks under Fail', [policy('p', [rule('r', {status: 'error'})])], true],
    ['an error does not under Ignore', [policy('p', [rule('r', {status: 'error'})], {failurePolicy: 'Ignore'})], false],
    [
      'an error under Ignore blocks when another policy has Fail',
      [policy('p', [rule('r', {status: 'error'})], {failurePolicy: 'Ignore'}), policy('q', [rule('r')])],
      true,
    ],
    ['a skip does not', [policy('p', [rule('r', {status: 'skip'})])], false],
  ])('%s', (_name, results, expected) => {
    expect(blocks(results)).toBe(expected);
  });
});

describe('warnings', () => {
  const results = [
    policy('p', [bad('r', 'm'), rule('e', {status: 'error', message: 'x'}), rule('ok', {message: 'fine'})], {
      emitWarning: true,
    }),
  ];

  it('of validation name what failed or could not be judged', () => {
    expect(validationWarnings(results)).toEqual(['policy p.r: m', 'policy p.e: x']);
  });

  it('of mutation add everything a policy with emitWarning did', () => {
    expect(mutationWarnings(results)).toEqual(['policy p.r: m', 'policy p.e: x', 'policy p.ok: fine']);
    expect(mutationWarnings([policy('q', [rule('ok')])])).toEqual([]);
  });
});
