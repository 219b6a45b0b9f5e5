import {processStreams} from '../../output/streams.js';
import {type RbacFlags, runRbac} from '../../rbac/run-rbac.js';
import type {ApplyFlags} from '../flags.js';
import {runApply} from '../run-apply.js';
import {openCluster} from './open-cluster.js';

/** `kyverno apply --cluster`: the same command with the Kubernetes client at hand; bundled apart for its size. */
export function runApplyInCluster(policies: readonly string[], flags: ApplyFlags): Promise<number> {
  return runApply(policies, flags, {streams: processStreams, openCluster});
}

/** `kyverno rbac`, which asks a cluster when it is told to. */
export function runRbacInCluster(policies: readonly string[], flags: RbacFlags): Promise<number> {
  return runRbac(policies, flags, {streams: processStreams, openCluster});
}
