import {afterEach, beforeEach, describe, expect, it} from 'vitest';
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
const red = {team: 'red'};

const rule = (name: string, resources: string, generate = 'data: {data: {by: "{{ request.userInfo.username }}", at: "{{ request.operation }}"}}') => `
    - name: ${name}
      match: {any: [{resources: {kinds: [Namespace], ${resources}}}]}
      generate: {apiVersion: v1, kind: ConfigMap, name: ${name}, namespace: "{{ request.object.metadata.name }}", ${generate}}`;
const policy = (...rules: string[]) => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  background: false
  rules:${rules.join('')}
`;
const any = 'names: ["*"]';
const ofRed = 'selector: {matchLabels: {team: red}}';
const dataOf = (name: string) => ownPath(world.get(configMaps, `shop/${name}`), 'data');
const rulesOf = (request: JsonObject) => (ownPath(request, 'spec', 'ruleContext') as JsonObject[]).map(context => context['rule']);

describe('a request that comes while an earlier one waits', () => {
  beforeEach(() => world.lead(false));

  async function workOff(): Promise<void> {
    world.lead(true);
    await world.settled();
    expect(world.requests()).toEqual([]);
  }

  it('is joined to it where it triggers all the same rules, and its words count', async () => {
    world.policy(policy(rule('r1', any), rule('r2', ofRed)));
    await world.create(namespaces, namespaceObject('shop'), 'bob');
    await world.update(namespaces, namespaceObject('shop', red));
    expect(world.requests().map(rulesOf)).toEqual([['r1', 'r2']]);
    expect(ownPath(world.requests()[0], 'metadata', 'annotations', 'updaterequest.kyverno.io/repeats')).toMatch(/^1 request-/);
    await workOff();
    expect([dataOf('r1'), dataOf('r2')]).toEqual([{by: 'alice', at: 'UPDATE'}, {by: 'alice', at: 'UPDATE'}]);
  });

  it('leaves it what it alone tells of', async () => {
    world.policy(policy(rule('r1', 'operations: [CREATE]'), rule('r2', 'operations: [UPDATE]')));
    await world.create(namespaces, namespaceObject('shop'), 'bob');
    await world.update(namespaces, namespaceObject('shop', red));
    await world.update(namespaces, namespaceObject('shop', {...red, x: 'y'}));
    expect(world.requests().map(rulesOf).sort()).toEqual([['r1'], ['r2']]);
    await workOff();
    expect([dataOf('r1'), dataOf('r2')]).toEqual([{by: 'bob', at: 'CREATE'}, {by: 'alice', at: 'UPDATE'}]);
  });

  it('keeps what is to be deleted', async () => {
    world.policy(policy(rule('r1', any)));
    await world.create(namespaces, namespaceObject('shop'));
    const [stored] = world.requests();
    const contexts = ownPath(stored, 'spec', 'ruleContext') as JsonObject[];
    world.server.put('apis/kyverno.io/v2/updaterequests', {...stored, spec: {...(stored!['spec'] as JsonObject), ruleContext: contexts.map(context => ({...context, deleteDownstream: true}))}});
    await world.update(namespaces, namespaceObject('shop', red));
    expect(world.requests()).toMatchObject([{spec: {ruleContext: [{rule: 'r1', deleteDownstream: true}]}}]);
  });

  it('is joined to it as it is then, when somebody else does the same at that moment', async () => {
    world.policy(policy(rule('r1', any), rule('r2', ofRed)));
    await world.create(namespaces, namespaceObject('shop'));
    let raced = false;
    world.server.intercept = ({method, path}) => {
      if (method !== 'PUT' || raced || !path.includes('/updaterequests/')) return false;
      raced = true;
      const [stored] = world.requests();
      const contexts = ownPath(stored, 'spec', 'ruleContext') as JsonObject[];
      world.server.put('apis/kyverno.io/v2/updaterequests', {...stored, spec: {...(stored!['spec'] as JsonObject), ruleContext: [...contexts, {...contexts[0], rule: 'r3'}]}});
      return false;
    };
    await world.update(namespaces, namespaceObject('shop', red));
    expect(world.requests().map(rulesOf).sort()).toEqual([['r1', 'r2'], ['r1', 'r3']]);
  });
});

describe('a rule that waits for its source', () => {
  it('is done, and so is one that a later request triggered meanwhile', async () => {
    world.policy(policy(rule('r1', 'operations: [CREATE]', 'clone: {name: origin, namespace: base}'), rule('r2', ofRed)));
    await world.create(namespaces, namespaceObject('shop'));
    await eventually(() => world.requests().length === 1);
    await world.update(namespaces, namespaceObject('shop', red));
    await eventually(() => dataOf('r2') !== undefined);
    await world.create(configMaps, configMap('base', 'origin', {a: 'b'}));
    await world.settled();
    expect(dataOf('r1')).toEqual({a: 'b'});
  });
});

describe('a request whose policy is served only later', () => {
  it('runs once: what has a name of its own each time is made once', async () => {
    const late = policy(rule('r1', any).replace('name: r1, namespace', 'name: "made-{{ random(\'[a-z]{8}\') }}", namespace'));
    world.server.put('apis/kyverno.io/v1/clusterpolicies', {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name: 'p'}});
    world.server.put(namespaces, namespaceObject('shop'));
    world.server.put('apis/kyverno.io/v2/updaterequests', {
      apiVersion: 'kyverno.io/v2',
      kind: 'UpdateRequest',
      metadata: {name: 'ur-1', namespace: 'kyverno'},
      spec: {
        requestType: 'generate',
        policy: 'p',
        ruleContext: [{rule: 'r1', trigger: {apiVersion: 'v1', kind: 'Namespace', name: 'shop'}}],
        context: {userInfo: {userInfo: {username: 'alice'}}, admissionRequestInfo: {operation: 'CREATE', admissionRequest: {userInfo: {username: 'alice'}}}},
      },
    });
    await eventually(() => ownPath(world.requests()[0], 'status', 'state') === 'Skip');
    world.policy(late);
    await world.settled();
    expect(world.requests()).toEqual([]);
    expect(world.server.objects(configMaps)).toHaveLength(1);
  });
});
