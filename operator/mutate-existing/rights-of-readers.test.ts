import {expect, it} from 'vitest';
import {fail} from '../../adapters/kube/testing/api-server.js';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {ownPath, type JsonObject} from '../../engine/json/types.js';
import {parseYamlDocuments} from '../../engine/yaml/index.js';
import {createTestCore} from '../testing/test-core.js';
import {createBackgroundFeature} from '../update-requests/background-feature.js';

const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
    - name: r
      match: {any: [{resources: {kinds: [Namespace]}}]}
      mutate:
        mutateExistingOnPolicyUpdate: true
        targets: [{apiVersion: v1, kind: ConfigMap, namespace: shop, name: a}]
        patchStrategicMerge: {metadata: {labels: {by: us}}}
`;

it('a right that reading targets lacks is asked about for the process, which reads them, and not for who changes them; a grant for the one object is one', async () => {
  const {core, server, run, close} = await createTestCore({reads: 'cluster'});
  try {
    let granted = false;
    server.intercept = ({method, path}, response) => !granted && method === 'GET' && path.endsWith('/configmaps/a') && fail(response, {code: 403, reason: 'Forbidden'});
    const asked: unknown[] = [];
    const asking = (who: string): KubeClient => ({
      ...core.client,
      async create(collection, object, options) {
        if (collection.resource !== 'selfsubjectaccessreviews') return core.client.create(collection, object, options);
        const {resource, namespace, name} = ownPath(object, 'spec', 'resourceAttributes') as JsonObject;
        asked.push([who, resource, namespace, name]);
        granted = name === 'a';
        return {status: {allowed: granted}};
      },
    });
    const feature = createBackgroundFeature({...core, client: asking('process'), worker: asking('worker')});
    core.manager.register({key: 'clusterpolicies', group: 'kyverno.io', version: 'v1', resource: 'clusterpolicies', namespaced: false, reconcile: () => undefined});
    core.manager.register({key: 'policies', group: 'kyverno.io', version: 'v1', resource: 'policies', namespaced: true, reconcile: () => undefined});
    core.manager.register({key: 'namespaces', group: '', version: 'v1', resource: 'namespaces', namespaced: false});
    server.put('api/v1/namespaces', {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'shop'}});
    server.put('api/v1/configmaps', {apiVersion: 'v1', kind: 'ConfigMap', metadata: {namespace: 'shop', name: 'a'}});
    const state = core.cache.putPolicy(server.put('apis/kyverno.io/v1/clusterpolicies', parseYamlDocuments(policy)[0]!.value as JsonObject));
    await run(feature);
    feature.onPolicy?.('ClusterPolicy', state.key, state, undefined);
    await eventually(() => server.objects('api/v1/configmaps').some(object => ownPath(object, 'metadata', 'labels', 'by') === 'us'));
    expect(asked).toEqual([['process', 'configmaps', undefined, undefined], ['process', 'configmaps', 'shop', undefined], ['process', 'configmaps', 'shop', 'a']]);
  } finally {
    await close();
  }
});
