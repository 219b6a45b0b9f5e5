import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {ownPath} from '../../engine/json/types.js';
import {type BackgroundWorld, createBackgroundWorld, namespaceObject} from '../update-requests/testing/background-world.js';

let world: BackgroundWorld;
beforeEach(async () => {
  world = await createBackgroundWorld();
});
afterEach(() => world.close());

const namespaces = 'api/v1/namespaces';
const configMaps = 'api/v1/configmaps';
const red = {team: 'red'};
const ofRed = 'resources: {kinds: [Namespace], selector: {matchLabels: {team: red}}}';

const following = (match: string, {data = '{level: info}', more = ''} = {}) => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  background: false
  rules:
    - name: r
      match: ${match}
      ${more}
      generate: {apiVersion: v1, kind: ConfigMap, name: made, namespace: "{{ request.object.metadata.name }}", synchronize: true, data: {data: ${data}}}
    - name: other
      match: {any: [{${ofRed}}]}
      generate: {apiVersion: v1, kind: ConfigMap, name: other, namespace: "{{ request.object.metadata.name }}", synchronize: true, data: {data: {a: b}}}
`;
const made = () => world.get(configMaps, 'shop/made');

async function lookAnew(): Promise<void> {
  world.lead(false);
  world.lead(true);
  await world.settled();
}

describe('what a rule makes of who asked', () => {
  const policy = following(`{any: [{${ofRed}}]}`, {data: '{by: "{{ request.userInfo.username }}"}'});

  it('stays as it is, and nothing is in trouble, while the state alone is looked at', async () => {
    world.policy(policy);
    await world.create(namespaces, namespaceObject('shop', red));
    await world.settled();
    await lookAnew();
    expect(ownPath(made(), 'data')).toEqual({by: 'alice'});
    expect(world.events.filter(({reason}) => reason === 'PolicyError')).toEqual([]);
  });

  it('goes when its trigger matches no more', async () => {
    world.policy(policy);
    await world.create(namespaces, namespaceObject('shop', red));
    await world.settled();
    await world.update(namespaces, namespaceObject('shop', {team: 'blue'}));
    await world.settled();
    expect(made()).toBeUndefined();
  });
});

describe('what a rule makes for some users', () => {
  it('goes when its trigger matches no more, and does not come back by itself', async () => {
    world.policy(following(`{any: [{${ofRed}}]}`, {more: 'exclude: {any: [{clusterRoles: [cluster-admin]}]}'}));
    await world.create(namespaces, namespaceObject('shop', red));
    await world.settled();
    expect(made()).toBeDefined();
    await world.update(namespaces, namespaceObject('shop', {team: 'blue'}));
    await world.settled();
    expect(made()).toBeUndefined();
    world.server.put(namespaces, namespaceObject('shop', red));
    await world.settled();
    expect(made()).toBeUndefined();
  });

  it('stays where nobody knows whether its trigger still matches', async () => {
    const conditions = 'background: false\n  webhookConfiguration: {matchConditions: [{name: who, expression: "request.userInfo.username == \'alice\'"}]}';
    world.policy(following(`{any: [{${ofRed}}]}`, {more: 'exclude: {any: [{clusterRoles: [cluster-admin]}]}'}).replace('background: false', conditions));
    const {metadata} = world.server.put(namespaces, namespaceObject('shop', red));
    world.server.put('apis/kyverno.io/v2/updaterequests', {
      apiVersion: 'kyverno.io/v2',
      kind: 'UpdateRequest',
      metadata: {name: 'ur-1', namespace: 'kyverno'},
      spec: {
        requestType: 'generate',
        policy: 'p',
        ruleContext: [{rule: 'r', trigger: {apiVersion: 'v1', kind: 'Namespace', name: 'shop', uid: String(ownPath(metadata, 'uid'))}}],
        context: {userInfo: {userInfo: {username: 'alice'}}, admissionRequestInfo: {operation: 'CREATE'}},
      },
    });
    await world.settled();
    expect(made()).toBeDefined();
    await lookAnew();
    expect(made()).toBeDefined();
  });

  it('stays when another one asks for something that leads to another rule of the policy', async () => {
    world.policy(following(`{any: [{${ofRed}}]}`, {more: 'preconditions: {all: [{key: "{{ request.userInfo.username || \'\' }}", operator: Equals, value: carol}]}'}));
    await world.create(namespaces, namespaceObject('shop', red), 'carol');
    await world.settled();
    expect(made()).toBeDefined();
    await world.update(namespaces, namespaceObject('shop', {...red, x: 'y'}));
    await world.settled();
    expect(made()).toBeDefined();
  });
});
