import {setTimeout as delay} from 'node:timers/promises';
import type {Cluster} from '../../cluster/cluster.js';
import {eventually} from '../../cluster/eventually.js';
import {type ListedKind, listedKinds, objectPath} from './resource-kinds.js';

interface Listed {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly finalizers?: readonly string[];
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

interface Found {
  readonly kind: ListedKind;
  readonly object: Listed;
}

type Api = Pick<Cluster, 'request'>;

/** What a cluster holds before the first suite, and the way back to it. */
export interface Baseline {
  /**
   * Deletes what was not there and puts back what was changed or deleted; throws when something does not go. Namespaces may
   * still be on their way out with what is in them, see `settle`.
   */
  restore(): Promise<void>;
  /** Waits for the Namespaces on their way out that the text names: whoever makes them anew would be refused. */
  settle(text: string): Promise<void>;
}

/** Kinds that the control plane and the operator keep by themselves. */
const selfKept = new Set([
  'events',
  'leases',
  'endpointslices',
  'endpoints',
  'componentstatuses',
  'controllerrevisions',
  'apiservices',
]);
/** Kinds whose objects suites edit and leave so. */
const putBack = new Set([
  'configmaps',
  'deployments',
  'services',
  'serviceaccounts',
  'roles',
  'rolebindings',
  'clusterroles',
  'clusterrolebindings',
  'nodes',
]);
const operatorNamespace = 'kyverno';

/** Remembers every object; to be called when operator and definitions are in place. */
export async function takeBaseline(cluster: Api): Promise<Baseline> {
  const first = await allObjects(cluster);
  const known = new Map(first.map(found => [keyOf(found), found]));
  const started = new Map(
    [...known].filter(
      ([, {kind, object}]) => putBack.has(kind.resource) && object.metadata['deletionTimestamp'] === undefined,
    ),
  );
  let going: readonly string[] = [];
  return {
    async restore() {
      // Suites that assert that something has no event meet those of others with the same names.
      await cluster.request('DELETE', '/api/v1/namespaces/default/events');
      let now: readonly Found[] = [];
      for (let round = 0; round < 60; round++) {
        now = await allObjects(cluster);
        const extra = now.filter(found => !known.has(keyOf(found)) && ours(found));
        going = namespacesGoing(extra);
        if (extra.every(found => goesBy(found, going))) break;
        if (round === 59) throw new Error(`left behind: ${extra.slice(0, 5).map(keyOf).join(', ')}`);
        await remove(cluster, extra, round);
        await delay(round === 0 ? 50 : 300);
      }
      await restoreChanged(cluster, started, now);
    },
    async settle(text) {
      for (const name of going.filter(each => text.includes(each))) {
        await eventually(async () => (await cluster.request('GET', `/api/v1/namespaces/${name}`)).status === 404, {
          what: `Namespace ${name} gone`,
        });
      }
    },
  };
}

function namespacesGoing(extra: readonly Found[]): readonly string[] {
  return extra
    .filter(({kind, object}) => kind.resource === 'namespaces' && object.metadata['deletionTimestamp'] !== undefined)
    .map(({object}) => object.metadata.name);
}

/** Whether nothing has to be done for it to go: a Namespace that is going, and what is in one and not held. */
function goesBy({kind, object: {metadata}}: Found, going: readonly string[]): boolean {
  if (kind.resource === 'namespaces') return going.includes(metadata.name);
  return going.includes(metadata.namespace ?? '') && (metadata.finalizers ?? []).length === 0 && !isPolicyLike(kind);
}

/** What the operator would act on meanwhile. */
function isPolicyLike({group}: ListedKind): boolean {
  return group.endsWith('kyverno.io') && group !== 'reports.kyverno.io';
}

function keyOf({kind, object: {metadata}}: Found): string {
  return `${kind.group}/${kind.resource}/${metadata.namespace ?? ''}/${metadata.name}`;
}

/** Whether a leftover is to be deleted: not what controllers make anew at once, nor what goes with its namespace. */
function ours({kind, object: {metadata}}: Found): boolean {
  // The API server's own rules come back by themselves.
  if (kind.resource === 'namespaces')
    return !metadata.name.startsWith(suiteNamespacePrefix) || metadata['deletionTimestamp'] === undefined;
  if (metadata.namespace?.startsWith(suiteNamespacePrefix)) return kind.group.endsWith('kyverno.io') && !isReport(kind);
  if (isReport(kind) && metadata.namespace === undefined) return true;
  if (/webhookconfigurations$/.test(kind.resource) && metadata.name.startsWith('kyverno-')) return false;
  if (kind.resource === 'configmaps' && metadata.name === 'kube-root-ca.crt') return false;
  if (metadata.namespace !== operatorNamespace) return true;
  if (kind.resource === 'secrets') return !/^kyverno-.*-tls-(ca|pair)$/.test(metadata.name);
  return !(['pods', 'replicasets'].includes(kind.resource) && metadata['ownerReferences'] !== undefined);
}

/** Namespaces of suites: nothing waits for them, since no two have the same name. */
export const suiteNamespacePrefix = 'suite-';

function isReport({group}: ListedKind): boolean {
  return ['wgpolicyk8s.io', 'reports.kyverno.io', 'openreports.io'].includes(group);
}

async function allObjects(cluster: Api): Promise<readonly Found[]> {
  const kinds = await listedKinds(cluster);
  const found: Found[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let kind = kinds[next++]; kind !== undefined; kind = kinds[next++]) {
      if (selfKept.has(kind.resource)) continue;
      // Whole definitions are megabytes; of most kinds only the names matter.
      const headers = putBack.has(kind.resource)
        ? {}
        : {Accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'};
      const {status, body} = await cluster.request<{items?: readonly Listed[]}>('GET', kind.path, undefined, {headers});
      // 404: its definition went meanwhile; 405 and 503: nothing serves it.
      if (status === 200) for (const object of body.items ?? []) found.push({kind, object});
    }
  };
  await Promise.all(Array.from({length: 8}, worker));
  return found;
}

/** Policies go first, so that none acts on the rest; definitions go last, since they take their objects along. */
function rank({kind}: Found): number {
  if (kind.group.endsWith('kyverno.io') && !isReport(kind)) return 0;
  if (kind.resource === 'customresourcedefinitions') return 2;
  return 1;
}

async function remove(cluster: Api, extra: readonly Found[], round: number): Promise<void> {
  const lowest = round < 3 ? Math.min(...extra.map(rank)) : 2;
  // What lies in a namespace that goes too is left to the namespace controller.
  const going = new Set(
    extra.filter(({kind}) => kind.resource === 'namespaces').map(({object}) => object.metadata.name),
  );
  const chosen = extra.filter(
    found => rank(found) <= lowest && !(rank(found) > 0 && going.has(found.object.metadata.namespace ?? '')),
  );
  await Promise.all(
    chosen.map(async ({kind, object: {metadata}}) => {
      const path = objectPath(kind, metadata.namespace, metadata.name);
      if (metadata['deletionTimestamp'] === undefined) {
        await cluster.request('DELETE', path, {gracePeriodSeconds: 0, propagationPolicy: 'Background'});
      } else if (round > 20 && (metadata.finalizers ?? []).length > 0) {
        // Whoever was to lift it went with the suite.
        await cluster.request('PATCH', path, {metadata: {finalizers: null}});
      }
    }),
  );
}

async function restoreChanged(
  cluster: Api,
  started: ReadonlyMap<string, Found>,
  objects: readonly Found[],
): Promise<void> {
  const now = new Map(objects.map(found => [keyOf(found), found]));
  for (const [key, {kind, object}] of started) {
    const current = now.get(key)?.object;
    const {namespace, name} = object.metadata;
    if (current !== undefined && fingerprint(current) === fingerprint(object)) continue;
    const path = objectPath(kind, namespace, name);
    const {resourceVersion: _, uid: __, ...metadata} = object.metadata;
    const answer =
      current === undefined
        ? await cluster.request('POST', path.slice(0, path.lastIndexOf('/')), {...object, metadata})
        : await cluster.request('PUT', path, {
            ...object,
            metadata: {...metadata, resourceVersion: current.metadata['resourceVersion']},
          });
    if (answer.status >= 300)
      throw new Error(`${key} cannot be put back: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
}

/** What a suite may have changed: all but what controllers keep. */
function fingerprint(object: Listed): string {
  const {status: _, metadata, rules, aggregationRule, ...rest} = object;
  const {labels, annotations} = metadata;
  const kept = Object.entries((annotations ?? {}) as Record<string, string>).filter(
    ([name]) => name !== 'deployment.kubernetes.io/revision',
  );
  // The rules of an aggregated role are the API server's.
  return JSON.stringify([labels, kept, rest, aggregationRule, aggregationRule === undefined ? rules : undefined]);
}
