import {describe, expect, it} from 'vitest';
import type {CompiledPolicy, CompiledValidateRule} from '../../engine/compile/types.js';
import {RequestContext} from '../../engine/context/request-context.js';
import {pick, seededRandom} from '../../engine/json/testing/random.js';
import type {JsonObject} from '../../engine/json/types.js';
import {comparePolicies, PolicySnapshot} from '../../engine/snapshot/policy-snapshot.js';
import {deadline, emptyCache, engineOf, policyOf, verdicts} from '../../engine/testing/engines.js';
import {recordingLoader} from '../../engine/testing/recording-loader.js';
import {pod, requestOf} from '../../engine/testing/requests.js';
import {runOf} from '../../engine/testing/scopes.js';
import type {EngineRequest, Operation} from '../../engine/types.js';

const pods = 'match: {any: [{resources: {kinds: [Pod]}}]}';
const rule = (name: string) => `{name: ${name}, ${pods}, validate: {message: m, pattern: {kind: Pod}}}`;
const request = requestOf({object: pod('p')});

function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const result = [...items];
  for (let index = result.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [result[index], result[other]] = [result[other] as T, result[index] as T];
  }
  return result;
}

describe('results', () => {
  it('come in one order, whatever the order in which policies came', async () => {
    const policies = [
      policyOf('b', `[${rule('z')}, ${rule('a')}]`),
      policyOf('a', `[${rule('r')}]`),
      policyOf('a', `[${rule('r')}]`, {namespace: 'default'}),
      policyOf('B', `[${rule('r')}]`),
      policyOf('aa', `[${rule('r')}]`),
      policyOf('0', `[${rule('r')}]`, {namespace: 'default'}),
    ];
    const want = ['B/r pass', 'a/r pass', 'aa/r pass', 'b/z pass', 'b/a pass', 'default/0/r pass', 'default/a/r pass'];
    const random = seededRandom(1);
    for (let round = 0; round < 5; round++) {
      expect(await verdicts(engineOf(shuffled(policies, random)).engine, request)).toEqual(want);
    }
  });

  it('of derived rules come after all declared ones', async () => {
    const {cache} = engineOf([policyOf('p', `[${rule('b')}, ${rule('a')}]`)]);
    const state = cache.policy('p');
    expect(state?.status === 'served' && state.policy.rules.map(found => found.name)).toEqual([
      'b',
      'a',
      'autogen-b',
      'autogen-cronjob-b',
      'autogen-a',
      'autogen-cronjob-a',
    ]);
  });
});

const names = ['web', 'web-1', 'db', 'db-main', 'x', 'job-7', ''];
const namespaces = {default: {env: 'prod'}, team: {env: 'dev', owner: 'a'}, other: {}};
const labelSets: readonly JsonObject[] = [{}, {app: 'web'}, {app: 'db', tier: 'back'}, {tier: 'front'}];
const kinds = [
  {group: '', version: 'v1', kind: 'Pod'},
  {group: 'apps', version: 'v1', kind: 'Deployment'},
  {group: '', version: 'v1', kind: 'Namespace'},
  {group: '', version: 'v1', kind: 'Node'},
  {group: 'example.com', version: 'v1beta1', kind: 'Pod'},
];

/** Random match criteria, each kept in a share of the filters. */
function filter(random: () => number, withOperations: boolean): string {
  const some = (share: number, text: () => string) => (random() < share ? [text()] : []);
  const resources = [
    `kinds: [${pick(random, ['Pod', '"*"', 'v1/Pod', 'Deployment', 'apps/v1/Deployment', 'Namespace', 'Node', '"*/*"', 'Pod/exec', 'Deployment/scale', '"P*"', 'Pod, Namespace', '"*/scale"'])}]`,
    ...some(0.3, () => `names: [${pick(random, ['web', '"web*"', '"*"', '"d?*"', 'db, "job-*"', '"?"'])}]`),
    ...some(0.2, () => `namespaces: [${pick(random, ['default', '"t*"', 'default, team'])}]`),
    ...some(
      0.3,
      () =>
        `selector: {${pick(random, ['matchLabels: {app: web}', 'matchLabels: {app: "*"}', 'matchLabels: {"*": db}', 'matchLabels: {app: db, tier: back}', 'matchExpressions: [{key: tier, operator: Exists}]', 'matchExpressions: [{key: app, operator: NotIn, values: [web]}]'])}}`,
    ),
    ...some(
      0.2,
      () =>
        `namespaceSelector: {${pick(random, ['matchLabels: {env: prod}', 'matchExpressions: [{key: env, operator: DoesNotExist}]'])}}`,
    ),
    ...(withOperations
      ? some(0.3, () => `operations: [${pick(random, ['CREATE', 'UPDATE, DELETE', 'CONNECT, CREATE'])}]`)
      : []),
  ];
  const users = some(
    0.15,
    () => `subjects: [{kind: ${pick(random, ['User', 'Group'])}, name: "${pick(random, ['jane', 'dev*', 'bob'])}"}]`,
  );
  return `{resources: {${resources.join(', ')}}${users.map(text => `, ${text}`).join('')}}`;
}

function randomPolicy(random: () => number, name: string): JsonObject {
  const rules = Array.from({length: 1 + Math.floor(random() * 3)}, (_, index) => {
    const mode = pick(random, ['any', 'all']);
    const filters = Array.from({length: 1 + Math.floor(random() * 2)}, () => filter(random, true));
    const exclude = random() < 0.3 ? `exclude: {any: [${filter(random, false)}]},` : '';
    const action = pick(random, ['Audit', 'Enforce']);
    return `{name: r${index}, match: {${mode}: [${filters.join(', ')}]}, ${exclude} validate: {failureAction: ${action}, allowExistingViolations: false, message: m, deny: {}}}`;
  });
  const namespace = random() < 0.2 ? pick(random, ['default', 'team']) : undefined;
  const spec = `{emitWarning: ${random() < 0.3}, failurePolicy: ${pick(random, ['Fail', 'Ignore'])}}`;
  return policyOf(name, `[${rules.join(', ')}]`, {spec, ...(namespace !== undefined && {namespace})});
}

function randomRequest(random: () => number): EngineRequest {
  const kind = pick(random, kinds);
  const namespace =
    kind.kind === 'Node' || kind.kind === 'Namespace' ? undefined : pick(random, Object.keys(namespaces));
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const name = kind.kind === 'Namespace' ? pick(random, Object.keys(namespaces)) : pick(random, names);
  const object: JsonObject = {
    apiVersion,
    kind: kind.kind,
    metadata: {name, labels: pick(random, labelSets), ...(namespace !== undefined && {namespace})},
  };
  const operation = pick<Operation>(random, ['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);
  return requestOf({
    kind,
    operation,
    object: operation === 'DELETE' ? undefined : object,
    oldObject: operation === 'DELETE' || operation === 'UPDATE' ? object : undefined,
    subResource: pick(random, ['', '', '', 'exec', 'scale', 'ephemeralcontainers']),
    user: random() < 0.2 ? null : {},
  });
}

/** What the rules say when each of them is asked, with no index in between. */
function askedOneByOne(policies: Iterable<CompiledPolicy>, asked: EngineRequest): string[] {
  const context = new RequestContext(asked);
  const run = runOf(recordingLoader({namespaces}));
  const selects = (found: CompiledValidateRule) =>
    found.match(context, run) && !(found.exclude?.(context, run) ?? false);
  return [...policies]
    .sort(comparePolicies)
    .filter(({ref}) => ref.namespace === '' || (ref.namespace === asked.namespace && asked.kind.kind !== 'Namespace'))
    .flatMap(policy => policy.validateRules.filter(selects).map(found => `${policy.ref.key}/${found.name} fail`));
}

describe('the index gives what asking every rule gives', () => {
  it.each([11, 12, 13])(
    'seed %i',
    async seed => {
      const random = seededRandom(seed);
      const cache = emptyCache();
      for (let index = 0; index < 60; index++) cache.putPolicy(randomPolicy(random, `p${index}`));
      const served = [...cache.policies()].flatMap(state => (state.status === 'served' ? [state.policy] : []));
      expect(served.length).toBeGreaterThan(40);
      const {engine} = engineOf([], {loader: recordingLoader({namespaces}), engine: {policies: cache}});
      let matches = 0;
      for (let round = 0; round < 150; round++) {
        const asked = randomRequest(random);
        const want = askedOneByOne(served, asked);
        matches += want.length;
        expect(await verdicts(engine, asked)).toEqual(want);
        const buckets = await Promise.all(
          (['enforce', 'audit', 'audit-warn'] as const).map(bucket => verdicts(engine, asked, {bucket})),
        );
        expect(buckets.flat().sort()).toEqual([...want].sort());
      }
      expect(matches).toBeGreaterThan(500);
    },
    60_000,
  );
});

describe('a cache that has seen changes', () => {
  it('serves what a fresh one with the same policies serves', async () => {
    const random = seededRandom(77);
    const cache = emptyCache();
    const held = new Map<string, JsonObject>();
    for (let step = 0; step < 40; step++) {
      for (let change = 0; change < 3; change++) {
        const name = `p${Math.floor(random() * 12)}`;
        if (random() < 0.35) {
          const key = pick(random, [...held.keys(), 'none']);
          held.delete(key);
          cache.dropPolicy(key);
        } else {
          const raw = random() < 0.1 ? policyOf(name, '[]') : randomPolicy(random, name);
          held.set(cache.putPolicy(raw).key, raw);
        }
      }
      const fresh = emptyCache();
      for (const raw of shuffled([...held.values()], random)) fresh.putPolicy(raw);
      const loader = recordingLoader({namespaces});
      const [old, anew] = [cache, fresh].map(policies => engineOf([], {loader, engine: {policies}}).engine);
      for (let round = 0; round < 5; round++) {
        const asked = randomRequest(random);
        expect(await verdicts(old!, asked)).toEqual(await verdicts(anew!, asked));
      }
    }
  });

  it('never changes a snapshot that was taken', async () => {
    const {cache} = engineOf([policyOf('p', `[${rule('r')}]`)]);
    const before = cache.current;
    cache.dropPolicy('p');
    cache.putPolicy(policyOf('q', `[${rule('r')}]`));
    const {engine} = engineOf([], {engine: {policies: {current: before}}});
    expect(await verdicts(engine, request)).toEqual(['p/r pass']);
    expect(cache.current).not.toBe(before);
    expect(cache.current).toBe(cache.current);
  });

  it('keeps a request on the snapshot with which it began', async () => {
    const loader = recordingLoader({later: true, configMaps: {'default/x': {data: {}}}});
    const rules = (kind: string) =>
      `[{name: r, ${pods}, context: [{name: v, configMap: {name: x, namespace: default}}], validate: {message: m, pattern: {kind: "${kind}", =(x): "{{ v.data }}"}}}]`;
    const {engine, cache} = engineOf([policyOf('a', rules('Pod')), policyOf('b', rules('Pod'))], {loader});
    const answer = engine.validate(request, {bucket: 'all', deadline});
    cache.putPolicy(policyOf('b', rules('Other')));
    expect((await answer).results.map(result => result.rules[0]?.status)).toEqual(['pass', 'pass']);
  });

  it('starts empty', () => {
    expect(PolicySnapshot.empty.validateCandidates(request, {phase: 'admission', bucket: 'all'}).all).toEqual([]);
  });
});
