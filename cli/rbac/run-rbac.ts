import type {Json, JsonObject} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import type {Cluster, ClusterOptions} from '../apply/cluster/open-cluster.js';
import {FileError} from '../files/file-error.js';
import {loadDefinitions} from '../files/load-crds.js';
import {nameOf} from '../files/load-policies.js';
import {withKindsOf} from '../offline/known-kinds.js';
import {prettyJson} from '../output/json-text.js';
import type {Streams} from '../output/streams.js';
import {yamlText} from '../output/yaml-text.js';
import {defaultGrants, lackingVerbs} from './granted.js';
import {isPath, type Subject, subjectsOfCluster, subjectsOfFiles} from './load-subjects.js';
import {needsOf} from './needs-of.js';
import type {Right} from './right.js';
import {rolesFor} from './roles.js';

export interface RbacFlags {
  /** Ask the cluster for its kinds, and for all its policies when none is named. */
  readonly cluster?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly crds?: readonly string[];
  /** Also what an installation grants by itself. */
  readonly all?: boolean;
  readonly name?: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly output: string;
}

export interface RbacTools {
  readonly streams: Streams;
  readonly openCluster: (options: ClusterOptions) => Promise<Cluster>;
}

/** `kyverno rbac`: 0; 1 when a policy could not be read. What cannot be told from the text is named on standard error and in the output. */
export async function runRbac(subjects: readonly string[], flags: RbacFlags, {streams, openCluster}: RbacTools): Promise<number> {
  if (flags.output !== 'yaml' && flags.output !== 'json') throw new FileError(`--output: expected yaml or json, found ${flags.output}`);
  const isFile = await Promise.all(subjects.map(isPath));
  const names = subjects.filter((_, index) => !isFile[index]);
  const paths = subjects.filter((_, index) => isFile[index]);
  if (subjects.length === 0 && flags.cluster !== true) throw new FileError('name a policy file or folder, a policy of the cluster, or give --cluster for all of its policies');
  const wholeCluster = flags.cluster === true && subjects.length === 0;
  const cluster = flags.cluster === true || names.length > 0 ? await openCluster({kubeconfig: flags.kubeconfig, context: flags.context}) : undefined;
  try {
    const found = [...(await Promise.all(paths.map(subjectsOfFiles))).flat(), ...(cluster !== undefined && (names.length > 0 || wholeCluster) ? await subjectsOfCluster(cluster, names) : [])];
    if (found.length === 0 && !wholeCluster) throw new FileError('no policy found');
    const known = cluster?.resources ?? withKindsOf((await loadDefinitions(flags.crds ?? [])).resources, [], found.map(({raw}) => raw));
    return print(found, known, flags, streams);
  } finally {
    cluster?.close();
  }
}

function print(subjects: readonly Subject[], resources: ResourceMap, flags: RbacFlags, streams: Streams): number {
  const rights: Right[] = [];
  const untold: string[] = [];
  let exit = 0;
  for (const {raw, from} of subjects) {
    const {needs, faults} = needsOf(raw, resources);
    if (faults !== undefined) {
      exit = 1;
      for (const fault of faults) streams.err(`Error: ${from}: ${nameOf(raw)}: ${fault}\n`);
      continue;
    }
    rights.push(...needs.rights);
    untold.push(...needs.untold.map(sentence => `${nameOf(raw)}: ${sentence}`));
  }
  for (const sentence of untold) streams.err(`Warning: ${sentence}\n`);
  const grants = flags.all === true ? [] : defaultGrants();
  const missing = rights.map(right => ({...right, verbs: lackingVerbs(right, grants)})).filter(({verbs}) => verbs.length > 0);
  const only = subjects.length === 1 ? subjects[0] : undefined;
  const name = flags.name ?? (only === undefined ? 'policies' : nameOf(only.raw));
  const objects = rolesFor(missing, {name, account: {name: flags.serviceAccount, namespace: flags.namespace}});
  if (flags.output === 'json') streams.out(`${prettyJson({apiVersion: 'v1', kind: 'List', items: objects} as Json)}\n`);
  else streams.out(asYaml(objects, untold));
  if (objects.length === 0 && untold.length === 0 && exit === 0) streams.err(flags.all === true ? 'the policies need no rights\n' : 'the policies need no rights beyond those of the installation\n');
  return exit;
}

function asYaml(objects: readonly JsonObject[], untold: readonly string[]): string {
  const remarks = untold.map(sentence => `# to be granted by hand, ${sentence.replaceAll('\n', ' ')}\n`).join('');
  return `${remarks}${objects.map(object => yamlText(object)).join('---\n')}`;
}
