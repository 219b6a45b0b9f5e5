import type {Clock} from '../../adapters/clock.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import type {Diagnostic} from '../../engine/diagnostic.js';
import {ownPath} from '../../engine/json/types.js';
import type {NeededRight} from '../../webhook/policy-review/needed-rights.js';

export interface WorkerRightsOptions {
  /** Acts as whoever does the work. */
  readonly client: Pick<KubeClient, 'create'>;
  /** As users name it, `system:serviceaccount:kyverno:kyverno`. */
  readonly account: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Faults of a policy whose work is not allowed; none where the API server does not say. */
export type WorkerRights = (needed: readonly NeededRight[]) => Promise<readonly Diagnostic[]>;

/** A policy with more different rights than that is stored, and what it lacks is told when it works. */
const mostQuestions = 64;
/** A role that is granted together with the policy is not in force at once. */
const pausesMs = [300, 700];
const timeoutMs = 2_000;

/** Asks the API server what the background may do, one question per verb, resource and namespace. */
export function createWorkerRights({client, account, clock, log}: WorkerRightsOptions): WorkerRights {
  async function isGranted({verb, group, resource, namespace}: NeededRight): Promise<boolean> {
    const answer = await client.create(
      {group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectaccessreviews'},
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {resourceAttributes: {verb, group, resource, ...(namespace !== '' && {namespace})}},
      },
      {timeoutMs},
    );
    return ownPath(answer, 'status', 'allowed') === true;
  }

  async function missing(questions: ReadonlyMap<string, NeededRight>): Promise<ReadonlyMap<string, NeededRight>> {
    const answers = await Promise.all([...questions].map(async ([key, right]) => ({key, right, granted: await isGranted(right)})));
    return new Map(answers.filter(({granted}) => !granted).map(({key, right}) => [key, right]));
  }

  return async needed => {
    const questions = new Map(needed.map(right => [keyOf(right), right]));
    if (questions.size === 0 || questions.size > mostQuestions) return [];
    try {
      let lacking = await missing(questions);
      for (const pauseMs of pausesMs) {
        if (lacking.size === 0) return [];
        await new Promise<void>(done => clock.schedule(pauseMs, done));
        lacking = await missing(lacking);
      }
      return faults(needed.filter(right => lacking.has(keyOf(right))), account);
    } catch (error) {
      log.warn('the API server does not say whether a policy may do its work', {error: String(error)});
      return [];
    }
  };
}

function keyOf({verb, group, resource, namespace}: NeededRight): string {
  return `${verb} ${group}/${resource} ${namespace}`;
}

/** One fault per target. */
function faults(missing: readonly NeededRight[], account: string): readonly Diagnostic[] {
  const paths = new Set(missing.map(({path}) => path));
  return [...paths].map(path => {
    const rights = missing.filter(right => right.path === path);
    const {group, resource, namespace} = rights[0]!;
    const what = group === '' ? resource : `${resource}.${group}`;
    const verbs = rights.map(({verb}) => verb).join(', ');
    return {
      code: 'right-missing',
      path,
      message: `auth check fails, additional privileges are required for the service account '${account}': ${verbs} ${what}${namespace === '' ? '' : ` in namespace ${namespace}`}`,
      hint: 'grant them by a ClusterRole labelled rbac.kyverno.io/aggregate-to-background-controller: "true"',
    };
  });
}
