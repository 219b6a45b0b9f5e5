import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {type BackgroundWorld, configMap, createBackgroundWorld} from './testing/background-world.js';
import {requestOnGone, requestOnLive} from './rebuilt-request.js';

const kind = {group: '', version: 'v1', kind: 'ConfigMap', resource: 'configmaps', namespaced: true, subresources: []} as never;
const kept = {operation: 'UPDATE', request: {uid: 'r', oldObject: {metadata: {name: 'a', labels: {was: 'so'}}}}, user: undefined, replaces: '7'} as const;
const live: JsonObject = {metadata: {name: 'a', namespace: 'shop', resourceVersion: '8'}};

describe('a request that is rebuilt', () => {
  it('shows of an update the version that it replaces, and what was kept of the object before', () => {
    const request = requestOnLive(live, kind, kept);
    expect(request).toMatchObject({uid: 'r', object: {apiVersion: 'v1', kind: 'ConfigMap', metadata: {resourceVersion: '7'}}, oldObject: {metadata: {labels: {was: 'so'}}}});
    expect(ownPath(live, 'metadata', 'resourceVersion')).toBe('8');
  });

  it('shows the version that is there where another one is not known, or nothing was replaced', () => {
    for (const other of [{...kept, replaces: ''}, {...kept, operation: 'CREATE' as const}]) {
      expect(requestOnLive(live, kind, other).object).toMatchObject({metadata: {resourceVersion: '8'}});
    }
  });

  it('tells of what is gone by what was kept', () => {
    const request = requestOnGone(kind, {...kept, operation: 'DELETE'});
    expect(request).toMatchObject({uid: 'r', operation: 'DELETE', oldObject: {apiVersion: 'v1', kind: 'ConfigMap', metadata: {labels: {was: 'so'}}}});
    expect(request.object).toBeUndefined();
  });
});

/** Each family writes down the version of the trigger that it sees. */
const families: Readonly<Record<string, string>> = {
  'classic generate': `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
    - name: r
      match: {any: [{resources: {kinds: [ConfigMap], names: [trigger], operations: [UPDATE]}}]}
      generate: {apiVersion: v1, kind: ConfigMap, name: seen, namespace: shop, data: {data: {version: "v{{ request.object.metadata.resourceVersion }}"}}}
`,
  'classic mutate': `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
    - name: r
      match: {any: [{resources: {kinds: [ConfigMap], names: [trigger], operations: [UPDATE]}}]}
      mutate: {targets: [{apiVersion: v1, kind: ConfigMap, namespace: shop, name: seen}], patchStrategicMerge: {data: {version: "v{{ request.object.metadata.resourceVersion }}"}}}
`,
  GeneratingPolicy: `
apiVersion: policies.kyverno.io/v1beta1
kind: GeneratingPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [configmaps], resourceNames: [trigger]}]}
  generate:
    - template:
        interpolate: cel
        value: |
          apiVersion: v1
          kind: ConfigMap
          metadata: {name: seen, namespace: shop}
          data: {version: v(( object.metadata.resourceVersion ))}
`,
  MutatingPolicy: `
apiVersion: policies.kyverno.io/v1beta1
kind: MutatingPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [UPDATE], resources: [configmaps], resourceNames: [trigger]}]}
  targetMatchConstraints: {expression: "resource.Get('v1', 'configmaps', object.metadata.namespace, 'seen')"}
  mutations:
    - patchType: ApplyConfiguration
      applyConfiguration: {expression: "Object{data: {'version': 'v' + string(request.object.metadata.resourceVersion)}}"}
`,
};

describe('the version of a trigger that changed', () => {
  let world: BackgroundWorld;
  beforeEach(async () => {
    world = await createBackgroundWorld();
  });
  afterEach(() => world.close());

  it.each(Object.entries(families))('is the one that its review showed: %s', async (name, policy) => {
    const configMaps = 'api/v1/configmaps';
    if (name.includes('utat')) world.server.put(configMaps, configMap('shop', 'seen', {}));
    const before = world.server.put(configMaps, configMap('shop', 'trigger', {}));
    if (name.startsWith('classic')) world.policy(policy);
    else world.celPolicy(policy);
    await world.settled();
    await world.update(configMaps, configMap('shop', 'trigger', {changed: 'yes'}));
    await world.settled();
    expect(world.get(configMaps, 'shop/seen')).toMatchObject({data: {version: `v${textOf(ownPath(before, 'metadata', 'resourceVersion'))}`}});
  });
});
