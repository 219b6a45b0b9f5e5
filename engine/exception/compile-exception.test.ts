import {describe, expect, it} from 'vitest';
import {seededRandom} from '../json/testing/random.js';
import type {JsonObject} from '../json/types.js';
import {yamlObject} from '../policy/testing/build.js';
import {engineOf, judge, policyOf} from '../testing/engines.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {pod, requestOf, type TestRequest} from '../testing/requests.js';

function exceptionOf(name: string, spec: string, namespace = 'kyverno', apiVersion = 'kyverno.io/v2'): JsonObject {
  return {apiVersion, kind: 'PolicyException', metadata: {name, namespace}, spec: yamlObject(spec)};
}

const rules = `
  - name: no-latest
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: pinned, pattern: {spec: {containers: [{image: "!*:latest"}]}}}
  - name: no-host
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: host, pattern: {spec: {=(hostPID): false}}}`;
const bad = pod('bad', {
  metadata: {labels: {app: 'web'}},
  spec: {hostPID: true, containers: [{name: 'a', image: 'nginx:latest'}]},
});
const everything = 'match: {any: [{resources: {kinds: ["*"]}}]}';

async function freed(
  exceptions: readonly JsonObject[],
  request: TestRequest = {object: bad},
  exceptionNamespace = '',
): Promise<string[]> {
  const {engine} = engineOf([policyOf('p', rules), ...exceptions], {exceptionNamespace});
  const results = await judge(engine, requestOf(request));
  return results
    .filter(result => result.status === 'skip' && result.exceptions !== undefined)
    .map(result => result.rule);
}

describe('an exception frees', () => {
  it.each<[string, string, readonly string[]]>([
    ['the rule it names', `{${everything}, exceptions: [{policyName: p, ruleNames: [no-latest]}]}`, ['no-latest']],
    [
      'rules by wildcards',
      `{${everything}, exceptions: [{policyName: p, ruleNames: ["no-*"]}]}`,
      ['no-latest', 'no-host'],
    ],
    [
      'the rules of all its entries',
      `{${everything}, exceptions: [{policyName: p, ruleNames: [no-host]}, {policyName: p, ruleNames: [no-latest]}]}`,
      ['no-latest', 'no-host'],
    ],
    ['rules of any policy', `{${everything}, exceptions: [{policyName: "*", ruleNames: [no-host]}]}`, ['no-host']],
    ['nothing of another policy', `{${everything}, exceptions: [{policyName: q, ruleNames: ["*"]}]}`, []],
    ['nothing by wildcards in policy names', `{${everything}, exceptions: [{policyName: "p*", ruleNames: ["*"]}]}`, []],
    [
      'nothing of a namespaced policy of the same name',
      `{${everything}, exceptions: [{policyName: default/p, ruleNames: ["*"]}]}`,
      [],
    ],
    [
      'nothing else than it matches',
      '{match: {any: [{resources: {kinds: [Service]}}]}, exceptions: [{policyName: p, ruleNames: ["*"]}]}',
      [],
    ],
    [
      'by labels',
      '{match: {any: [{resources: {kinds: [Pod], selector: {matchLabels: {app: web}}}}]}, exceptions: [{policyName: p, ruleNames: [no-host]}]}',
      ['no-host'],
    ],
    [
      'whatever the operations say',
      '{match: {any: [{resources: {kinds: [Pod], operations: [DELETE]}}]}, exceptions: [{policyName: p, ruleNames: [no-host]}]}',
      ['no-host'],
    ],
    [
      'by user',
      '{background: false, match: {any: [{resources: {kinds: [Pod]}, subjects: [{kind: User, name: jane}]}]}, exceptions: [{policyName: p, ruleNames: [no-host]}]}',
      ['no-host'],
    ],
    [
      'where its conditions hold',
      `{${everything}, conditions: {all: [{key: "{{ request.object.metadata.labels.app }}", operator: Equals, value: web}]}, exceptions: [{policyName: p, ruleNames: [no-host]}]}`,
      ['no-host'],
    ],
    [
      'nothing where they do not',
      `{${everything}, conditions: {any: [{key: "{{ request.object.metadata.labels.app }}", operator: Equals, value: db}]}, exceptions: [{policyName: p, ruleNames: [no-host]}]}`,
      [],
    ],
    [
      'nothing where they cannot be evaluated',
      `{${everything}, conditions: {any: [{key: "{{ request.object.metadata.labels.zzz }}", operator: Equals, value: db}]}, exceptions: [{policyName: p, ruleNames: [no-host]}]}`,
      [],
    ],
  ])('%s', async (_title, spec, want) => {
    expect(await freed([exceptionOf('e', spec)])).toEqual(want);
  });

  it('nothing by what the policy has read elsewhere, unless it lives where exceptions free everything', async () => {
    const policy = policyOf('p', `[{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, context: [{name: secret, configMap: {name: c, namespace: vault}}], validate: {deny: {conditions: {all: [{key: "{{ secret.data.word }}", operator: Equals, value: open}]}}}}]`);
    const asks = (key: string) => `{${everything}, conditions: {all: [{key: "{{ ${key} }}", operator: Equals, value: open}]}, exceptions: [{policyName: p, ruleNames: [r]}]}`;
    const verdict = async (exception: JsonObject) => {
      const loader = recordingLoader({configMaps: {'vault/c': {data: {word: 'open'}, metadata: {}}}});
      const {engine} = engineOf([policy, exception], {loader});
      return {status: (await judge(engine, requestOf({object: bad}))).map(rule => rule.status), calls: loader.calls};
    };
    expect((await verdict(exceptionOf('e', asks('secret.data.word'), 'default'))).status).toEqual(['fail']);
    expect((await verdict(exceptionOf('e', asks('secret.data.word'), 'kyverno'))).status).toEqual(['skip']);
    const lookup = await verdict(exceptionOf('e', asks("is_external_url('http://x.evil.example')"), 'default'));
    expect(lookup.calls).toEqual(['configMap vault/c']);
  });

  it('nothing while nobody asks, when it names users', async () => {
    const exception = exceptionOf(
      'e',
      '{background: false, match: {any: [{resources: {kinds: [Pod]}, subjects: [{kind: User, name: jane}]}]}, exceptions: [{policyName: p, ruleNames: ["*"]}]}',
    );
    expect(await freed([exception], {object: bad, user: null})).toEqual([]);
  });

  it('derived rules by their own names', async () => {
    const deployment: JsonObject = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {name: 'd', namespace: 'default'},
      spec: {template: {spec: bad['spec'] as JsonObject}},
    };
    const by = (name: string) =>
      freed([exceptionOf('e', `{${everything}, exceptions: [{policyName: p, ruleNames: ["${name}"]}]}`)], {
        object: deployment,
      });
    expect(await by('no-host')).toEqual([]);
    expect(await by('autogen-no-host')).toEqual(['autogen-no-host']);
    expect(await by('*no-host')).toEqual(['autogen-no-host']);
  });

  it('rules of that name and their derived ones in the form of old', async () => {
    const old = exceptionOf(
      'e',
      '{rules: [{name: no-host}], match: {resources: {kinds: [Pod, Deployment]}}}',
      'default',
      'kyverno.io/v1alpha1',
    );
    expect(await freed([old])).toEqual(['no-host']);
  });

  it('the rule of a namespaced policy by namespace and name', async () => {
    const own = policyOf('p', rules, {namespace: 'default'});
    const {engine} = engineOf([
      own,
      exceptionOf('e', `{${everything}, exceptions: [{policyName: default/p, ruleNames: [no-host]}]}`),
    ]);
    const results = await judge(engine, requestOf({object: bad}));
    expect(results.map(result => `${result.rule} ${result.status}`)).toEqual(['no-latest fail', 'no-host skip']);
  });

  it('a rule with the words that scripts look for, all exceptions listed by name', async () => {
    const spec = `{${everything}, exceptions: [{policyName: p, ruleNames: [no-host]}]}`;
    const any = `{${everything}, exceptions: [{policyName: "*", ruleNames: [no-host]}]}`;
    const {engine} = engineOf([
      policyOf('p', rules),
      exceptionOf('b', spec),
      exceptionOf('c', any, 'default'),
      exceptionOf('a', spec),
    ]);
    const result = (await judge(engine, requestOf({object: bad}))).find(found => found.rule === 'no-host');
    expect(result).toMatchObject({
      status: 'skip',
      message: 'rule is skipped due to policy exceptionsdefault/c, kyverno/a, kyverno/b',
      exceptions: ['default/c', 'kyverno/a', 'kyverno/b'],
    });
  });
});

describe('where an exception lives', () => {
  const spec = `{${everything}, exceptions: [{policyName: p, ruleNames: [no-host]}]}`;
  it.each<[string, string, string, boolean]>([
    ['its own namespace', 'default', '', true],
    ['not another namespace', 'team', '', false],
    ['anywhere from the operator’s', 'kyverno', '', true],
    ['anywhere from the one that the installation names', 'team', 'team', true],
    ['anywhere from everywhere, if the installation says so', 'team', '*', true],
  ])('decides what it frees: %s', async (_title, namespace, exceptionNamespace, want) => {
    expect(await freed([exceptionOf('e', spec, namespace)], {object: bad}, exceptionNamespace)).toEqual(
      want ? ['no-host'] : [],
    );
  });

  const labelled = policyOf(
    'p',
    '[{name: r, match: {any: [{resources: {kinds: [Namespace, Node]}}]}, validate: {message: m, pattern: {metadata: {labels: {team: "?*"}}}}}]',
  );
  it.each<[string, JsonObject]>([
    ['its Namespace object', {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'team'}}],
    ['a cluster-scoped object', {apiVersion: 'v1', kind: 'Node', metadata: {name: 'n'}}],
    [
      'a cluster-scoped object that claims its namespace',
      {apiVersion: 'v1', kind: 'Node', metadata: {name: 'n', namespace: 'team'}},
    ],
  ])('a tenant’s does not free %s', async (_title, object) => {
    const {engine} = engineOf([
      labelled,
      exceptionOf('e', `{${everything}, exceptions: [{policyName: p, ruleNames: ["*"]}]}`, 'team'),
    ]);
    expect((await judge(engine, requestOf({object}))).map(result => result.status)).toEqual(['fail']);
  });
});

describe('two exceptions', () => {
  it('never free more than either', async () => {
    const random = seededRandom(42);
    const chance = (share: number) => random() < share;
    const one = () => {
      const criteria = [
        ...(chance(0.5) ? ['kinds: [Pod]'] : ['kinds: [Service]']),
        ...(chance(0.3) ? ['names: ["b*"]'] : []),
        ...(chance(0.3) ? ['selector: {matchLabels: {app: db}}'] : []),
        ...(chance(0.3) ? ['namespaces: [default]'] : []),
      ].join(', ');
      const names = chance(0.5) ? 'no-host' : chance(0.5) ? 'no-latest' : '*';
      const policyName = chance(0.7) ? 'p' : '*';
      const conditions = chance(0.3)
        ? `, conditions: {all: [{key: "{{ request.object.metadata.labels.app }}", operator: Equals, value: ${chance(0.5) ? 'web' : 'db'}}]}`
        : '';
      return `{match: {any: [{resources: {${criteria}}}]}, exceptions: [{policyName: "${policyName}", ruleNames: ["${names}"]}]${conditions}}`;
    };
    const {engine, cache} = engineOf([policyOf('p', rules)]);
    const freedBy = async (exceptions: readonly JsonObject[]) => {
      const keys = exceptions.map(exception => cache.putException(exception).key);
      const results = await judge(engine, requestOf({object: bad}));
      for (const key of keys) cache.dropException(key);
      return results.filter(result => result.status === 'skip').map(result => result.rule);
    };
    for (let round = 0; round < 60; round++) {
      const a = exceptionOf('a', one(), chance(0.5) ? 'kyverno' : 'default');
      const b = exceptionOf('b', one(), chance(0.5) ? 'kyverno' : 'team');
      const union = new Set([...(await freedBy([a])), ...(await freedBy([b]))]);
      expect((await freedBy([a, b])).sort()).toEqual([...union].sort());
    }
  });
});
