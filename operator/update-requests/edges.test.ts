import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {answer} from '../../adapters/kube/testing/api-server.js';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {type BackgroundWorld, configMap, createBackgroundWorld, namespaceObject} from './testing/background-world.js';

let world: BackgroundWorld;
beforeEach(async () => {
  world = await createBackgroundWorld();
});
afterEach(() => world.close());

const namespaces = 'api/v1/namespaces';
const configMaps = 'api/v1/configmaps';
const updateRequests = 'apis/kyverno.io/v2/updaterequests';

const generating = (generate: string, {match = 'kinds: [Namespace]', more = '', annotations = '{}'} = {}) => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p, annotations: ${annotations}}
spec:
  rules:
    - name: r
      match: {any: [{resources: {${match}}}]}
      ${more}
      generate: ${generate}
`;
const made = (more: string, data = '{level: info}') => `{apiVersion: v1, kind: ConfigMap, name: made, namespace: "{{ request.object.metadata.name }}", ${more} data: {data: ${data}}}`;

function conditions(): JsonObject[] {
  const policy = world.get('apis/kyverno.io/v1/clusterpolicies', 'p');
  const found = ownPath(policy, 'status', 'conditions');
  return (Array.isArray(found) ? found : []) as JsonObject[];
}

function failed(): JsonObject[] {
  return world.requests().filter(object => ownPath(object, 'status', 'state') === 'Failed');
}

describe('what others own', () => {
  it('is not taken over: a condition says whose it is', async () => {
    world.policy(generating(made('synchronize: true,')));
    world.server.put(configMaps, configMap('shop', 'made', {level: 'mine'}));
    await world.create(namespaces, namespaceObject('shop'));
    await world.settled();
    expect(ownPath(world.get(configMaps, 'shop/made'), 'data')).toEqual({level: 'mine'});
    expect(conditions()).toMatchObject([{type: 'Background-ForeignObject-r', message: expect.stringContaining('kubectl')}]);
    expect(failed()).toMatchObject([{status: {message: expect.stringContaining('ConfigMap shop/made has fields of another manager')}}]);
    expect(world.events.filter(({reason}) => reason === 'PolicyError')).toHaveLength(1);
  });

  it('is added to where nobody minds, and given back at the end', async () => {
    world.policy(generating(made('synchronize: true,')));
    world.server.put(configMaps, configMap('shop', 'made', {other: 'mine'}));
    await world.create(namespaces, namespaceObject('shop'));
    await world.settled();
    expect(ownPath(world.get(configMaps, 'shop/made'), 'data')).toEqual({other: 'mine', level: 'info'});
    await world.remove(namespaces, 'shop');
    await world.settled();
    expect(ownPath(world.get(configMaps, 'shop/made'), 'data')).toEqual({other: 'mine'});
  });
});

describe('a trigger whose fields a rule cannot do without', () => {
  it('is told by one Event; the policy stays as it is for the others', async () => {
    world.policy(generating(made('synchronize: true,', '{level: "{{ to_upper(request.object.data.level) }}"}').replace('request.object.metadata.name', 'request.namespace'), {match: 'kinds: [ConfigMap], names: ["from-*"]'}));
    await world.create(configMaps, configMap('shop', 'from-nothing', {}));
    await world.create(configMaps, configMap('other', 'from-something', {level: 'info'}));
    const errors = () => world.events.filter(({reason}) => reason === 'PolicyError');
    await eventually(() => world.get(configMaps, 'other/made') !== undefined && errors().length > 0);
    expect(errors()).toHaveLength(1);
    expect(conditions()).toEqual([]);
  });
});

describe('an update that leads to a mutation of another object', () => {
  it('shows the version that it replaced, as the review did', async () => {
    world.policy(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
    - name: r
      match: {any: [{resources: {kinds: [ConfigMap], names: [trigger]}}]}
      mutate:
        targets: [{apiVersion: v1, kind: ConfigMap, name: target, namespace: shop}]
        patchStrategicMerge: {data: {seen: "{{ request.object.metadata.resourceVersion }}"}}
`);
    world.server.put(configMaps, configMap('shop', 'target', {}));
    await world.create(configMaps, configMap('shop', 'trigger', {a: 'b'}));
    await world.settled();
    const before = ownPath(world.get(configMaps, 'shop/trigger'), 'metadata', 'resourceVersion');
    await world.update(configMaps, configMap('shop', 'trigger', {a: 'c'}));
    await world.settled();
    expect(ownPath(world.get(configMaps, 'shop/target'), 'data', 'seen')).toBe(before);
  });
});

describe('a right that is missing', () => {
  it('costs one condition and one Event, however many triggers wait; they go on when it is granted', async () => {
    let granted = false;
    world.server.intercept = ({method, path}, response) => {
      if (path.endsWith('/selfsubjectaccessreviews')) return answer(response, {status: {allowed: granted}}, 201);
      if (granted || !['PATCH', 'POST'].includes(method) || !path.includes('/configmaps')) return false;
      const verb = method === 'PATCH' ? 'patch' : 'create';
      return answer(response, {kind: 'Status', code: 403, reason: 'Forbidden', message: `configmaps "made" is forbidden: User "u" cannot ${verb} resource "configmaps" in API group ""`}, 403);
    };
    world.policy(generating(made('synchronize: true,')));
    for (const name of ['a', 'b', 'c', 'd']) await world.create(namespaces, namespaceObject(name));
    await eventually(() => conditions().length > 0);
    expect(conditions()).toMatchObject([{type: 'Background-MissingRight-r-create-configmaps', reason: 'Forbidden', message: expect.stringContaining('resources: ["configmaps"]')}]);
    expect(world.events.filter(({reason}) => reason === 'PolicyError')).toHaveLength(1);
    const tries = () => world.writes().filter(write => write.includes('/configmaps')).length;
    const before = tries();
    await new Promise(resolve => setTimeout(resolve, 1_000));
    expect(tries()).toBe(before);
    expect(world.requests()).toHaveLength(4);
    granted = true;
    await world.settled();
    for (const name of ['a', 'b', 'c', 'd']) expect(world.get(configMaps, `${name}/made`)).toBeDefined();
    await eventually(() => conditions().length === 0);
    expect(world.requests()).toEqual([]);
  });
});

describe('a condition on a right', () => {
  let granted = false;
  beforeEach(() => {
    granted = false;
    world.server.intercept = ({method, path}, response) => {
      if (path.endsWith('/selfsubjectaccessreviews')) return answer(response, {status: {allowed: granted}}, 201);
      if (granted || method === 'GET' || !path.includes('/configmaps')) return false;
      return answer(response, {kind: 'Status', code: 403, reason: 'Forbidden', message: `configmaps is forbidden: User "u" cannot ${method === 'PUT' ? 'update' : 'create'} resource "configmaps" in API group ""`}, 403);
    };
  });

  it('goes with the rule that it names', async () => {
    world.policy(generating(made('synchronize: true,')));
    await world.create(namespaces, namespaceObject('shop'));
    await eventually(() => conditions().length > 0);
    world.policy(generating(made('synchronize: true,')).replace('name: r', 'name: renamed').replace('kinds: [Namespace]', 'kinds: [Service]'), {generation: 2});
    await world.settled();
    expect(conditions()).toEqual([]);
  });

  it('goes with the trigger of a mutation when that is gone and the right is there', async () => {
    world.server.put(configMaps, configMap('shop', 'a', {}));
    world.policy(generating('{}').replace('generate: {}', 'mutate: {targets: [{apiVersion: v1, kind: ConfigMap, namespace: shop, name: a}], patchStrategicMerge: {data: {x: y}}}'));
    await world.create(namespaces, namespaceObject('other'));
    await eventually(() => conditions().length > 0);
    world.server.remove(namespaces, 'other');
    granted = true;
    await eventually(() => conditions().length === 0);
  });
});

describe('a field that cannot be changed', () => {
  function refuseChange(): void {
    world.server.intercept = ({method, path}, response) => {
      if (method !== 'PATCH' || !path.endsWith('/configmaps/made') || world.get(configMaps, 'shop/made') === undefined) return false;
      return answer(response, {kind: 'Status', code: 422, reason: 'Invalid', message: 'ConfigMap "made" is invalid: data: Forbidden: field is immutable when `immutable` is set'}, 422);
    };
  }

  it('fails by its name; the object is never made anew', async () => {
    world.policy(generating(made('synchronize: true,')));
    await world.create(namespaces, namespaceObject('shop'));
    await world.settled();
    refuseChange();
    world.policy(generating(made('synchronize: true,', '{level: warn}')), {generation: 2});
    await eventually(() => conditions().length > 0);
    expect(conditions()).toMatchObject([{type: 'Background-ImmutableField-r', message: expect.stringContaining('immutable field data would change')}]);
    expect(ownPath(world.get(configMaps, 'shop/made'), 'data')).toEqual({level: 'info'});
  });

  it('is changed with the whole object where the policy says so', async () => {
    const annotations = '{generate.kyverno.io/recreate: "true"}';
    world.policy(generating(made('synchronize: true,'), {annotations}));
    await world.create(namespaces, namespaceObject('shop'));
    await world.settled();
    refuseChange();
    world.policy(generating(made('synchronize: true,', '{level: warn}'), {annotations}), {generation: 2});
    await world.settled();
    expect(ownPath(world.get(configMaps, 'shop/made'), 'data')).toEqual({level: 'warn'});
  });
});

describe('a deletion', () => {
  it('makes something where the rule asks for it, of what the rule reads and no more', async () => {
    const generate = '{apiVersion: v1, kind: ConfigMap, name: "gone-{{ request.oldObject.metadata.name }}", namespace: log, data: {data: {level: "{{ request.oldObject.data.level }}"}}}';
    world.policy(generating(generate, {match: 'kinds: [ConfigMap], namespaces: [shop], operations: [DELETE]'}));
    world.server.put(configMaps, configMap('shop', 'a', {level: 'x', secret: 'y'}));
    world.lead(false);
    await world.remove(configMaps, 'shop/a');
    expect(JSON.stringify(world.requests())).toContain('"level":"x"');
    expect(JSON.stringify(world.requests())).not.toContain('"secret"');
    world.lead(true);
    await world.settled();
    expect(world.get(configMaps, 'log/gone-a')).toMatchObject({data: {level: 'x'}});
  });
});

describe('an update request', () => {
  it('is one for repeats; they only move it', async () => {
    world.lead(false);
    world.policy(generating(made('')));
    await world.create(namespaces, namespaceObject('shop'));
    await world.update(namespaces, namespaceObject('shop', {x: 'y'}));
    await world.update(namespaces, namespaceObject('shop', {x: 'z'}));
    const [only, ...more] = world.requests();
    expect(more).toEqual([]);
    expect(ownPath(only, 'metadata', 'annotations', 'updaterequest.kyverno.io/repeats')).toMatch(/^\d+ request-/);
    expect(ownPath(only, 'spec', 'context', 'admissionRequestInfo', 'admissionRequest', 'object')).toBeUndefined();
    world.lead(true);
    await world.settled();
    expect(world.get(configMaps, 'shop/made')).toBeDefined();
    expect(world.requests()).toEqual([]);
  });

  it('may come from a user, in the shape of the peer', async () => {
    world.policy(generating(made('')));
    world.server.put(namespaces, namespaceObject('shop'));
    world.server.put(updateRequests, {
      apiVersion: 'kyverno.io/v2',
      kind: 'UpdateRequest',
      metadata: {name: 'ur-mine', namespace: 'kyverno'},
      spec: {requestType: 'generate', policy: 'p', ruleContext: [{rule: 'r', trigger: {apiVersion: 'v1', kind: 'Namespace', name: 'shop'}}]},
    });
    await world.settled();
    expect(world.get(configMaps, 'shop/made')).toBeDefined();
    expect(world.requests()).toEqual([]);
  });

  it('says why it failed, and is kept', async () => {
    world.server.put(updateRequests, {
      apiVersion: 'kyverno.io/v2',
      kind: 'UpdateRequest',
      metadata: {name: 'ur-odd', namespace: 'kyverno'},
      spec: {requestType: 'paint', policy: 'p'},
    });
    await eventually(() => failed().length > 0);
    expect(failed()).toMatchObject([{status: {state: 'Failed', message: expect.stringContaining('requestType "paint"')}}]);
  });
});

describe('several triggers of one object', () => {
  const shared = '{apiVersion: v1, kind: ConfigMap, name: shared, namespace: log, synchronize: true, data: {data: {a: b}}}';

  it('keep it until the last of them goes', async () => {
    world.policy(generating(shared));
    await world.create(namespaces, namespaceObject('a'));
    await world.create(namespaces, namespaceObject('b'));
    await world.settled();
    await world.remove(namespaces, 'a');
    await world.settled();
    expect(world.get(configMaps, 'log/shared')).toBeDefined();
    await world.remove(namespaces, 'b');
    await world.settled();
    expect(world.get(configMaps, 'log/shared')).toBeUndefined();
  });
});

describe('a chain that feeds itself', () => {
  it('ends, and says so', async () => {
    const generate = '{apiVersion: v1, kind: ConfigMap, name: "{{ request.object.metadata.name }}x", namespace: loop, synchronize: true, generateExisting: true, data: {data: {a: b}}}';
    world.policy(generating(generate, {match: 'kinds: [ConfigMap], namespaces: [loop]', more: 'skipBackgroundRequests: false'}));
    await world.create(configMaps, configMap('loop', 'c', {}));
    await eventually(() => conditions().length > 0);
    expect(conditions()).toMatchObject([{type: 'Background-ChainTooLong-r'}]);
    expect(world.server.objects(configMaps)).toHaveLength(9);
  });
});

describe('a copy of the trigger into all namespaces', () => {
  it('reaches those that are there, new ones, and follows the trigger', async () => {
    for (const name of ['team-a', 'kube-system', 'kyverno', 'base']) world.server.put(namespaces, namespaceObject(name));
    const generate = '{kind: ConfigMap, name: "{{request.object.metadata.name}}", namespace: "{{request.object.metadata.namespace}}", data: "{{request.object.data}}"}';
    world.policy(generating(generate, {match: 'kinds: [ConfigMap], selector: {matchLabels: {part: shared}}'}));
    await world.create(configMaps, configMap('base', 'conf', {v: '1'}, {part: 'shared'}));
    await world.settled();
    const places = () => world.server.objects(configMaps).map(object => String(ownPath(object, 'metadata', 'namespace'))).sort();
    expect(places()).toEqual(['base', 'team-a']);
    await world.create(namespaces, namespaceObject('team-b'));
    await world.settled();
    expect(places()).toEqual(['base', 'team-a', 'team-b']);
    await world.update(configMaps, configMap('base', 'conf', {v: '2'}, {part: 'shared'}));
    await world.settled();
    expect(world.get(configMaps, 'team-b/conf')).toMatchObject({data: {v: '2'}});
    expect(ownPath(world.get(configMaps, 'team-b/conf'), 'metadata', 'labels', 'part')).toBeUndefined();
  });
});
