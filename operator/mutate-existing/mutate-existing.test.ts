import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {answer, fail} from '../../adapters/kube/testing/api-server.js';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {type BackgroundWorld, configMap, createBackgroundWorld, namespaceObject} from '../update-requests/testing/background-world.js';

let world: BackgroundWorld;
beforeEach(async () => {
  world = await createBackgroundWorld();
});
afterEach(() => world.close());

const namespaces = 'api/v1/namespaces';
const configMaps = 'api/v1/configmaps';

const mutating = (mutate: string, {match = 'kinds: [Namespace]', more = ''} = {}) => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
    - name: r
      match: {any: [{resources: {${match}}}]}
      ${more}
      mutate: ${mutate}
`;
const target = 'targets: [{apiVersion: v1, kind: ConfigMap, namespace: "{{ request.object.metadata.name }}", name: "*"';
const mark = 'patchStrategicMerge: {metadata: {labels: {by: "{{ request.operation }}"}}}';

const labelOf = (key: string) => ownPath(world.get(configMaps, key), 'metadata', 'labels', 'by');

describe('existing objects', () => {
  it('are changed by what a request triggers: those that the rule names, and no others', async () => {
    for (const [namespace, name] of [['shop', 'a'], ['shop', 'b'], ['other', 'c']] as const) world.server.put(configMaps, configMap(namespace, name, {}));
    world.policy(mutating(`{${target}}], ${mark}}`));
    await world.create(namespaces, namespaceObject('shop'));
    await world.settled();
    expect([labelOf('shop/a'), labelOf('shop/b'), labelOf('other/c')]).toEqual(['CREATE', 'CREATE', undefined]);
    expect(world.writes().filter(write => write.startsWith('PUT'))).toHaveLength(2);
  });

  it('are chosen by selector, and by preconditions with their own context', async () => {
    world.server.put(configMaps, configMap('shop', 'a', {level: 'x'}, {pick: 'yes'}));
    world.server.put(configMaps, configMap('shop', 'b', {level: 'y'}, {pick: 'yes'}));
    world.server.put(configMaps, configMap('shop', 'c', {level: 'x'}));
    const chosen = `${target}, selector: {matchLabels: {pick: "yes"}}, context: [{name: level, variable: {jmesPath: target.data.level}}], preconditions: {all: [{key: "{{ level }}", operator: Equals, value: x}]}}]`;
    world.policy(mutating(`{${chosen}, ${mark}}`));
    await world.create(namespaces, namespaceObject('shop'));
    await world.settled();
    expect([labelOf('shop/a'), labelOf('shop/b'), labelOf('shop/c')]).toEqual(['CREATE', undefined, undefined]);
  });

  it('are not written again when nothing would change', async () => {
    world.server.put(configMaps, configMap('shop', 'a', {}));
    world.policy(mutating(`{${target}}], patchStrategicMerge: {metadata: {labels: {by: us}}}}`));
    await world.create(namespaces, namespaceObject('shop'));
    await world.settled();
    const before = world.writes().length;
    await world.update(namespaces, namespaceObject('shop', {x: 'y'}));
    await world.settled();
    expect(world.writes().slice(before).filter(write => write.startsWith('PUT'))).toEqual([]);
  });

  it('follow a deletion that the rule asks for', async () => {
    world.server.put(configMaps, configMap('log', 'a', {}));
    world.policy(mutating('{targets: [{apiVersion: v1, kind: ConfigMap, namespace: log, name: a}], patchStrategicMerge: {data: {gone: "{{ request.oldObject.metadata.name }}"}}}', {match: 'kinds: [Namespace], operations: [DELETE]'}));
    await world.create(namespaces, namespaceObject('shop'));
    await world.settled();
    expect(ownPath(world.get(configMaps, 'log/a'), 'data')).toEqual({});
    await world.remove(namespaces, 'shop');
    await world.settled();
    expect(ownPath(world.get(configMaps, 'log/a'), 'data')).toEqual({gone: 'shop'});
  });

  it('are looked at when the policy comes, where it says so', async () => {
    world.server.put(namespaces, namespaceObject('shop'));
    world.server.put(configMaps, configMap('shop', 'a', {}));
    world.policy(mutating(`{mutateExistingOnPolicyUpdate: true, ${target}}], patchStrategicMerge: {metadata: {labels: {by: policy}}}}`));
    await world.settled();
    expect(labelOf('shop/a')).toBe('policy');
    expect(world.requests()).toEqual([]);
  });

  it('are judged by the trigger as the request leaves it, however late that is stored', async () => {
    world.server.put(configMaps, configMap('shop', 'a', {}));
    const stored = await world.create(namespaces, namespaceObject('shop', {keep: 'out'}));
    world.policy(mutating(`{${target}}], ${mark}}`, {more: 'exclude: {any: [{resources: {kinds: [Namespace], selector: {matchLabels: {keep: out}}}}]}'}));
    const {labels: _labels, ...metadata} = ownPath(stored, 'metadata') as JsonObject;
    await world.admit({...stored, metadata}, 'UPDATE');
    await new Promise(resolve => setTimeout(resolve, 300));
    expect(world.requests()).toHaveLength(1);
    world.server.put(namespaces, namespaceObject('shop'));
    await world.settled();
    expect(labelOf('shop/a')).toBe('UPDATE');
  });

  it('that change in between are changed as they are then', async () => {
    world.server.put(configMaps, configMap('shop', 'a', {}));
    let raced = false;
    world.server.intercept = ({method, path}) => {
      if (method !== 'PUT' || raced || !path.endsWith('/configmaps/a')) return false;
      raced = true;
      world.server.put(configMaps, configMap('shop', 'a', {mine: 'yes'}));
      return false;
    };
    world.policy(mutating(`{${target}}], ${mark}}`));
    await world.create(namespaces, namespaceObject('shop'));
    await world.settled();
    expect(world.get(configMaps, 'shop/a')).toMatchObject({data: {mine: 'yes'} as JsonObject});
    expect(labelOf('shop/a')).toBe('CREATE');
  });
});

describe('targets that may not be read', () => {
  it('are told once, by the right to grant, and changed as soon as it is there', async () => {
    let granted = false;
    world.server.intercept = ({method, path}, response) => {
      if (path.endsWith('/selfsubjectaccessreviews')) return answer(response, {status: {allowed: granted}}, 201);
      return !granted && method === 'GET' && path.endsWith('/namespaces/shop/configmaps') && fail(response, {code: 403, reason: 'Forbidden'});
    };
    world.server.put(configMaps, configMap('shop', 'a', {}));
    world.policy(mutating(`{${target}}], ${mark}}`));
    await world.create(namespaces, namespaceObject('shop'));
    const conditions = () => (ownPath(world.get('apis/kyverno.io/v1/clusterpolicies', 'p'), 'status', 'conditions') ?? []) as JsonObject[];
    await eventually(() => conditions().length > 0);
    expect(conditions()).toMatchObject([{type: 'Background-MissingRight-r-list-configmaps', reason: 'Forbidden', message: expect.stringContaining('apiGroups: [""], resources: ["configmaps"]')}]);
    expect(world.events.filter(({reason}) => reason === 'PolicyError')).toHaveLength(1);
    expect(world.requests()).toHaveLength(1);
    granted = true;
    await world.settled();
    expect(labelOf('shop/a')).toBe('CREATE');
    await eventually(() => conditions().length === 0);
    expect(world.requests()).toEqual([]);
  });

  it('by an expression are told by their group, too', async () => {
    world.server.intercept = ({path}, response) => path.endsWith('/namespaces/shop/deployments') && fail(response, {code: 403, reason: 'Forbidden'});
    world.celPolicy(`
apiVersion: policies.kyverno.io/v1beta1
kind: MutatingPolicy
metadata: {name: c}
spec:
  evaluation: {mutateExisting: {enabled: true}}
  matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [namespaces], operations: [CREATE]}]}
  targetMatchConstraints: {expression: "resource.List('apps/v1', 'deployments', object.metadata.name)"}
  mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'by': 'us'}}}"}}]
`);
    await world.create(namespaces, namespaceObject('shop'));
    await eventually(() => world.events.length > 0);
    expect(world.events.map(({note}) => note)).toEqual([expect.stringContaining('apiGroups: ["apps"], resources: ["deployments"]')]);
  });
});
