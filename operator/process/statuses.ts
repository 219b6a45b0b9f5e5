import {celStatusSource, lacksRights} from '../cel-policies/cel-status-source.js';
import type {LiveReplicas} from '../leases/live-replicas.js';
import {followRights} from '../permissions/follow-rights.js';
import {createOwnRights} from '../permissions/own-rights.js';
import {classicStatusSource} from '../policies/classic-status-source.js';
import {createStatusController} from '../policies/status-controller.js';
import {joinStatusSources} from '../policies/status-sources.js';
import type {BackgroundConditions} from '../status/background-conditions.js';
import type {Condition} from '../status/conditions.js';
import type {Foundations} from './foundations.js';
import type {Judgement} from './judgement.js';
import type {WebhookServing} from './webhook-serving.js';

export interface StatusOptions {
  readonly replicas: () => LiveReplicas;
  readonly conditions: BackgroundConditions;
  readonly isLeading: () => boolean;
}

export type Statuses = ReturnType<typeof createStatuses>;

/** What the status of each policy says: whether it is served, by which webhooks, with which rights, and what its work met with. */
export function createStatuses({clock, log, client, manager, workers}: Foundations, {cache, cel, native}: Judgement, {webhooks, contests}: WebhookServing, {replicas, conditions, isLeading}: StatusOptions) {
  const reportRights = createOwnRights({client: workers.of('reports'), clock, log, pauseMs: 1_000});
  const toldOf = (kind: string, key: string): readonly Condition[] => [...contests.conditions(), ...conditions.of(kind, key)];

  const status = createStatusController({
    client,
    clock,
    log,
    lister: manager.lister,
    ref: manager.ref,
    replicas: () => replicas().list(),
    registered: webhooks.registered,
    refusedConditions: webhooks.refusedConditions,
    source: joinStatusSources(
      classicStatusSource({cache, refusedConditions: webhooks.refusedConditions, notes: webhooks.notes, native, background: toldOf}),
      celStatusSource({cache: cel.cache, rights: reportRights, background: toldOf, native: policy => native.stateOf(policy), hasOwnConditions: policy => cel.hasOwnConditions(policy)}),
      kind => kind === 'ClusterPolicy' || kind === 'Policy',
    ),
  });
  conditions.subscribe((kind, key) => status.enqueue(kind, key));

  function touchCel(): void {
    for (const {kind, key} of cel.cache.policies()) status.enqueue(kind, key);
  }

  const lateRights = followRights({
    rights: reportRights,
    clock,
    isLacking: () => isLeading() && lacksRights(cel.cache, reportRights),
    onChange: touchCel,
  });

  return {
    status,
    touchAll() {
      for (const {key} of cache.policies()) status.enqueue(key.includes('/') ? 'Policy' : 'ClusterPolicy', key);
      touchCel();
    },
    /** A policy written in CEL came or changed: its rights may be others. */
    touchRights(kind: string, key: string) {
      void reportRights.refresh().then(() => {
        status.enqueue(kind, key);
        lateRights.touch();
      });
    },
    stopRights: () => lateRights.stop(),
  };
}
