import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {KindInfo, ResourceMap} from '../../engine/resource-map.js';
import type {Log} from '../log.js';
import {aggregatedKinds, aggregatedMediaType, resourceListKinds} from './discovery-documents.js';
import type {KubeClient} from './types.js';

export interface Discovery {
  /** Stays the same object; its answers are those of the last refresh. */
  readonly resourceMap: ResourceMap;
  /**
   * Reads what the API server serves. A group whose server is down keeps the kinds it had. Rejects only when nothing
   * could be read; the map is then as before. Concurrent calls share one read, but never one that began before them.
   */
  refresh(): Promise<void>;
  /** Group versions (`metrics.k8s.io/v1beta1`) or roots (`/apis`) that the last refresh could not read. */
  readonly failures: readonly string[];
  /** Called after a refresh that changed the set of kinds, or what could not be read. */
  subscribe(handler: () => void): () => void;
}

/** One group version: kinds as read, or undefined when its server gave no answer. */
export interface DiscoveredVersion {
  readonly group: string;
  readonly version: string;
  readonly kinds: readonly KindInfo[] | undefined;
}

export function createDiscovery({client, log}: {readonly client: KubeClient; readonly log: Log}): Discovery {
  let versions: readonly DiscoveredVersion[] = [];
  const kinds = createKindMap();
  let failures: readonly string[] = [];
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  const handlers = new Set<() => void>();

  async function read(path: '/api' | '/apis'): Promise<readonly DiscoveredVersion[]> {
    const {body} = await client.request({method: 'GET', path, accept: aggregatedMediaType});
    if (isObject(body) && own(body, 'kind') === 'APIGroupDiscoveryList') return aggregatedKinds(body);
    return Promise.all(groupVersions(body).map(readVersion));
  }

  async function readVersion({group, version}: {group: string; version: string}): Promise<DiscoveredVersion> {
    const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    try {
      const {body} = await client.request({method: 'GET', path});
      return {group, version, kinds: resourceListKinds(body, {group, version})};
    } catch (error) {
      log.debug('a group version could not be read', {path, error: String(error)});
      return {group, version, kinds: undefined};
    }
  }

  async function refreshOnce(): Promise<void> {
    const roots = ['/api', '/apis'] as const;
    const answers = await Promise.allSettled(roots.map(read));
    if (answers.every(answer => answer.status === 'rejected')) throw (answers[0] as PromiseRejectedResult).reason;
    const failed: string[] = [];
    const next = answers.flatMap((answer, at): readonly DiscoveredVersion[] => {
      const isCore = at === 0;
      if (answer.status === 'fulfilled')
        return answer.value.map(version => withKnownKinds(version, {versions, failed}));
      failed.push(isCore ? '/api' : '/apis');
      return versions.filter(({group}) => (group === '') === isCore);
    });
    const failedOtherwise = failed.join() !== failures.join();
    if (failed.length > 0 && failedOtherwise) {
      log.warn('parts of the API could not be read; kinds known before are kept', {failed});
    }
    failures = failed;
    versions = next;
    const all = next.flatMap(({kinds}) => kinds ?? []);
    const changed = JSON.stringify(all) !== JSON.stringify(kinds.map.all());
    if (changed) kinds.set(all);
    if (!changed && !failedOtherwise) return;
    for (const handler of handlers) handler();
  }

  function refresh(): Promise<void> {
    if (running === undefined) {
      running = refreshOnce().finally(() => {
        running = undefined;
      });
      return running;
    }
    const next = () => {
      following = undefined;
      return refresh();
    };
    following ??= running.then(next, next);
    return following;
  }

  return {
    resourceMap: kinds.map,
    refresh,
    get failures() {
      return failures;
    },
    subscribe(handler) {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
  };
}

function withKnownKinds(
  read: DiscoveredVersion,
  {versions, failed}: {readonly versions: readonly DiscoveredVersion[]; readonly failed: string[]},
): DiscoveredVersion {
  if (read.kinds !== undefined) return read;
  failed.push(read.group === '' ? read.version : `${read.group}/${read.version}`);
  return versions.find(known => known.group === read.group && known.version === read.version) ?? read;
}

/** Of an APIVersions or APIGroupList, the preferred version of each group first. */
function groupVersions(body: Json): Array<{group: string; version: string}> {
  if (!isObject(body)) return [];
  const core = own(body, 'versions');
  if (Array.isArray(core)) return core.filter(isText).map(version => ({group: '', version}));
  const groups = own(body, 'groups');
  return (Array.isArray(groups) ? groups : []).filter(isObject).flatMap(versionsOfGroup);
}

function versionsOfGroup(entry: JsonObject): Array<{group: string; version: string}> {
  const group = own(entry, 'name');
  const listed = own(entry, 'versions');
  if (!isText(group) || !Array.isArray(listed)) return [];
  const names = listed.map(version => ownPath(version, 'version')).filter(isText);
  const preferred = ownPath(entry, 'preferredVersion', 'version');
  const ordered = isText(preferred) ? [preferred, ...names.filter(name => name !== preferred)] : names;
  return ordered.map(version => ({group, version}));
}

/** A map of kinds that stays the same object while what it knows is exchanged. */
export function createKindMap(): {readonly map: ResourceMap; set(all: readonly KindInfo[]): void} {
  let index = indexKinds([]);
  return {
    map: {
      kindOf: resource => index.byResource.get(`${resource.group}/${resource.version}/${resource.resource}`),
      find: kind => index.byKind.get(kind) ?? [],
      all: () => index.all,
    },
    set(all) {
      index = indexKinds(all);
    },
  };
}

interface KindIndex {
  readonly all: readonly KindInfo[];
  readonly byKind: ReadonlyMap<string, readonly KindInfo[]>;
  readonly byResource: ReadonlyMap<string, KindInfo>;
}

function indexKinds(all: readonly KindInfo[]): KindIndex {
  const byKind = new Map<string, KindInfo[]>();
  const byResource = new Map<string, KindInfo>();
  for (const info of all) {
    const same = byKind.get(info.kind);
    if (same) same.push(info);
    else byKind.set(info.kind, [info]);
    byResource.set(`${info.group}/${info.version}/${info.resource}`, info);
  }
  return {all, byKind, byResource};
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string';
}
