import {describeObject, readManifests} from '../../adapters/files/manifests.js';
import {readTree} from '../../adapters/files/read-tree.js';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import {type JsonObject, own} from '../../engine/json/types.js';
import {type PolicyCache, policyKey} from '../../engine/snapshot/policy-cache.js';

export interface FolderReport {
  /** `ClusterPolicy/name (3 rules)`. */
  readonly loaded: readonly string[];
  /** What was refused and why, one line each. */
  readonly refused: readonly string[];
  readonly warnings: readonly string[];
}

/** Reads the folder anew and makes the cache hold exactly what is in it. */
export async function loadFolder(path: string, cache: PolicyCache): Promise<FolderReport> {
  const tree = await readTree(path);
  const {manifests, errors, warnings} = readManifests(tree.files);
  const report = {loaded: [] as string[], refused: [...tree.problems, ...errors], warnings: [...warnings]};
  const policies = new Map<string, string>();
  const exceptions = new Set<string>();
  for (const {object, source} of manifests) {
    switch (kindOf(object)) {
      case 'policy': {
        const key = policyKey(object);
        const earlier = policies.get(key);
        if (earlier !== undefined) {
          report.refused.push(`${source}: ${describeObject(object)} is in ${earlier} already; the first one is served`);
          break;
        }
        policies.set(key, source);
        const state = cache.putPolicy(object);
        report.warnings.push(...state.warnings.map(warning => `${source}: ${formatDiagnostic(warning)}`));
        if (state.status === 'served') report.loaded.push(`${describeObject(object)} (${state.policy.rules.length} rules)`);
        else report.refused.push(...state.problems.map(problem => `${source}: ${describeObject(object)}: ${formatDiagnostic(problem)}`));
        break;
      }
      case 'exception': {
        const state = cache.putException(object);
        exceptions.add(state.key);
        report.warnings.push(...state.warnings.map(warning => `${source}: ${formatDiagnostic(warning)}`));
        if (state.status === 'served') report.loaded.push(describeObject(object));
        else report.refused.push(...state.problems.map(problem => `${source}: ${describeObject(object)}: ${formatDiagnostic(problem)}`));
        break;
      }
      case 'other':
        report.refused.push(`${source}: ${describeObject(object)} is no policy that this release serves`);
    }
  }
  for (const state of [...cache.policies()]) if (!policies.has(state.key)) cache.dropPolicy(state.key);
  for (const state of [...cache.exceptions()]) if (!exceptions.has(state.key)) cache.dropException(state.key);
  return report;
}

function kindOf(object: JsonObject): 'policy' | 'exception' | 'other' {
  const group = String(own(object, 'apiVersion') ?? '').split('/')[0];
  if (group !== 'kyverno.io') return 'other';
  const kind = own(object, 'kind');
  if (kind === 'ClusterPolicy' || kind === 'Policy') return 'policy';
  return kind === 'PolicyException' ? 'exception' : 'other';
}
