import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {parseAllDocuments} from 'yaml';
import type {Cluster} from '../../cluster/cluster.js';
import {groupOf, type Item, kindOf} from './kinds.js';

/** All objects of a folder of dumps, in the order of file names; `files` tells by their first two digits which. */
export function readDump(folder: string, files: (digits: string) => boolean = () => true): readonly Item[] {
  return readdirSync(folder)
    .filter(name => name.endsWith('.yaml') && files(name.slice(0, 2)))
    .sort()
    .flatMap(name => parseAllDocuments(readFileSync(join(folder, name), 'utf8')))
    .map(document => document.toJS({maxAliasCount: -1}) as (Item & {readonly items?: readonly Item[]}) | null)
    .flatMap(document => (document === null ? [] : document.kind === 'List' ? (document.items ?? []) : [document]));
}

/**
 * Writes objects straight into etcd as an API server of the past stored them: uids, ages, versions and field managers
 * stay. No webhook is asked.
 */
export async function writeToEtcd({etcd}: Pick<Cluster, 'etcd'>, items: readonly Item[]): Promise<void> {
  let address = 0;
  for (const item of items) {
    const {resource, namespaced, stored} = kindOf(item);
    const {resourceVersion: _version, selfLink: _link, ...metadata} = item.metadata;
    const object: Record<string, unknown> = {...item, metadata};
    if (stored !== undefined && /\/v[12]$/.test(item.apiVersion)) object['apiVersion'] = `${groupOf(item)}/${stored}`;
    if (item.kind === 'Service') {
      // On loopback: nothing that a Service of the past leads to is asked outside of this machine.
      address += 1;
      const clusterIP = `127.96.77.${address}`;
      object['spec'] = {...(item['spec'] as object), clusterIP, clusterIPs: [clusterIP], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', type: 'ClusterIP', sessionAffinity: 'None'};
    }
    // Nobody runs what ran there: scaled to nothing is how a take-over finds it.
    if (item.kind === 'Deployment' && metadata.namespace === 'kyverno') object['spec'] = {...(item['spec'] as object), replicas: 0};
    const group = groupOf(item);
    const folder = /kyverno\.io$|^wgpolicyk8s/.test(group) ? `${group}/${resource}` : resource === 'services' ? 'services/specs' : resource;
    const key = `/registry/${folder}/${namespaced ? `${metadata.namespace}/` : ''}${metadata.name}`;
    const encode = (text: string) => Buffer.from(text).toString('base64');
    const answer = await fetch(`${etcd}/v3/kv/put`, {method: 'POST', body: JSON.stringify({key: encode(key), value: encode(JSON.stringify(object))})});
    if (!answer.ok) throw new Error(`${key}: ${answer.status} ${await answer.text()}`);
  }
}
