import {describe, expect, it} from 'vitest';
import {type MergeSchema, mergeSchemaFor} from './merge-schema.js';

function keysAt(schema: MergeSchema | undefined, ...path: string[]): readonly string[] | undefined {
  let current = schema;
  for (const name of path.slice(0, -1)) current = current?.fields.get(name)?.schema;
  return current?.fields.get(path.at(-1)!)?.keys;
}

describe('mergeSchemaFor', () => {
  const pod = ['spec'];
  const template = ['spec', 'template', 'spec'];
  const job = ['spec', 'jobTemplate', 'spec', 'template', 'spec'];
  it.each<[string, string, readonly string[], readonly string[] | undefined]>([
    ['v1', 'Pod', [...pod, 'containers'], ['name']],
    ['v1', 'Pod', [...pod, 'initContainers'], ['name']],
    ['v1', 'Pod', [...pod, 'ephemeralContainers'], ['name']],
    ['v1', 'Pod', [...pod, 'containers', 'env'], ['name']],
    ['v1', 'Pod', [...pod, 'containers', 'ports'], ['containerPort', 'protocol']],
    ['v1', 'Pod', [...pod, 'containers', 'volumeMounts'], ['mountPath']],
    ['v1', 'Pod', [...pod, 'containers', 'volumeDevices'], ['devicePath']],
    ['v1', 'Pod', [...pod, 'containers', 'args'], undefined],
    ['v1', 'Pod', [...pod, 'volumes'], ['name']],
    ['v1', 'Pod', [...pod, 'imagePullSecrets'], ['name']],
    ['v1', 'Pod', [...pod, 'hostAliases'], ['ip']],
    ['v1', 'Pod', [...pod, 'tolerations'], undefined],
    ['v1', 'Pod', [...pod, 'topologySpreadConstraints'], ['topologyKey', 'whenUnsatisfiable']],
    ['v1', 'Pod', ['metadata', 'ownerReferences'], ['uid']],
    ['v1', 'Pod', ['metadata', 'finalizers'], []],
    ['v1', 'Service', ['spec', 'ports'], ['port', 'protocol']],
    ['v1', 'ConfigMap', ['metadata', 'finalizers'], []],
    ['apps/v1', 'Deployment', [...template, 'containers'], ['name']],
    ['apps/v1', 'StatefulSet', [...template, 'containers', 'env'], ['name']],
    ['batch/v1', 'Job', [...template, 'volumes'], ['name']],
    ['batch/v1', 'CronJob', [...job, 'containers'], ['name']],
    ['batch/v1beta1', 'CronJob', [...job, 'containers'], ['name']],
    ['networking.k8s.io/v1', 'Ingress', ['spec', 'rules'], undefined],
  ])('of %s %s at %j gives %j', (apiVersion, kind, path, keys) => {
    expect(keysAt(mergeSchemaFor(apiVersion, kind), ...path)).toEqual(keys);
  });

  it.each([
    ['kyverno.io/v1', 'ClusterPolicy'],
    ['example.com/v1', 'Pod'],
    ['', ''],
    ['v1', 'constructor'],
  ])('knows nothing of %s %s', (apiVersion, kind) => {
    expect(mergeSchemaFor(apiVersion, kind)).toBeUndefined();
  });
});
