import {afterEach, beforeEach, expect, it} from 'vitest';
import {answer} from '../../adapters/kube/testing/api-server.js';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {type BackgroundWorld, configMap, createBackgroundWorld} from '../update-requests/testing/background-world.js';

let world: BackgroundWorld;
beforeEach(async () => {
  world = await createBackgroundWorld();
});
afterEach(() => world.close());

const conditions = () => (ownPath(world.get('apis/kyverno.io/v1/clusterpolicies', 'p'), 'status', 'conditions') ?? []) as JsonObject[];

it('triggers that may not be listed are told by a condition, until the right is there', async () => {
  let granted = false;
  world.server.intercept = ({method, path}, response) => {
    if (granted || method !== 'GET' || path !== '/api/v1/secrets') return false;
    return answer(response, {kind: 'Status', code: 403, reason: 'Forbidden', message: 'secrets is forbidden: User "u" cannot list resource "secrets" in API group "" at the cluster scope'}, 403);
  };
  world.server.put('api/v1/secrets', {apiVersion: 'v1', kind: 'Secret', metadata: {namespace: 'shop', name: 's'}});
  world.server.put('api/v1/configmaps', configMap('shop', 'a', {}));
  world.policy(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
    - name: r
      match: {any: [{resources: {kinds: [Secret]}}]}
      mutate:
        mutateExistingOnPolicyUpdate: true
        targets: [{apiVersion: v1, kind: ConfigMap, namespace: shop, name: a}]
        patchStrategicMerge: {metadata: {labels: {by: us}}}
`);
  await eventually(() => conditions().length > 0);
  expect(conditions()).toMatchObject([{type: 'Background-MissingRight-r-list-secrets', reason: 'Forbidden'}]);
  granted = true;
  await eventually(() => ownPath(world.get('api/v1/configmaps', 'shop/a'), 'metadata', 'labels', 'by') === 'us');
  await eventually(() => conditions().length === 0);
});
