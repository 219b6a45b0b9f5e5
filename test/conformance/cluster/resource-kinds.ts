import type {Cluster} from '../../cluster/cluster.js';

/** A kind that can be listed and deleted. */
export interface ListedKind {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** URL of all its objects, such as `/apis/apps/v1/deployments`. */
  readonly path: string;
}

interface ResourceList {
  readonly resources?: readonly {
    readonly name: string;
    readonly kind: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

type Api = Pick<Cluster, 'request'>;

interface GroupList {
  readonly groups?: readonly {readonly name: string; readonly versions: readonly {readonly groupVersion: string}[]}[];
}

/** Every kind once, in the first version of its group that has it. */
export async function listedKinds(cluster: Api): Promise<readonly ListedKind[]> {
  const {groups = []} = (await cluster.request<GroupList>('GET', '/apis')).body;
  const places = groups.flatMap(({name, versions}) =>
    versions.map(({groupVersion}) => ({group: name, base: `/apis/${groupVersion}`})),
  );
  const lists = await Promise.all(
    [{group: '', base: '/api/v1'}, ...places].map(async ({group, base}) => {
      const {resources = []} = (await cluster.request<ResourceList>('GET', base)).body;
      return resources
        .filter(({name, verbs}) => !name.includes('/') && verbs.includes('list') && verbs.includes('delete'))
        .map(({name, kind, namespaced}) => ({group, resource: name, kind, namespaced, path: `${base}/${name}`}));
    }),
  );
  const seen = new Set<string>();
  return lists.flat().filter(({group, resource}) => {
    const key = `${group}/${resource}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** URL of one object. */
export function objectPath(
  {path, resource, namespaced}: ListedKind,
  namespace: string | undefined,
  name: string,
): string {
  if (!namespaced) return `${path}/${name}`;
  return `${path.slice(0, -resource.length)}namespaces/${namespace ?? ''}/${resource}/${encodeURIComponent(name)}`;
}
