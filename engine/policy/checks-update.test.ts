import {describe, expect, it} from 'vitest';
import {loadClassicPolicy} from './load-policy.js';
import {policyWith} from './testing/build.js';
import {testKinds} from './testing/kinds.js';

const noValidate = 'validate: null';

const generate = (changes: string) =>
  policyWith(`${noValidate}
match: {any: [{resources: {kinds: [Namespace]}}]}
generate: {apiVersion: v1, kind: Secret, name: a, namespace: b, synchronize: true, data: {data: {}}}
${changes}`);

describe('updates of generate rules', () => {
  it.each([
    {title: 'name', changes: 'name: other', path: 'spec.rules[0].name'},
    {title: 'match', changes: 'match: {any: [{resources: {kinds: [Namespace, Pod]}}]}', path: 'spec.rules[0].match'},
    {title: 'exclude', changes: 'exclude: {any: [{resources: {namespaces: [a]}}]}', path: 'spec.rules[0].exclude'},
    {title: 'preconditions', changes: 'preconditions: {all: []}', path: 'spec.rules[0].preconditions'},
  ])('27 refuse another $title', ({changes, path}) => {
    const {errors} = loadClassicPolicy(generate(changes), {resources: testKinds, old: generate('')});
    expect(errors).toMatchObject([
      {path, message: 'changes of immutable fields of a rule spec in a generate rule is disallowed'},
    ]);
  });

  it('26 warn about another target', () => {
    const changed = generate(
      'generate: {apiVersion: v1, kind: Secret, name: c, namespace: b, synchronize: true, data: {data: {}}}',
    );
    const result = loadClassicPolicy(changed, {resources: testKinds, old: generate('')});
    expect(result.errors).toEqual([]);
    expect(result.warnings[0]?.message).toMatch(
      /^no synchronization will be performed to the old target resource upon policy updates/,
    );
  });

  it('take other data and switches as they come', () => {
    const changed = generate(
      'generate: {apiVersion: v1, kind: Secret, name: a, namespace: b, synchronize: false, data: {data: {a: b}}}',
    );
    const result = loadClassicPolicy(changed, {resources: testKinds, old: generate('skipBackgroundRequests: true')});
    expect(result.errors).toEqual([]);
    expect(result.warnings).toEqual([]);
  });
});
