import {describe, expect, it} from 'vitest';
import type {CompiledPolicy, CompiledRule} from '../../engine/compile/types.js';
import {EvalError} from '../../engine/diagnostic.js';
import {createEngine} from '../../engine/run/create-engine.js';
import {PolicySnapshot} from '../../engine/snapshot/policy-snapshot.js';
import {
  deadline,
  emptyCache,
  engineOf,
  judge,
  mutated,
  policyOf,
  regex,
  verdicts,
} from '../../engine/testing/engines.js';
import {recordingLoader} from '../../engine/testing/recording-loader.js';
import {frozen, pod, requestOf} from '../../engine/testing/requests.js';

const pods = 'match: {any: [{resources: {kinds: [Pod]}}]}';
const request = requestOf({object: frozen(pod('p'))});
/** Passes where the variable is not there: an expression that falls back. */
const without = (name: string) =>
  `validate: {message: leaked, deny: {conditions: {all: [{key: "{{ to_string(keys(@)) }}", operator: Equals, value: '*"${name}"*'}]}}}`;

describe('what a rule sets is gone with it', () => {
  it.each<[string, string, string]>([
    [
      'context entries',
      `{name: sets, ${pods}, context: [{name: mine, variable: {value: 1}}], validate: {pattern: {kind: "{{ 'Pod' }}", =(mine): "{{ mine }}"}}}`,
      'mine',
    ],
    [
      'loop elements',
      `{name: sets, ${pods}, validate: {message: m, foreach: [{list: request.object.spec.containers, pattern: {name: "{{ element.name }}"}}]}}`,
      'element',
    ],
    [
      'entries of loops',
      `{name: sets, ${pods}, validate: {message: m, foreach: [{list: request.object.spec.containers, context: [{name: inner, variable: {value: main}}], pattern: {name: "{{ inner }}"}}]}}`,
      'inner',
    ],
  ])('%s', async (_title, sets, name) => {
    const {engine} = engineOf([
      policyOf('a', `[${sets}, {name: looks, ${pods}, ${without(name)}}]`),
      policyOf('b', `[{name: looks, ${pods}, ${without(name)}}]`),
    ]);
    expect(await verdicts(engine, request)).toEqual(['a/sets pass', 'a/looks pass', 'b/looks pass']);
  });

  it('but an entry of the rule itself is seen', async () => {
    const {engine} = engineOf([
      policyOf('a', `[{name: r, ${pods}, context: [{name: mine, variable: {value: 1}}], ${without('mine')}}]`),
    ]);
    expect(await verdicts(engine, request)).toEqual(['a/r fail']);
  });

  it('an entry of the same name has each rule’s own value', async () => {
    const rule = (name: string, value: string) =>
      `{name: ${name}, ${pods}, context: [{name: v, variable: {value: ${value}}}], validate: {message: m, deny: {conditions: {all: [{key: "{{ v }}", operator: NotEquals, value: ${value}}]}}}}`;
    const {engine} = engineOf([
      policyOf('a', `[${rule('one', 'x')}, ${rule('two', 'z')}]`),
      policyOf('b', `[${rule('three', 'w')}]`),
    ]);
    expect(await verdicts(engine, request)).toEqual(['a/one pass', 'a/two pass', 'b/three pass']);
  });

  it('also where rules have to wait', async () => {
    const loader = recordingLoader({later: true, configMaps: {'default/x': {data: {k: '1'}}}});
    const rule = (name: string, entry: string, path: string) =>
      `{name: ${name}, ${pods}, context: [{name: v, ${entry}}], validate: {message: m, deny: {conditions: {all: [{key: "{{ ${path} }}", operator: NotEquals, value: "1"}]}}}}`;
    const {engine} = engineOf(
      [
        policyOf(
          'a',
          `[${rule('waits', 'configMap: {name: x, namespace: default}', 'v.data.k')}, ${rule('not', 'variable: {value: "1"}', 'v')}, {name: looks, ${pods}, ${without('v')}}]`,
        ),
      ],
      {loader},
    );
    expect(await verdicts(engine, request)).toEqual(['a/waits pass', 'a/not pass', 'a/looks pass']);
    expect(loader.calls).toEqual(['configMap default/x']);
  });

  it('two requests at a time do not meet', async () => {
    const loader = recordingLoader({later: true, configMaps: {'default/x': {data: {k: '1'}}}});
    const {engine} = engineOf(
      [
        policyOf(
          'a',
          `[{name: r, ${pods}, context: [{name: v, configMap: {name: x, namespace: default}}], validate: {message: "{{ request.name }}{{ v.data.k }}", pattern: {metadata: {name: "!*"}}}}]`,
        ),
      ],
      {loader},
    );
    const answers = await Promise.all(['a', 'b', 'c'].map(name => judge(engine, requestOf({object: pod(name)}))));
    expect(answers.map(([rule]) => rule?.message.slice(0, 22))).toEqual([
      'validation error: a1. ',
      'validation error: b1. ',
      'validation error: c1. ',
    ]);
  });

  it('what a policy of a namespace loads is not taken from another scope', async () => {
    const loader = recordingLoader({api: {'/api/v1/namespaces/kube-system/secrets': {items: []}}});
    const rule = `[{name: r, ${pods}, context: [{name: v, apiCall: {urlPath: "/api/v1/namespaces/kube-system/secrets"}}], validate: {message: m, deny: {conditions: {all: [{key: "{{ length(v.items) }}", operator: Equals, value: 1}]}}}}]`;
    const cache = emptyCache();
    cache.putPolicy(policyOf('cluster', rule));
    const refused = cache.putPolicy(
      policyOf(
        'tenant',
        rule.replace('/api/v1/namespaces/kube-system/secrets', "/api/v1/namespaces/{{ 'kube-system' }}/secrets"),
        {namespace: 'default'},
      ),
    );
    expect(refused.status).toBe('served');
    const engine = createEngine({policies: cache, loader, regex});
    expect(await verdicts(engine, request)).toEqual(['cluster/r pass', 'default/tenant/r error']);
    expect(loader.calls).toHaveLength(1);
  });

  it('the request’s object is never written to', async () => {
    const {engine} = engineOf([
      policyOf(
        'a',
        `[{name: one, ${pods}, mutate: {patchStrategicMerge: {spec: {containers: [{(name): "*", image: other}]}}}}, {name: two, ${pods}, mutate: {patchesJson6902: "- {op: remove, path: /spec/containers/0}"}}]`,
      ),
    ]);
    const answer = await mutated(engine, request);
    expect(answer.denied).toBeUndefined();
    expect(request.object).toEqual(pod('p'));
  });
});

/** A served policy with one part of its rule replaced by something that throws. */
function poisoned(
  name: string,
  part: 'match' | 'exclude' | 'check' | 'action' | 'preconditions' | 'patch',
  thrown: unknown,
): CompiledPolicy {
  const cache = emptyCache();
  const body =
    part === 'patch'
      ? 'mutate: {patchStrategicMerge: {metadata: {labels: {q: r}}}}'
      : 'validate: {message: m, pattern: {kind: Pod}}';
  const state = cache.putPolicy(policyOf(name, `[{name: r, ${pods}, ${body}}]`));
  if (state.status !== 'served') throw new Error('not served');
  const raise = () => {
    throw thrown;
  };
  const poison = (rule: CompiledRule) => {
    const replaced = {...rule, [part]: part === 'preconditions' ? {conditions: {}, evaluate: raise} : raise};
    return part === 'action' ? {...replaced, fixedAction: undefined} : replaced;
  };
  return {
    ...state.policy,
    validateRules: state.policy.validateRules.map(rule => poison(rule) as typeof rule),
    mutateRules: state.policy.mutateRules.map(rule => poison(rule) as typeof rule),
  };
}

describe('a rule that throws ends only itself', () => {
  const good = (name: string) => {
    const state = emptyCache().putPolicy(
      policyOf(name, `[{name: r, ${pods}, validate: {message: m, pattern: {kind: Pod}}}]`),
    );
    if (state.status !== 'served') throw new Error('not served');
    return state.policy;
  };
  const things: ReadonlyArray<readonly [string, unknown]> = [
    ['an error of the language', new EvalError('bad value')],
    ['a fault of ours', new TypeError('x is not a function')],
    ['an exhausted stack', new RangeError('Maximum call stack size exceeded')],
    ['a text', 'text'],
    ['nothing', undefined],
    ['null', null],
    ['an object without text', Object.create(null)],
    ['a symbol', Symbol('s')],
  ];
  const parts = ['match', 'exclude', 'check', 'action', 'preconditions'] as const;

  it.each(things.flatMap(([title, thrown]) => parts.map(part => [title, part, thrown] as const)))(
    '%s in %s',
    async (_title, part, thrown) => {
      const snapshot = PolicySnapshot.of([good('a'), poisoned('b', part, thrown), good('c')]);
      const engine = createEngine({policies: {current: snapshot}, loader: recordingLoader(), regex});
      expect(await verdicts(engine, request)).toEqual(['a/r pass', 'b/r error', 'c/r pass']);
      expect(await verdicts(engine, request, {bucket: 'enforce'})).toContain('b/r error');
    },
  );

  it.each(things)('%s in a patch', async (_title, thrown) => {
    const snapshot = PolicySnapshot.of([poisoned('b', 'patch', thrown)]);
    const engine = createEngine({policies: {current: snapshot}, loader: recordingLoader(), regex});
    const answer = await engine.mutate(request, {deadline});
    expect(answer.denied).toMatch(/^mutation policy b error: /);
  });
});

describe('a policy that cannot be served', () => {
  it.each<[string, unknown]>([
    ['without a spec', {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name: 'bad'}}],
    ['with an expression that is none', policyOf('bad', `[{name: r, ${pods}, validate: {pattern: {a: "{{ [[ }}"}}}]`)],
    [
      'with a key that is none',
      policyOf(
        'bad',
        `[{name: r, ${pods}, verifyImages: [{imageReferences: ["*"], attestors: [{entries: [{keys: {publicKeys: x}}]}]}]}]`,
      ),
    ],
    ['of nothing', {}],
    ['with metadata that is a list', {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: [], spec: []}],
  ])('%s drops out alone', async (_title, raw) => {
    const {engine, cache} = engineOf([
      policyOf('good', `[{name: r, ${pods}, validate: {message: m, pattern: {kind: Pod}}}]`),
    ]);
    expect(cache.putPolicy(raw as never).status).toBe('refused');
    expect(await verdicts(engine, request)).toEqual(['good/r pass']);
  });

  it('takes its earlier version with it, and comes back when mended', async () => {
    const rules = `[{name: r, ${pods}, validate: {message: m, pattern: {kind: Pod}}}]`;
    const {engine, cache} = engineOf([policyOf('p', rules)]);
    cache.putPolicy(policyOf('p', '[]'));
    expect(await verdicts(engine, request)).toEqual([]);
    cache.putPolicy(policyOf('p', rules));
    expect(await verdicts(engine, request)).toEqual(['p/r pass']);
  });
});
