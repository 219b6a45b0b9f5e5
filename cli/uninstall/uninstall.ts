import {type Clock, sleep} from '../../adapters/clock.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import {microTime} from '../../adapters/kube/lease.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {textOf} from '../../engine/json/text.js';
import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {allDuties, leaseOfDuty} from '../../operator/duties/duties.js';
import {replicaLabel} from '../../operator/leases/replica-lease.js';
import {timeoutsAnnotation} from '../../operator/webhooks/render-configuration.js';
import {breakGlass} from '../break-glass/break-glass.js';
import {FileError} from '../files/file-error.js';

export interface UninstallPlan {
  readonly namespace: string;
  readonly deployment: string;
  readonly dryRun: boolean;
  readonly clock: Clock;
  readonly out: (text: string) => void;
}

const leases = {group: 'coordination.k8s.io', version: 'v1', resource: 'leases'} as const;
const requests = {group: 'kyverno.io', version: 'v2', resource: 'updaterequests'} as const;
const stopMs = 180_000;
const pollMs = 1_000;

/**
 * Stops the operator and leaves the cluster as another installation of the same API would want to find it: no webhook
 * configuration, no Lease held, requests that failed waiting again. Nothing that users or policies made is touched.
 */
export async function uninstall(client: KubeClient, plan: UninstallPlan): Promise<void> {
  await scaleDown(client, plan);
  await breakGlass(client, {ignore: false, dryRun: plan.dryRun, only: isOurs, out: plan.out});
  await releaseLeases(client, plan);
  await reopenRequests(client, plan);
  plan.out('policies, exceptions, reports, generated objects, Secrets and CustomResourceDefinitions are as they were\n');
}

/** Another installation of the same API may have written its own by now, under the same label. */
function isOurs(configuration: JsonObject): boolean {
  return ownPath(configuration, 'metadata', 'annotations', timeoutsAnnotation) !== undefined;
}

async function scaleDown(client: KubeClient, {namespace, deployment, dryRun, clock, out}: UninstallPlan): Promise<void> {
  const ref = {group: 'apps', version: 'v1', resource: 'deployments', namespace, name: deployment};
  const live = await orUndefined(client.get(ref));
  if (live === undefined) return out(`Deployment ${namespace}/${deployment} is not there\n`);
  if (dryRun) return out(`Deployment ${namespace}/${deployment} would be scaled to 0\n`);
  await client.patch(ref, {spec: {replicas: 0}}, {type: 'merge', subresource: 'scale'});
  for (const until = clock.monotonic() + stopMs; ; await sleep(clock, pollMs)) {
    const replicas = await client.list({...leases, namespace}, {labelSelector: `${replicaLabel}=true`});
    const now = await orUndefined(client.get(ref));
    if (ownPath(now, 'status', 'replicas') === undefined || ownPath(now, 'status', 'replicas') === 0) {
      if (replicas.items.every(lease => hasRunOut(lease, clock))) break;
    }
    if (clock.monotonic() > until) throw new FileError(`Deployment ${namespace}/${deployment} still has Pods after ${stopMs / 60_000} minutes; nothing else was done`);
  }
  out(`Deployment ${namespace}/${deployment} scaled to 0\n`);
}

/** A replica that was killed leaves its Lease behind; one that runs renews it. */
function hasRunOut(lease: JsonObject, clock: Clock): boolean {
  const renewed = Date.parse(textOf(ownPath(lease, 'spec', 'renewTime')));
  const seconds = ownPath(lease, 'spec', 'leaseDurationSeconds');
  return !(renewed + (typeof seconds === 'number' ? seconds : 12) * 1_000 > clock.now());
}

async function releaseLeases(client: KubeClient, {namespace, dryRun, clock, out}: UninstallPlan): Promise<void> {
  for (const duty of allDuties) {
    const name = leaseOfDuty[duty];
    const live = await orUndefined(client.get({...leases, namespace, name}));
    const holder = textOf(ownPath(live, 'spec', 'holderIdentity'));
    if (live === undefined || holder === '') continue;
    if (!dryRun && !hasRunOut(live, clock)) {
      out(`Lease ${name} is left to ${holder}, which runs\n`);
      continue;
    }
    const spec = own(live, 'spec');
    const free = {...(isObject(spec) ? spec : {}), holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime(clock.now())};
    if (!dryRun) await client.update({...leases, namespace, name}, {...live, spec: free});
    out(`Lease ${name} ${dryRun ? 'would be ' : ''}released, held by ${holder}\n`);
  }
  const {items} = await client.list({...leases, namespace}, {labelSelector: `${replicaLabel}=true`});
  for (const lease of items) {
    const name = textOf(ownPath(lease, 'metadata', 'name'));
    if (!dryRun) await orUndefined(client.delete({...leases, namespace, name}));
    out(`Lease ${name} ${dryRun ? 'would be ' : ''}deleted\n`);
  }
}

/** Others look at requests that wait, not at those that failed. */
async function reopenRequests(client: KubeClient, {namespace, dryRun, out}: UninstallPlan): Promise<void> {
  const listed = await orUndefined(client.list({...requests, namespace}));
  for (const request of listed?.items ?? []) {
    const name = textOf(ownPath(request, 'metadata', 'name'));
    const state = textOf(ownPath(request, 'status', 'state'));
    if (state !== 'Failed' && state !== 'Skip') continue;
    if (!dryRun) await orUndefined(client.patch({...requests, namespace, name}, {status: {state: 'Pending', message: ''}}, {type: 'merge', subresource: 'status'}));
    out(`UpdateRequest ${name} ${dryRun ? 'would wait' : 'waits'} again, was ${state}\n`);
  }
}

async function orUndefined<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (hasStatus(error, 404)) return undefined;
    throw error;
  }
}
