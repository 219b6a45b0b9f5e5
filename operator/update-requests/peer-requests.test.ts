import {afterEach, describe, expect, it} from 'vitest';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {type BackgroundWorld, createBackgroundWorld, namespaceObject} from './testing/background-world.js';

const requests = 'apis/kyverno.io/v2/updaterequests';
const secrets = 'api/v1/secrets';
let world: BackgroundWorld;

afterEach(() => world.close());

const copies = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: copies, uid: policy}
spec:
  rules:
    - name: key
      match: {any: [{resources: {kinds: [Namespace]}}]}
      generate: {synchronize: true, apiVersion: v1, kind: Secret, name: key, namespace: "{{request.object.metadata.name}}", data: {type: Opaque, data: {key: b2xk}}}`;

/** As the peer stores it: a cluster-scoped trigger has a uid and no name. */
function peerRequest(uid: string): JsonObject {
  return {
    apiVersion: 'kyverno.io/v2',
    kind: 'UpdateRequest',
    metadata: {name: 'ur-x', namespace: 'kyverno'},
    spec: {requestType: 'generate', policy: 'copies', rule: '', resource: {}, deleteDownstream: false, ruleContext: [{rule: 'key', deleteDownstream: false, trigger: {apiVersion: 'v1', kind: 'Namespace', uid}}], context: {admissionRequestInfo: {}, userInfo: {userInfo: {}}}},
    status: {state: 'Pending'},
  };
}

describe('a request of the peer', () => {
  it('is done although its trigger has no name', async () => {
    world = await createBackgroundWorld();
    world.policy(copies, {creationTimestamp: new Date(Date.now() + 60_000).toISOString()});
    const {metadata} = world.server.put('api/v1/namespaces', namespaceObject('shop'));
    world.server.put(requests, peerRequest(String((metadata as JsonObject)['uid'])));
    await world.settled();
    expect(world.get(secrets, 'shop/key')).toBeDefined();
    expect(world.requests()).toEqual([]);
  });

  it('waits while webhooks that nobody serves could refuse what it writes, and is not told to have failed', async () => {
    let served = false;
    world = await createBackgroundWorld({webhooksServed: () => served});
    world.policy(copies, {creationTimestamp: new Date(Date.now() + 60_000).toISOString()});
    const {metadata} = world.server.put('api/v1/namespaces', namespaceObject('shop'));
    world.server.put(requests, peerRequest(String((metadata as JsonObject)['uid'])));
    for (let turn = 0; turn < 20; turn += 1) await new Promise(resolve => setTimeout(resolve, 50));
    expect(world.get(secrets, 'shop/key')).toBeUndefined();
    expect(ownPath(world.requests()[0], 'status')).toEqual({state: 'Pending'});
    served = true;
    await eventually(() => world.requests().length === 0);
    expect(world.get(secrets, 'shop/key')).toBeDefined();
  });
});

describe('what the peer has generated', () => {
  it('is not written as long as it is as the rule wants it, and is put right when it is not', async () => {
    world = await createBackgroundWorld();
    const {metadata} = world.server.put('api/v1/namespaces', {...namespaceObject('shop'), metadata: {name: 'shop', creationTimestamp: new Date().toISOString()}});
    const uid = String((metadata as JsonObject)['uid']);
    const label = (name: string) => `generate.kyverno.io/${name}`;
    const labels = {
      'app.kubernetes.io/managed-by': 'kyverno',
      [label('policy-name')]: 'copies',
      [label('policy-namespace')]: '',
      [label('rule-name')]: 'key',
      [label('trigger-group')]: '',
      [label('trigger-kind')]: 'Namespace',
      [label('trigger-namespace')]: '',
      [label('trigger-uid')]: uid,
      [label('trigger-version')]: 'v1',
    };
    const made = world.server.put(secrets, {apiVersion: 'v1', kind: 'Secret', metadata: {name: 'key', namespace: 'shop', labels}, type: 'Opaque', data: {key: 'b2xk'}});
    world.policy(copies);
    await world.settled();
    const version = (object: JsonObject | undefined) => ownPath(object, 'metadata', 'resourceVersion');
    expect(world.writes().filter(write => write.includes('/secrets/'))).toEqual([]);
    expect(version(world.get(secrets, 'shop/key'))).toBe(version(made));
    world.server.put(secrets, {...made, data: {key: 'bmV3'}});
    await eventually(() => ownPath(world.get(secrets, 'shop/key'), 'data', 'key') === 'b2xk');
    expect(ownPath(world.get(secrets, 'shop/key'), 'metadata', 'uid')).toBe(ownPath(made, 'metadata', 'uid'));
  });
});
