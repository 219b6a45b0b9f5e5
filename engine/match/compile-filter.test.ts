import {describe, expect, it} from 'vitest';
import {RequestContext} from '../context/request-context.js';
import {EvalError} from '../diagnostic.js';
import type {JsonObject} from '../json/types.js';
import {buildFilterGroup} from '../policy/build-match.js';
import {yamlObject} from '../policy/testing/build.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {pod, requestOf, type TestRequest} from '../testing/requests.js';
import {runOf} from '../testing/scopes.js';
import {compileFilterGroup, compileQuickTest, type FilterOptions} from './compile-filter.js';

const namespaces = {default: {env: 'prod', 'kubernetes.io/metadata.name': 'default'}, dev: {env: 'dev'}};

function selects(block: string, request: TestRequest, role: FilterOptions['role'] = 'match'): boolean {
  const group = buildFilterGroup(yamlObject(block));
  if (group === undefined) return false;
  const context = new RequestContext(requestOf(request));
  const result = compileFilterGroup(group, {role})(context, runOf(recordingLoader({namespaces})));
  if (role === 'match' && result) expect(compileQuickTest(group)(context)).toBe(true);
  return result;
}

const labelled = (labels: JsonObject): TestRequest => ({object: pod('web-1', {metadata: {labels}})});
const web = labelled({app: 'web', 'app.kubernetes.io/part-of': 'shop'});
const namespace = (name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {name, labels: {a: 'b'}},
});
const node: JsonObject = {apiVersion: 'v1', kind: 'Node', metadata: {name: 'n1'}};

describe('resources', () => {
  it.each<[string, string, TestRequest, boolean]>([
    ['one operation', '{kinds: [Pod], operations: [CREATE]}', web, true],
    ['another operation', '{kinds: [Pod], operations: [UPDATE, DELETE]}', web, false],
    ['any operation', '{kinds: [Pod], operations: []}', web, true],
    [
      'DELETE sees the old object',
      '{kinds: [Pod], names: [web-1], operations: [DELETE]}',
      {operation: 'DELETE', oldObject: pod('web-1')},
      true,
    ],
    [
      'UPDATE sees the new object',
      '{kinds: [Pod], selector: {matchLabels: {v: "1"}}}',
      {object: pod('p', {metadata: {labels: {v: '2'}}}), oldObject: pod('p', {metadata: {labels: {v: '1'}}})},
      false,
    ],
    ['one of several kinds', '{kinds: [Deployment, Pod]}', web, true],
    ['no such kind', '{kinds: [Deployment]}', web, false],
    ['the name', '{kinds: [Pod], name: web-1}', web, true],
    ['a name with wildcards', '{kinds: [Pod], name: "web-?"}', web, true],
    ['`?` is one character', '{kinds: [Pod], name: "web-1?"}', web, false],
    ['one of several names', '{kinds: [Pod], names: [db, "w*"]}', web, true],
    ['none of several names', '{kinds: [Pod], names: [db, "x*"]}', web, false],
    [
      'generateName where there is no name',
      '{kinds: [Pod], names: ["job-*"]}',
      {object: {...pod(''), metadata: {generateName: 'job-', namespace: 'default'}}},
      true,
    ],
    [
      'the name of the request where the body has none',
      '{kinds: [Pod/exec], names: [web-1]}',
      {
        object: {kind: 'PodExecOptions', apiVersion: 'v1'},
        kind: {group: '', version: 'v1', kind: 'Pod'},
        subResource: 'exec',
        name: 'web-1',
        operation: 'CONNECT',
      },
      true,
    ],
    ['the namespace', '{kinds: [Pod], namespaces: [default]}', web, true],
    ['a namespace with wildcards', '{kinds: [Pod], namespaces: [kube-*, def*]}', web, true],
    ['another namespace', '{kinds: [Pod], namespaces: [kube-*]}', web, false],
    [
      'a Namespace by its own name',
      '{kinds: [Namespace], namespaces: ["team-*"]}',
      {object: namespace('team-a')},
      true,
    ],
    ['a Namespace of another name', '{kinds: [Namespace], namespaces: ["team-*"]}', {object: namespace('x')}, false],
    ['no namespace of a cluster-scoped object', '{kinds: [Node], namespaces: ["?*"]}', {object: node}, false],
    [
      'an annotation',
      '{kinds: [Pod], annotations: {a: b}}',
      {object: pod('p', {metadata: {annotations: {a: 'b', c: 'd'}}})},
      true,
    ],
    [
      'an annotation with wildcards on both sides',
      '{kinds: [Pod], annotations: {"a*": "?"}}',
      {object: pod('p', {metadata: {annotations: {abc: 'b'}}})},
      true,
    ],
    [
      'each annotation',
      '{kinds: [Pod], annotations: {a: b, c: e}}',
      {object: pod('p', {metadata: {annotations: {a: 'b', c: 'd'}}})},
      false,
    ],
    ['no annotations', '{kinds: [Pod], annotations: {"*": "*"}}', web, false],
    ['labels', '{kinds: [Pod], selector: {matchLabels: {app: web}}}', web, true],
    ['labels with wildcards', '{kinds: [Pod], selector: {matchLabels: {"app*/part-of": "s*"}}}', web, true],
    ['labels without any label', '{kinds: [Pod], selector: {matchLabels: {"*": "*"}}}', labelled({}), false],
    ['each label', '{kinds: [Pod], selector: {matchLabels: {app: web, tier: x}}}', web, false],
    [
      'label expressions',
      '{kinds: [Pod], selector: {matchExpressions: [{key: app, operator: In, values: [a, web]}, {key: x, operator: DoesNotExist}]}}',
      web,
      true,
    ],
    [
      'label expressions that do not hold',
      '{kinds: [Pod], selector: {matchExpressions: [{key: app, operator: NotIn, values: [web]}]}}',
      web,
      false,
    ],
    [
      'an invalid selector',
      '{kinds: [Pod], selector: {matchExpressions: [{key: app, operator: In, values: []}]}}',
      web,
      false,
    ],
    ['a label that is no text', '{kinds: [Pod], selector: {matchLabels: {app: "1"}}}', labelled({app: 1}), false],
    ['labels of the namespace', '{kinds: [Pod], namespaceSelector: {matchLabels: {env: prod}}}', web, true],
    [
      'labels of the namespace with wildcards',
      '{kinds: [Pod], namespaceSelector: {matchLabels: {"e*": "p?od"}}}',
      web,
      true,
    ],
    ['other labels of the namespace', '{kinds: [Pod], namespaceSelector: {matchLabels: {env: dev}}}', web, false],
    [
      'labels of a namespace that is not there',
      '{kinds: [Pod], namespaceSelector: {matchExpressions: [{key: env, operator: DoesNotExist}]}}',
      {object: pod('p', {metadata: {namespace: 'none'}})},
      true,
    ],
    [
      'never a Namespace by namespaceSelector',
      '{kinds: [Namespace], namespaceSelector: {matchExpressions: [{key: zz, operator: DoesNotExist}]}}',
      {object: namespace('default')},
      false,
    ],
    [
      'a cluster-scoped object has no labels of a namespace',
      '{kinds: [Node], namespaceSelector: {matchLabels: {env: prod}}}',
      {object: node},
      false,
    ],
    [
      'a cluster-scoped object by the absence of labels',
      '{kinds: [Node], namespaceSelector: {matchExpressions: [{key: env, operator: NotIn, values: [prod]}]}}',
      {object: node},
      true,
    ],
    [
      'all fields of one filter',
      '{kinds: [Pod], names: ["web*"], namespaces: [default], selector: {matchLabels: {app: web}}, operations: [CREATE]}',
      web,
      true,
    ],
    [
      'but one field of one filter',
      '{kinds: [Pod], names: ["web*"], namespaces: [other], selector: {matchLabels: {app: web}}}',
      web,
      false,
    ],
    [
      'a subresource of a workload',
      '{kinds: [Deployment/scale]}',
      {
        object: {kind: 'Scale', apiVersion: 'autoscaling/v1'},
        kind: {group: 'apps', version: 'v1', kind: 'Deployment'},
        subResource: 'scale',
        name: 'd',
      },
      true,
    ],
    ['a Pod rule takes ephemeral containers', '{kinds: [Pod]}', {...web, subResource: 'ephemeralcontainers'}, true],
  ])('%s', (_title, resources, request, want) => {
    expect(selects(`{any: [{resources: ${resources}}]}`, request)).toBe(want);
    expect(selects(`{all: [{resources: ${resources}}]}`, request)).toBe(want);
    expect(selects(`{resources: ${resources}}`, request)).toBe(want);
  });
});

const account = {
  username: 'system:serviceaccount:team:robot',
  groups: ['system:serviceaccounts'],
  roles: ['team:edit'],
  clusterRoles: ['view'],
};

describe('users', () => {
  it.each<[string, string, boolean]>([
    ['a role', 'roles: [other:x, team:edit]', true],
    ['another role', 'roles: [team:ed*]', false],
    ['a cluster role', 'clusterRoles: [view]', true],
    ['another cluster role', 'clusterRoles: [vie*]', false],
    ['a user', 'subjects: [{kind: User, name: "system:serviceaccount:*"}]', true],
    ['another user', 'subjects: [{kind: User, name: robot}]', false],
    ['a group', 'subjects: [{kind: Group, name: "system:*"}]', true],
    ['a service account', 'subjects: [{kind: ServiceAccount, namespace: team, name: "ro*"}]', true],
    [
      'a service account of another namespace',
      'subjects: [{kind: ServiceAccount, namespace: other, name: robot}]',
      false,
    ],
    ['one of several subjects', 'subjects: [{kind: User, name: x}, {kind: Group, name: "*"}]', true],
    ['an unknown kind of subject', 'subjects: [{kind: Robot, name: "*"}]', false],
    [
      'all kinds of user criteria together',
      'roles: [team:edit], clusterRoles: [view], subjects: [{kind: Group, name: "*"}]',
      true,
    ],
    ['one of them missing', 'roles: [team:edit], clusterRoles: [admin], subjects: [{kind: Group, name: "*"}]', false],
  ])('%s', (_title, criteria, want) => {
    const block = `{any: [{resources: {kinds: [Pod]}, ${criteria}}]}`;
    expect(selects(block, {...web, user: account})).toBe(want);
    expect(selects(block, {...web, user: account}, 'exclude')).toBe(want);
    expect(selects(block, {...web, user: account}, 'exception')).toBe(want);
  });

  it.each<[string, FilterOptions['role'], string, boolean]>([
    ['match leaves them out', 'match', '{resources: {kinds: [Pod]}, subjects: [{kind: User, name: bob}]}', true],
    ['match with nothing else selects nothing', 'match', '{subjects: [{kind: User, name: bob}]}', false],
    [
      'exclude compares them with nobody',
      'exclude',
      '{resources: {kinds: [Pod]}, subjects: [{kind: User, name: bob}]}',
      false,
    ],
    [
      'exclude of everyone excludes',
      'exclude',
      '{resources: {kinds: [Pod]}, subjects: [{kind: User, name: "*"}]}',
      true,
    ],
    ['exclude by role does not', 'exclude', '{clusterRoles: [cluster-admin]}', false],
    [
      'an exception compares them with nobody',
      'exception',
      '{resources: {kinds: [Pod]}, subjects: [{kind: User, name: bob}]}',
      false,
    ],
  ])('when nobody asks, %s', (_title, role, filter, want) => {
    expect(selects(`{any: [${filter}]}`, {...web, user: null}, role)).toBe(want);
  });
});

describe('several filters', () => {
  const yes = '{resources: {kinds: [Pod]}}';
  const no = '{resources: {kinds: [Service]}}';
  it.each<[string, string, boolean]>([
    ['any: one is enough', `{any: [${no}, ${yes}]}`, true],
    ['any: none', `{any: [${no}, ${no}]}`, false],
    ['all: each', `{all: [${yes}, ${yes}]}`, true],
    ['all: but one', `{all: [${yes}, ${no}]}`, false],
    ['an empty filter selects nothing', '{any: [{resources: {}}]}', false],
    ['an empty filter beside another', `{all: [${yes}, {resources: {}}]}`, false],
  ])('%s', (_title, block, want) => {
    expect(selects(block, web)).toBe(want);
    expect(selects(block, web, 'exclude')).toBe(want);
  });
});

describe('exceptions', () => {
  it('do not look at operations', () => {
    expect(selects('{any: [{resources: {kinds: [Pod], operations: [DELETE]}}]}', web, 'exception')).toBe(true);
    expect(selects('{any: [{resources: {operations: [CREATE]}}]}', web, 'exception')).toBe(false);
  });

  it('do not look at namespaceSelector for a Namespace', () => {
    expect(
      selects(
        '{any: [{resources: {kinds: [Namespace], namespaceSelector: {matchLabels: {x: z}}}}]}',
        {object: namespace('a')},
        'exception',
      ),
    ).toBe(true);
  });
});

describe('labels of the namespace', () => {
  const group = buildFilterGroup(
    yamlObject('{any: [{resources: {kinds: [Pod], namespaceSelector: {matchLabels: {env: prod}}}}]}'),
  )!;

  it('that cannot be read are an error, never "no match"', () => {
    const loader = recordingLoader({namespaces: {default: new EvalError('HTTP 500')}});
    const context = new RequestContext(requestOf(web));
    for (const role of ['match', 'exclude', 'exception'] as const) {
      expect(() => compileFilterGroup(group, {role})(context, runOf(loader))).toThrow(
        'failed to get labels of namespace default: HTTP 500',
      );
    }
  });

  it('are not asked for when another criterion fails', () => {
    const loader = recordingLoader({namespaces});
    const context = new RequestContext(requestOf({object: node}));
    expect(compileFilterGroup(group, {role: 'match'})(context, runOf(loader))).toBe(false);
    expect(loader.calls).toEqual([]);
  });
});
