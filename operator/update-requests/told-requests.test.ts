import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {type BackgroundWorld, configMap, createBackgroundWorld} from './testing/background-world.js';

let world: BackgroundWorld;
beforeEach(async () => {
  world = await createBackgroundWorld();
});
afterEach(() => world.close());

const configMaps = 'api/v1/configmaps';
const secrets = 'api/v1/secrets';

const generating = (match: string, generate: string) => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
    - name: r
      match: {any: [{resources: {${match}}}]}
      generate: ${generate}
`;

const secret = (data: JsonObject): JsonObject => ({apiVersion: 'v1', kind: 'Secret', metadata: {namespace: 'shop', name: 'key', labels: {kind: 'door'}}, data});
const listed = '{apiVersion: v1, kind: ConfigMap, name: "{{ request.name }}-gone", namespace: log, data: {data: {was: "{{ request.oldObject.data.code | base64_decode(@) }}"}}}';
const copied = '{apiVersion: v1, kind: ConfigMap, name: "{{ request.name }}-gone", namespace: log, data: {data: {was: "{{ request.oldObject.metadata.labels.kind }}"}}}';

describe('a request on a part of an object', () => {
  const evicting = (variables: string) => generating('kinds: [Pod/eviction]', `{apiVersion: v1, kind: ConfigMap, name: "evicted-{{ request.name }}${variables}", namespace: "{{ request.namespace }}", data: {data: {of: "{{ request.object.metadata.name }}"}}}`);
  const evict = (uid: string, name = 'web') => world.part({resource: 'pods', subResource: 'eviction', namespace: 'shop', name, uid}, {apiVersion: 'policy/v1', kind: 'Eviction', metadata: {name, namespace: 'shop'}});

  it('leads to work that needs no object to be read', async () => {
    world.policy(evicting(''));
    await evict('e-1');
    await world.settled();
    expect(world.get(configMaps, 'shop/evicted-web')).toMatchObject({
      data: {of: 'web'},
      metadata: {labels: {'generate.kyverno.io/trigger-kind': 'Eviction', 'generate.kyverno.io/trigger-group': 'policy', 'generate.kyverno.io/trigger-version': 'v1'}},
    });
    expect(world.requests()).toEqual([]);
  });

  it('is work of its own each time', async () => {
    world.lead(false);
    world.policy(evicting(''));
    await evict('e-1');
    await evict('e-2');
    expect(world.requests()).toHaveLength(2);
  });

  it('changes existing objects just so', async () => {
    world.server.put(configMaps, configMap('shop', 'count', {}));
    world.policy(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
    - name: r
      match: {any: [{resources: {kinds: [Pod/eviction]}}]}
      mutate: {targets: [{apiVersion: v1, kind: ConfigMap, namespace: "{{ request.namespace }}", name: count}], patchStrategicMerge: {data: {last: "{{ request.name }}"}}}
`);
    await evict('e-1');
    await world.settled();
    expect(world.get(configMaps, 'shop/count')).toMatchObject({data: {last: 'web'}});
  });

  it('tells of a status: whom a Pod that restarts belongs to is looked up, and marked', async () => {
    world.server.put('apis/apps/v1/replicasets', {apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: {namespace: 'shop', name: 'web-1', ownerReferences: [{apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'd'}]}});
    world.server.put('apis/apps/v1/deployments', {apiVersion: 'apps/v1', kind: 'Deployment', metadata: {namespace: 'shop', name: 'web'}, spec: {replicas: 1}});
    world.policy(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
    - name: r
      match: {any: [{resources: {kinds: [v1/Pod.status]}}]}
      preconditions:
        all:
          - {key: "{{ request.operation }}", operator: Equals, value: UPDATE}
          - {key: "{{ sum(request.object.status.containerStatuses[*].restartCount || [\`0\`]) }}", operator: GreaterThan, value: 1}
      context:
        - {name: set, variable: {jmesPath: "request.object.metadata.ownerReferences[0].name", default: ""}}
        - name: owner
          apiCall: {urlPath: "/apis/apps/v1/namespaces/{{ request.namespace }}/replicasets", jmesPath: "items[?metadata.name == '{{ set }}'].metadata.ownerReferences[0].name | [0]"}
      mutate:
        targets: [{apiVersion: apps/v1, kind: Deployment, namespace: "{{ request.namespace }}", name: "{{ owner }}"}]
        patchStrategicMerge: {metadata: {annotations: {restarts: often}}, spec: {replicas: 0}}
`);
    const pod = (restarts: number): JsonObject => ({apiVersion: 'v1', kind: 'Pod', metadata: {namespace: 'shop', name: 'web-1-a', ownerReferences: [{apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 's'}]}, status: {containerStatuses: [{name: 'web', restartCount: restarts}]}});
    const status = {resource: 'pods', subResource: 'status', namespace: 'shop', name: 'web-1-a', operation: 'UPDATE'} as const;
    await world.part({...status, uid: 's-1'}, pod(1));
    await world.settled();
    expect(world.get('apis/apps/v1/deployments', 'shop/web')).toMatchObject({spec: {replicas: 1}});
    await world.part({...status, uid: 's-2'}, pod(2));
    await world.settled();
    expect(world.get('apis/apps/v1/deployments', 'shop/web')).toMatchObject({metadata: {annotations: {restarts: 'often'}}, spec: {replicas: 0}});
  });

  it('leaves what it made when all is looked at anew', async () => {
    world.policy(evicting(''));
    await evict('e-1');
    await world.settled();
    world.lead(false);
    world.lead(true);
    await world.settled();
    expect(world.get(configMaps, 'shop/evicted-web')).toBeDefined();
  });
});

describe('a deletion', () => {
  it('that does not come about makes nothing', async () => {
    world.policy(generating('kinds: [ConfigMap], namespaces: [shop], operations: [DELETE]', '{apiVersion: v1, kind: ConfigMap, name: "gone-{{ request.oldObject.metadata.name }}", namespace: log, data: {data: {a: b}}}'));
    const stays = world.server.put(configMaps, configMap('shop', 'a', {}));
    await world.admit(stays, 'DELETE');
    await new Promise(resolve => setTimeout(resolve, 500));
    expect(world.get(configMaps, 'log/gone-a')).toBeUndefined();
    world.server.remove(configMaps, 'shop/a');
    await world.settled();
    expect(world.get(configMaps, 'log/gone-a')).toBeDefined();
  });
});

describe("a rule on a deleted Secret's data", () => {
  const match = 'kinds: [Secret], operations: [DELETE]';

  it('runs from the memory of the replica that let it go, and stores nothing of it', async () => {
    world.policy(generating(match, listed));
    world.server.put(secrets, secret({code: 'MTIzNA=='}));
    await world.remove(secrets, 'shop/key');
    await eventually(() => world.get(configMaps, 'log/key-gone') !== undefined);
    expect(world.get(configMaps, 'log/key-gone')).toMatchObject({data: {was: '1234'}});
    expect(world.writes().filter(write => write.includes('updaterequests'))).toEqual([]);
  });

  it('does so without the duty, too', async () => {
    world.lead(false);
    world.policy(generating(match, listed));
    world.server.put(secrets, secret({code: 'MTIzNA=='}));
    await world.remove(secrets, 'shop/key');
    await eventually(() => world.get(configMaps, 'log/key-gone') !== undefined);
  });

  it('is stored like others when it reads none of the data', async () => {
    world.lead(false);
    world.policy(generating(match, copied));
    world.server.put(secrets, secret({code: 'MTIzNA=='}));
    await world.remove(secrets, 'shop/key');
    expect(world.requests()).toHaveLength(1);
    expect(JSON.stringify(world.requests())).not.toContain('MTIzNA');
    world.lead(true);
    await world.settled();
    expect(world.get(configMaps, 'log/key-gone')).toMatchObject({data: {was: 'door'}});
  });

  it('is found by its annotations, while what kubectl noted of its data is stored nowhere', async () => {
    world.lead(false);
    world.policy(generating(`${match}, annotations: {"door/*": "yes"}`, copied));
    const annotations = {'door/front': 'yes', 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"code":"MTIzNA=="}}'};
    const made = secret({code: 'MTIzNA=='});
    world.server.put(secrets, {...made, metadata: {...(made['metadata'] as JsonObject), annotations}});
    await world.remove(secrets, 'shop/key');
    expect(world.requests()).toHaveLength(1);
    expect(JSON.stringify(world.requests())).not.toContain('MTIzNA');
    world.lead(true);
    await world.settled();
    expect(world.get(configMaps, 'log/key-gone')).toMatchObject({data: {was: 'door'}});
  });

  it('says so when its one run fails', async () => {
    world.policy(generating(match, listed.replace('.code', '.nothing')));
    world.server.put(secrets, secret({code: 'MTIzNA=='}));
    await world.remove(secrets, 'shop/key');
    await eventually(() => world.events.some(({note}) => note.includes('its one run from memory failed')));
  });

  it('of a policy written in CEL is the same', async () => {
    world.celPolicy(`
apiVersion: policies.kyverno.io/v1beta1
kind: GeneratingPolicy
metadata: {name: doors}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [DELETE], resources: [secrets]}]}
  variables:
    - {name: made, expression: "[{'apiVersion': dyn('v1'), 'kind': dyn('ConfigMap'), 'metadata': dyn({'name': 'key-gone', 'namespace': 'log'}), 'data': dyn({'was': string(oldObject.data.code)})}]"}
  generate:
    - {expression: "generator.Apply('log', variables.made)"}
`);
    world.server.put(secrets, secret({code: 'MTIzNA=='}));
    await world.remove(secrets, 'shop/key');
    await eventually(() => world.get(configMaps, 'log/key-gone') !== undefined);
    expect(ownPath(world.get(configMaps, 'log/key-gone'), 'data', 'was')).toBe('MTIzNA==');
    expect(world.writes().filter(write => write.includes('updaterequests'))).toEqual([]);
  });
});
