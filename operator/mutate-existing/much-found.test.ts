import {expect, it} from 'vitest';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import {ownPath} from '../../engine/json/types.js';
import {configMap, createBackgroundWorld, namespaceObject} from '../update-requests/testing/background-world.js';

const configMaps = 'api/v1/configmaps';

const marking = (name: string, namespace: string) => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  rules:
    - name: r
      match: {any: [{resources: {kinds: [Namespace]}}]}
      mutate: {targets: [{apiVersion: v1, kind: ConfigMap, namespace: ${namespace}, name: "*"}], patchStrategicMerge: {metadata: {labels: {${name}: "yes"}}}}
`;

it('rules that find much at a time are all done, one after another; one that finds too much is told, and keeps none waiting', async () => {
  const world = await createBackgroundWorld({searchBytes: 64 * 1024});
  try {
    for (let index = 0; index < 120; index += 1) world.server.put(configMaps, configMap(index < 40 ? 'much' : 'more', `c${index}`, {text: 'x'.repeat(900)}));
    const names = ['a', 'b', 'c', 'd'];
    for (const name of names) world.policy(marking(name, 'much'));
    world.policy(marking('e', 'more'));
    await world.create('api/v1/namespaces', namespaceObject('shop'));
    const marked = (namespace: string, name: string) => world.server.objects(configMaps).filter(object => ownPath(object, 'metadata', 'namespace') === namespace && ownPath(object, 'metadata', 'labels', name) === 'yes').length;
    await eventually(() => names.every(name => marked('much', name) === 40));
    await eventually(() => world.requests().length === 1);
    expect(marked('more', 'e')).toBe(0);
  } finally {
    await world.close();
  }
}, 30_000);
