import type {PolicyException} from '../cel-policies/run/exceptions.js';
import {mapPods} from '../cel-policies/run/pod-templates.js';
import type {CelVerdict} from '../cel-policies/run/results.js';
import type {PolicyScope} from '../cel-policies/run/scope.js';
import {type JsonObject, own} from '../json/types.js';
import {evaluateMutating, type MutatingParts, type MutatingVerdict} from './evaluate-mutating.js';

/**
 * A MutatingPolicy on Pods, on each Pod that a workload of any kind would make; the changes go to its templates. All of
 * them or none: the first failure decides.
 */
export function evaluateMutatingPods(
  parts: MutatingParts,
  exceptions: readonly PolicyException[],
  scope: PolicyScope,
  workload: JsonObject,
): MutatingVerdict {
  let failed: CelVerdict | undefined;
  let best: CelVerdict | undefined;
  const object = mapPods(workload, scope.host.budget, ({path, pod}) => {
    if (failed !== undefined) return pod;
    const answer = evaluateMutating(parts, exceptions, scope.withObject(pod), pod);
    const {verdict} = answer;
    if (verdict.status === 'error') failed = {...verdict, message: `${verdict.message} (pod template at ${path})`};
    else if (best === undefined || best.status === 'skip') best = verdict;
    return answer.object;
  });
  if (failed !== undefined) return {verdict: failed, object: workload};
  return {verdict: best ?? nothingFound(workload), object};
}

function nothingFound(workload: JsonObject): CelVerdict {
  const kind = `${String(own(workload, 'apiVersion'))}/${String(own(workload, 'kind'))}`;
  return {rule: '', status: 'skip', message: `extraction mode: no pod template found in ${kind}`};
}
