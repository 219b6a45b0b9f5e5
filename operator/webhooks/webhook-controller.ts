import type {Clock} from '../../adapters/clock.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import type {ObjectReader} from '../../adapters/kube/object-store.js';
import {compareResourceVersions} from '../../adapters/kube/resource-version.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {CompiledPolicy} from '../../engine/compile/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import type {PolicyCache} from '../../engine/snapshot/policy-cache.js';
import type {OperatorConfig} from '../config/config-map.js';
import type {Flags} from '../config/flags.js';
import {createWorkQueue} from '../manager/work-queue.js';
import {createConditionTrials, type ServedState} from './condition-trials.js';
import {trySharedConditions} from './match-condition-trial.js';
import type {Contests} from './contests.js';
import type {CelPlan} from './plan-cel-webhooks.js';
import {planFixedWebhooks, planResourceWebhooks} from './plan-resource-webhooks.js';
import {planStaticWebhooks} from './plan-static-webhooks.js';
import {configurationStep} from './reconcile-configuration.js';
import {renderConfiguration} from './render-configuration.js';
import {staleConfigurations} from './stale-configurations.js';
import {guardSystemNamespaces} from './system-namespaces.js';
import type {ConfigurationKind, ConfigurationPlan, PolicyWebhookNote, WebhookEntry, WebhookMatchCondition} from './types.js';
import {textOf} from '../../engine/json/text.js';

export const configurationResources: Readonly<Record<ConfigurationKind, string>> = {
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
};

export interface WebhookControllerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly cache: PolicyCache;
  readonly resources: () => ResourceMap;
  readonly lister: (key: string) => ObjectReader;
  readonly config: () => OperatorConfig;
  readonly flags: Flags;
  readonly service: {readonly namespace: string; readonly name: string};
  /** PEM; undefined until there are certificates. */
  readonly caBundle: () => string | undefined;
  /** Cluster-scoped object of the installation whose end takes the configurations along. */
  readonly owner: () => JsonObject | undefined;
  /** The installation is being removed: nothing of it is made anew. */
  readonly isLeaving: () => boolean;
  readonly contests: Contests;
  /** Policies that the API server judges by copies of its own. */
  readonly isNative?: (policy: CompiledPolicy) => boolean;
  /** Entries of policies written in CEL, and what they cover by `<Kind>/<key>`; worked out anew for each look. */
  readonly cel?: () => {readonly plan: CelPlan; readonly covers: ReadonlyArray<{readonly id: string; readonly uid: string; readonly generation: number}>};
  /** The configurations in force cover these policies now. */
  readonly onApplied: () => void;
}

export interface WebhookController {
  /** Something that configurations depend on has changed. */
  touch(): void;
  /** Which wording of the policy the configurations in force cover; undefined also until this leader has looked. */
  registered(key: string): {readonly uid: string; readonly generation: number} | undefined;
  refusedConditions(key: string): string | undefined;
  notes(key: string): readonly PolicyWebhookNote[];
  setLeading(leading: boolean): void;
  stop(): Promise<void>;
}

const settleMs = 50;
const trialMs = 5_000;
/** From the first writing of webhooks to the second: longer than an API server takes to read its configurations. */
const secondWriteMs = 2_000;
/** Few, and policies wait for them: they do not queue behind Events. */
const write = {fieldManager: 'kyverno', unthrottled: true} as const;
const group = {group: 'admissionregistration.k8s.io', version: 'v1'} as const;

/** Keeps all our webhook configurations as policies need them. Runs on the leader. */
export function createWebhookController(options: WebhookControllerOptions): WebhookController {
  const {client, clock, log, cache, flags} = options;
  const registered = new Map<string, {readonly uid: string; readonly generation: number}>();
  /** Each configuration as we wrote it last: another version is somebody else's, and an older one an old story. */
  const written = new Map<string, JsonObject>();
  /** Of each configuration, when its webhooks are written a second time (monotonic). */
  const settleAt = new Map<string, number>();
  let sharedTrial: {readonly conditions: readonly WebhookMatchCondition[]; readonly refusal: string | undefined} | undefined;
  let notes = new Map<string, PolicyWebhookNote[]>();
  let leading = false;

  const trials = createConditionTrials({client, clock, log, onLateAnswer: () => queue.add('all')});
  const queue = createWorkQueue({
    clock,
    concurrency: 1,
    run: reconcile,
    maxRetryMs: 5_000,
    onError(_key, error, retryInMs) {
      // Somebody wrote in between: the watch brings their version, then we look again.
      if (hasStatus(error, 409)) log.v(2, 'a webhook configuration changed meanwhile');
      else log.error('webhook configurations could not be written', {error: String(error), retryInMs});
    },
  });
  queue.pause();

  async function reconcile(): Promise<void> {
    const caBundle = options.caBundle();
    if (caBundle === undefined || options.isLeaving()) return;
    const served = [...cache.policies()].filter((state): state is ServedState => state.status === 'served' && options.isNative?.(state.policy) !== true);
    const {policies, current} = await trials.judge(served);
    const cel = options.cel?.();
    const plans: ConfigurationPlan[] = planStaticWebhooks({defaultTimeout: flags.webhookTimeout});
    if (flags.autoUpdateWebhooks) {
      const plan = planResourceWebhooks({
        policies,
        resources: options.resources(),
        defaultTimeout: flags.webhookTimeout,
        forceIgnore: flags.forceFailurePolicyIgnore,
        matchConditions: await sharedConditions(),
      });
      plans.push(...guardSystemNamespaces(withEntries(plan.validating, cel?.plan.validating)), ...guardSystemNamespaces(withEntries(plan.mutating, cel?.plan.mutating)));
      notes = groupNotes(plan.notes);
    } else {
      plans.push(...planFixedWebhooks({defaultTimeout: flags.webhookTimeout}).flatMap(guardSystemNamespaces));
    }
    const wanted = flags.autoUpdateWebhooks ? plans : plans.filter(plan => !plan.name.startsWith('kyverno-resource-') || !isThere(plan));
    let inForce = true;
    for (const plan of wanted) {
      // Another replica may lead by now.
      if (!leading) return;
      inForce = (await apply(plan, caBundle)) && inForce;
    }
    await removeStale(plans);
    // What somebody else keeps out of the API server covers no policy.
    if (!inForce || !leading) return;
    registered.clear();
    for (const {key, uid, generation} of current) registered.set(key, {uid, generation});
    for (const {id, uid, generation} of cel?.covers ?? []) registered.set(id, {uid, generation});
    options.onApplied();
  }

  /** The ConfigMap's conditions when the API server takes them; a broken one must not keep every entry from being written. */
  async function sharedConditions(): Promise<readonly WebhookMatchCondition[]> {
    const {matchConditions} = options.config();
    if (matchConditions.length === 0) return matchConditions;
    if (sharedTrial?.conditions !== matchConditions) {
      try {
        sharedTrial = {conditions: matchConditions, refusal: await trySharedConditions(client, matchConditions, {timeoutMs: trialMs})};
        if (sharedTrial.refusal !== undefined) log.error(`ConfigMap key matchConditions is ignored, it failed: ${sharedTrial.refusal}`);
      } catch (error) {
        // Without an answer the former ones stand; policies do not wait for it.
        if (sharedTrial === undefined) throw error;
        log.warn('the API server gave no answer on the ConfigMap key matchConditions', {error: String(error)});
        queue.addAfter('all', trialMs);
      }
    }
    return sharedTrial.refusal === undefined ? sharedTrial.conditions : [];
  }

  function isThere(plan: ConfigurationPlan): boolean {
    return options.lister(configurationResources[plan.kind]).get(plan.name) !== undefined;
  }

  /** False when the configuration is left as somebody else has it for now. */
  async function apply(plan: ConfigurationPlan, caBundle: string): Promise<boolean> {
    const config = options.config();
    const wanted = renderConfiguration(plan, {
      service: {...options.service, port: flags.servicePort},
      serverIP: flags.serverIP,
      caBundle,
      labels: config.webhookLabels,
      annotations: config.webhookAnnotations,
      namespaceSelector: config.webhooks.namespaceSelector as JsonObject | undefined,
      objectSelector: config.webhooks.objectSelector as JsonObject | undefined,
      owner: options.owner(),
    });
    const collection = {...group, resource: configurationResources[plan.kind]};
    const live = newest(options.lister(configurationResources[plan.kind]).get(plan.name), written.get(plan.name));
    const step = configurationStep(wanted, live);
    if (step.action === 'none') return true;
    if (step.action === 'settle' && !isSettleDue(plan.name)) return true;
    if (live !== undefined && contested(plan.name, versionOf(live))) return false;
    const stored =
      step.action === 'create'
        ? await client.create(collection, step.object, write)
        : await client.update({...collection, name: plan.name}, step.object, write);
    written.set(plan.name, stored);
    if (step.action === 'settle') {
      log.v(2, `webhook configuration ${plan.name} written a second time`);
      return true;
    }
    settleAt.delete(plan.name);
    isSettleDue(plan.name);
    log.v(1, `webhook configuration ${plan.name} ${step.action === 'create' ? 'created' : 'updated'}`, {entries: plan.entries.length});
    return true;
  }

  /** What the peer, or another version, left behind under our label. */
  async function removeStale(plans: readonly ConfigurationPlan[]): Promise<void> {
    for (const [kind, resource] of Object.entries(configurationResources)) {
      const planned = new Set(plans.flatMap(plan => (plan.kind === kind ? [plan.name] : [])));
      for (const live of staleConfigurations(options.lister(resource).objects(), planned, options.service.namespace)) {
        if (!leading) return;
        const name = textOf(ownPath(live, 'metadata', 'name'));
        try {
          await client.delete({...group, resource, name}, {uid: textOf(ownPath(live, 'metadata', 'uid')), unthrottled: true});
          log.info(`webhook configuration ${name} removed: nobody serves it`);
        } catch (error) {
          if (!hasStatus(error, 404) && !hasStatus(error, 409)) throw error;
        }
      }
    }
  }

  /** Else has us look again when it is. */
  function isSettleDue(name: string): boolean {
    const now = clock.monotonic();
    const due = settleAt.get(name) ?? now + secondWriteMs;
    settleAt.set(name, due);
    if (now < due) queue.addAfter('all', due - now);
    return now >= due;
  }

  /** Somebody who rewrites what we write again and again is answered seldom in the end. Own changes count for nothing. */
  function contested(name: string, version: string): boolean {
    const last = written.get(name);
    if (last === undefined || versionOf(last) === version) return false;
    const rest = options.contests.edited(name);
    if (rest > 0) queue.addAfter('all', rest);
    return rest > 0;
  }

  return {
    touch: () => queue.addAfter('all', settleMs),
    registered: key => registered.get(key),
    refusedConditions: key => trials.refusal(key),
    notes: key => notes.get(key) ?? [],
    setLeading(now) {
      leading = now;
      registered.clear();
      written.clear();
      settleAt.clear();
      if (now) {
        queue.add('all');
        queue.resume();
      } else queue.pause();
    },
    async stop() {
      await Promise.all([queue.stop(), trials.stop()]);
    },
  };
}

/** The mirror may not have heard yet of what we wrote a moment ago; what it no longer has is gone. */
export function newest(mirrored: JsonObject | undefined, own: JsonObject | undefined): JsonObject | undefined {
  if (mirrored === undefined || own === undefined) return mirrored;
  const isSameObject = ownPath(mirrored, 'metadata', 'uid') === ownPath(own, 'metadata', 'uid');
  return isSameObject && compareResourceVersions(versionOf(mirrored), versionOf(own)) < 0 ? own : mirrored;
}

function versionOf(object: JsonObject): string {
  return textOf(ownPath(object, 'metadata', 'resourceVersion'));
}

function withEntries(plan: ConfigurationPlan, entries: readonly WebhookEntry[] = []): ConfigurationPlan {
  return {...plan, entries: [...plan.entries, ...entries].sort((a, b) => (a.name < b.name ? -1 : 1))};
}

function groupNotes(notes: readonly PolicyWebhookNote[]): Map<string, PolicyWebhookNote[]> {
  const grouped = new Map<string, PolicyWebhookNote[]>();
  for (const note of notes) {
    const list = grouped.get(note.policy);
    if (list === undefined) grouped.set(note.policy, [note]);
    else list.push(note);
  }
  return grouped;
}
