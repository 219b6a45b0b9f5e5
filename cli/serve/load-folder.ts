import {describeObject, readManifests} from '../../adapters/files/manifests.js';
import {readTree} from '../../adapters/files/read-tree.js';
import {celKind, celPolicyGroup} from '../../engine/cel-policies/load/kinds.js';
import type {CelPolicyCache} from '../../engine/cel-policies/snapshot/cel-policy-cache.js';
import {type Diagnostic, formatDiagnostic} from '../../engine/diagnostic.js';
import {type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {type PolicyCache, policyKey} from '../../engine/snapshot/policy-cache.js';

export interface FolderReport {
  /** `ClusterPolicy/name (3 rules)`. */
  readonly loaded: readonly string[];
  /** What was refused and why, one line each. */
  readonly refused: readonly string[];
  readonly warnings: readonly string[];
}

export interface FolderCaches {
  readonly classic: PolicyCache;
  readonly cel: CelPolicyCache;
}

/** What a cache made of an object. */
interface Put {
  /** As the cache holds it, with its family before it. */
  readonly id: string;
  readonly warnings: readonly Diagnostic[];
  readonly problems: readonly Diagnostic[];
  /** Told behind the name of what is served. */
  readonly note: string;
}

type Family = 'policy' | 'exception' | 'cel-policy' | 'cel-exception';

/** Reads the folder anew and makes the caches hold exactly what is in it. */
export async function loadFolder(path: string, caches: FolderCaches): Promise<FolderReport> {
  const tree = await readTree(path);
  const {manifests, errors, warnings} = readManifests(tree.files);
  const report = {loaded: [] as string[], refused: [...tree.problems, ...errors], warnings: [...warnings]};
  const sources = new Map<string, string>();
  const held = new Set<string>();
  for (const {object, source} of manifests) {
    const family = familyOf(object);
    const name = describeObject(object);
    if (family === undefined) {
      report.refused.push(`${source}: ${name} is no policy that this release serves`);
      continue;
    }
    const policy = policyId(family, object);
    const earlier = policy === undefined ? undefined : sources.get(policy);
    if (earlier !== undefined) {
      report.refused.push(`${source}: ${name} is in ${earlier} already; the first one is served`);
      continue;
    }
    if (policy !== undefined) sources.set(policy, source);
    const put = putters[family](object, caches);
    held.add(put.id);
    report.warnings.push(...put.warnings.map(warning => `${source}: ${formatDiagnostic(warning)}`));
    report.refused.push(...put.problems.map(problem => `${source}: ${name}: ${formatDiagnostic(problem)}`));
    if (put.problems.length === 0) report.loaded.push(`${name}${put.note}`);
  }
  dropOthers(held, caches);
  return report;
}

const putters: Readonly<Record<Family, (object: JsonObject, caches: FolderCaches) => Put>> = {
  policy(object, {classic}) {
    const state = classic.putPolicy(object);
    const note = state.status === 'served' ? ` (${state.policy.rules.length} rules)` : '';
    return {...outcome(state), id: `policy ${state.key}`, note};
  },
  exception(object, {classic}) {
    const state = classic.putException(object);
    return {...outcome(state), id: `exception ${state.key}`, note: ''};
  },
  'cel-policy'(object, {cel}) {
    const state = cel.putPolicy(object);
    return {...outcome(state), id: `cel-policy ${state.id}`, note: ''};
  },
  'cel-exception'(object, {cel}) {
    const state = cel.putException(object);
    return {...outcome(state), id: `cel-exception ${state.key}`, note: ''};
  },
};

type State = {readonly warnings: readonly Diagnostic[]} & (
  | {readonly status: 'served'}
  | {readonly status: 'refused'; readonly problems: readonly Diagnostic[]}
);

function outcome(state: State): Pick<Put, 'warnings' | 'problems'> {
  return {warnings: state.warnings, problems: state.status === 'served' ? [] : state.problems};
}

function dropOthers(held: ReadonlySet<string>, {classic, cel}: FolderCaches): void {
  for (const {key} of [...classic.policies()]) if (!held.has(`policy ${key}`)) classic.dropPolicy(key);
  for (const {key} of [...classic.exceptions()]) if (!held.has(`exception ${key}`)) classic.dropException(key);
  for (const {id, kind, key} of [...cel.policies()]) if (!held.has(`cel-policy ${id}`)) cel.dropPolicy(kind, key);
  for (const {key} of [...cel.exceptions()]) if (!held.has(`cel-exception ${key}`)) cel.dropException(key);
}

/** Of policies, which may be in a folder once; of exceptions the last one stands. */
function policyId(family: Family, object: JsonObject): string | undefined {
  if (family === 'policy') return policyKey(object);
  if (family !== 'cel-policy') return undefined;
  const [namespace, name] = ['namespace', 'name'].map(field => String(ownPath(object, 'metadata', field) ?? ''));
  const kind = String(own(object, 'kind'));
  return celKind(kind)?.namespaced === true ? `${kind}/${namespace || 'default'}/${name}` : `${kind}/${name}`;
}

function familyOf(object: JsonObject): Family | undefined {
  const group = String(own(object, 'apiVersion') ?? '').split('/')[0];
  const kind = String(own(object, 'kind') ?? '');
  if (group === celPolicyGroup) {
    if (kind === 'PolicyException') return 'cel-exception';
    return celKind(kind) === undefined ? undefined : 'cel-policy';
  }
  if (group !== 'kyverno.io') return undefined;
  if (kind === 'ClusterPolicy' || kind === 'Policy') return 'policy';
  return kind === 'PolicyException' ? 'exception' : undefined;
}
