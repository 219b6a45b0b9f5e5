import {afterEach, beforeEach, expect, it} from 'vitest';
import {ownPath} from '../../engine/json/types.js';
import {type BackgroundWorld, configMap, createBackgroundWorld, namespaceObject} from '../update-requests/testing/background-world.js';

let world: BackgroundWorld;
beforeEach(async () => {
  world = await createBackgroundWorld();
  world.server.put(configMaps, configMap('base', 'origin', {v: '1'}));
});
afterEach(() => world.close());

const namespaces = 'api/v1/namespaces';
const configMaps = 'api/v1/configmaps';

const copying = `
apiVersion: policies.kyverno.io/v1beta1
kind: GeneratingPolicy
metadata: {name: copies}
spec:
  evaluation: {synchronize: {enabled: true}}
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [namespaces]}]}
  variables:
    - {name: source, expression: "resource.Get('v1', 'configmaps', 'base', 'origin')"}
  generate:
    - {expression: "generator.Apply(object.metadata.name, [variables.source])"}
`;

it('copies of a GeneratingPolicy stay when it goes, and are the users\' from then on', async () => {
  world.celPolicy(copying);
  await world.settled();
  await world.create(namespaces, namespaceObject('shop'));
  await world.settled();
  expect(world.get(configMaps, 'shop/origin')).toBeDefined();
  world.dropCelPolicy('GeneratingPolicy', 'copies');
  await world.settled();
  const left = world.get(configMaps, 'shop/origin');
  expect(left).toMatchObject({data: {v: '1'}});
  expect(ownPath(left, 'metadata', 'labels') ?? {}).toEqual({});
  await world.update(configMaps, configMap('base', 'origin', {v: '2'}));
  await world.remove(configMaps, 'base/origin');
  await world.settled();
  expect(world.get(configMaps, 'shop/origin')).toMatchObject({data: {v: '1'}});
});

it('copies of a ClusterPolicy go with it', async () => {
  world.policy(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: copies}
spec:
  rules:
    - name: r
      match: {any: [{resources: {kinds: [Namespace]}}]}
      generate: {apiVersion: v1, kind: ConfigMap, name: origin, namespace: "{{ request.object.metadata.name }}", synchronize: true, clone: {namespace: base, name: origin}}
`);
  await world.settled();
  await world.create(namespaces, namespaceObject('shop'));
  await world.settled();
  expect(world.get(configMaps, 'shop/origin')).toBeDefined();
  world.dropPolicy('copies');
  await world.settled();
  expect(world.get(configMaps, 'shop/origin')).toBeUndefined();
});
