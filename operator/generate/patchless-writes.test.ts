import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {answer} from '../../adapters/kube/testing/api-server.js';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {type BackgroundWorld, configMap, createBackgroundWorld, namespaceObject} from '../update-requests/testing/background-world.js';

let world: BackgroundWorld;
const lacking = new Set<string>();
const verbs: Readonly<Record<string, string>> = {PATCH: 'patch', PUT: 'update', POST: 'create', DELETE: 'delete'};

beforeEach(async () => {
  world = await createBackgroundWorld();
  lacking.clear();
  world.server.intercept = ({method, path, body}, response) => {
    if (path.endsWith('/selfsubjectaccessreviews')) return answer(response, {status: {allowed: !lacking.has(String(ownPath(body, 'spec', 'resourceAttributes', 'verb')))}}, 201);
    const verb = verbs[method] ?? '';
    if (!path.includes('/configmaps') || !lacking.has(verb)) return false;
    const message = `configmaps "made" is forbidden: User "u" cannot ${verb} resource "configmaps" in API group "" in the namespace "shop"`;
    return answer(response, {kind: 'Status', code: 403, reason: 'Forbidden', message}, 403);
  };
});
afterEach(() => world.close());

const namespaces = 'api/v1/namespaces';
const configMaps = 'api/v1/configmaps';

function policy(data: string, generation = 1): void {
  world.policy(
    `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
    - name: r
      match: {any: [{resources: {kinds: [Namespace]}}]}
      generate: {apiVersion: v1, kind: ConfigMap, name: made, namespace: "{{ request.object.metadata.name }}", synchronize: true, data: {data: ${data}}}
`,
    {generation},
  );
}

const data = () => ownPath(world.get(configMaps, 'shop/made'), 'data');
const conditions = () => (ownPath(world.get('apis/kyverno.io/v1/clusterpolicies', 'p'), 'status', 'conditions') ?? []) as JsonObject[];

describe('without the right to patch', () => {
  it('objects are created, updated with what is no longer wanted taken out, and deleted all the same', async () => {
    lacking.add('patch');
    policy('{level: info, old: x}');
    await world.create(namespaces, namespaceObject('shop'));
    await world.settled();
    expect(data()).toEqual({level: 'info', old: 'x'});
    policy('{level: warn}', 2);
    await world.settled();
    expect(data()).toEqual({level: 'warn'});
    await world.update(configMaps, {...world.get(configMaps, 'shop/made')!, data: {level: 'mine', more: 'mine'}});
    await world.settled();
    expect(data()).toEqual({level: 'warn'});
    expect(conditions()).toEqual([]);
    world.dropPolicy('p');
    await world.settled();
    expect(data()).toBeUndefined();
  });

  it('nothing is taken over that others have set; what is added goes again', async () => {
    lacking.add('patch');
    world.server.put(configMaps, configMap('shop', 'made', {other: 'mine'}));
    policy('{level: info}');
    await world.create(namespaces, namespaceObject('shop'));
    await world.settled();
    expect(data()).toEqual({level: 'info', other: 'mine'});
    world.dropPolicy('p');
    await world.settled();
    expect(data()).toEqual({other: 'mine'});
    world.server.put(configMaps, configMap('shop', 'made', {level: 'mine'}));
    policy('{level: info}', 2);
    await world.update(namespaces, namespaceObject('shop', {again: 'yes'}));
    await eventually(() => conditions().length > 0);
    expect(conditions()).toMatchObject([{type: 'Background-ForeignObject-r', message: expect.stringContaining('data.level')}]);
    expect(data()).toEqual({level: 'mine'});
  });

  it('once it is granted, an apply takes out what was written before', async () => {
    lacking.add('patch');
    policy('{level: info, old: x}');
    await world.create(namespaces, namespaceObject('shop'));
    await world.settled();
    lacking.clear();
    world.lead(false);
    world.lead(true);
    policy('{level: warn}', 2);
    await world.settled();
    expect(data()).toEqual({level: 'warn'});
  });

  it('and that to create, the condition names the latter', async () => {
    lacking.add('patch').add('create');
    policy('{level: info}');
    await world.create(namespaces, namespaceObject('shop'));
    await eventually(() => conditions().length > 0);
    expect(conditions()).toMatchObject([{type: 'Background-MissingRight-r-create-configmaps', reason: 'Forbidden'}]);
    lacking.delete('create');
    await world.settled();
    expect(data()).toEqual({level: 'info'});
  });

  it('and that to update, the condition names the latter', async () => {
    policy('{level: info}');
    await world.create(namespaces, namespaceObject('shop'));
    await world.settled();
    lacking.add('patch').add('update');
    policy('{level: warn}', 2);
    await eventually(() => conditions().length > 0);
    expect(conditions()).toMatchObject([{type: 'Background-MissingRight-r-update-configmaps', reason: 'Forbidden'}]);
    lacking.delete('update');
    await eventually(() => ownPath(data(), 'level') === 'warn');
  });
});
