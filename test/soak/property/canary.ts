import type {Cluster} from '../../cluster/cluster.js';
import {eventually} from '../../cluster/eventually.js';
import {drop, pathOf, put, type Thing} from './things.js';

const namespace = 'property';
const trigger: Thing = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'canary', namespace}};
const made: Thing = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'canary-made', namespace}};

type Client = Pick<Cluster, 'request'>;

/** A rule whose work tells that somebody leads, has found what was made before, and watches. */
export async function prepareCanary(cluster: Client): Promise<void> {
  await put(cluster, {apiVersion: 'v1', kind: 'Namespace', metadata: {name: namespace}});
  await put(cluster, {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: {name: 'property-canary'},
    spec: {
      failurePolicy: 'Ignore',
      rules: [
        {
          name: 'sing',
          match: {any: [{resources: {kinds: ['ConfigMap'], namespaces: [namespace], names: ['canary']}}]},
          generate: {synchronize: true, generateExisting: true, apiVersion: 'v1', kind: 'ConfigMap', name: made.metadata.name, namespace, data: {data: {song: '{{ request.object.data.song }}'}}},
        },
      ],
    },
  });
}

export function removeCanary(cluster: Client): Promise<void> {
  return drop(cluster, made);
}

/** What happened before is known to who leads: something that happens now has its effect. */
export async function awake(cluster: Client): Promise<void> {
  const song = `${Date.now()}`;
  await put(cluster, {...trigger, data: {song}});
  await eventually(
    async () => {
      const {body} = await cluster.request<{readonly data?: {readonly song?: string}}>('GET', pathOf(made));
      return body.data?.song === song;
    },
    {what: 'the background to work', timeoutMs: 240_000, everyMs: 500},
  );
}
