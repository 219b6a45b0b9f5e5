import type {CompiledPolicy, CompiledRule} from '../../engine/compile/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import type {FailurePolicy} from '../../engine/types.js';
import {bootstrapMatchCondition, bootstrapOptIn, isBootstrapResource} from './bootstrap-kinds.js';
import {EntryNames} from './entry-names.js';
import {interceptionsOf} from './interceptions.js';
import {type Interception, mergeRules} from './merge-rules.js';
import {systemOptIn} from './system-namespaces.js';
import type {ConfigurationPlan, PolicyWebhookNote, WebhookEntry, WebhookMatchCondition} from './types.js';

export const resourceValidating = 'kyverno-resource-validating-webhook-cfg';
export const resourceMutating = 'kyverno-resource-mutating-webhook-cfg';

export interface ResourcePlanOptions {
  readonly policies: Iterable<CompiledPolicy>;
  readonly resources: ResourceMap;
  /** Seconds; policies can only ask for more, up to 30. */
  readonly defaultTimeout: number;
  /** Every policy counts as `failurePolicy: Ignore`. */
  readonly forceIgnore: boolean;
  /** From the ConfigMap; fine-grained entries have their own instead. */
  readonly matchConditions: readonly WebhookMatchCondition[];
}

export interface ResourcePlan {
  readonly validating: ConfigurationPlan;
  readonly mutating: ConfigurationPlan;
  readonly notes: readonly PolicyWebhookNote[];
}

/** The two dynamic configurations: what policies need, nothing more, in canonical order. */
export function planResourceWebhooks(options: ResourcePlanOptions): ResourcePlan {
  const policies = [...options.policies].filter(policy => policy.source.spec.admission);
  const notes: PolicyWebhookNote[] = [];
  const plan = (type: CompiledRule['type']) => new Planner(type, options, notes).plan(policies);
  return {
    validating: {kind: 'ValidatingWebhookConfiguration', name: resourceValidating, entries: plan('validate')},
    mutating: {kind: 'MutatingWebhookConfiguration', name: resourceMutating, entries: plan('mutate')},
    notes: uniqueNotes(notes),
  };
}

interface Draft {
  readonly name: string;
  /** Of the one policy behind a fine-grained entry; empty for shared ones. */
  readonly policy: string;
  readonly namespace: string;
  readonly path: string;
  readonly failurePolicy: FailurePolicy;
  readonly conditions: readonly WebhookMatchCondition[];
  readonly interceptions: Interception[];
  readonly systemNamespaces: WebhookEntry['systemNamespaces'];
  timeout: number;
}

class Planner {
  readonly #drafts = new Map<string, Draft>();

  constructor(
    readonly type: CompiledRule['type'],
    readonly options: ResourcePlanOptions,
    readonly notes: PolicyWebhookNote[],
  ) {}

  plan(policies: readonly CompiledPolicy[]): WebhookEntry[] {
    for (const policy of policies) this.#add(policy);
    const drafts = [...this.#drafts.values()].filter(draft => draft.interceptions.length > 0).sort(byOwner);
    const names = new EntryNames();
    return drafts
      .map(draft => this.#entry(draft, names.take(draft.name, draft.policy)))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  #add(policy: CompiledPolicy): void {
    const {interceptions, unresolved} = interceptionsOf(policy, this.type, this.options.resources);
    const key = policy.ref.key;
    if (unresolved.length > 0) {
      this.notes.push({policy: key, reason: 'unresolved', message: `the cluster has no kind ${unresolved.join(', ')}`});
    }
    if (interceptions.length === 0) return;
    const failurePolicy = this.options.forceIgnore ? 'Ignore' : policy.failurePolicy;
    if (failurePolicy === 'Fail') this.#noteRisks(policy, interceptions);
    const named = failurePolicy === 'Fail' && !optsIn(policy) ? interceptions.filter(isBootstrap) : [];
    if (named.length > 0) {
      const resources = [...new Set(named.map(item => item.resource))].sort().join(', ');
      this.notes.push({
        policy: key,
        reason: 'bootstrap',
        message: `${resources} must stay writable while the cluster boots: intercepted with failure policy Ignore (annotation ${bootstrapOptIn}: "true" changes that)`,
      });
      this.#draft(policy, 'Ignore', 'bootstrap').interceptions.push(...named);
    }
    const rest = interceptions.filter(item => !named.includes(item));
    this.#draft(policy, failurePolicy).interceptions.push(...rest);
    if (failurePolicy === 'Fail' && !policy.fineGrained && failsInSystem(policy)) this.#draft(policy, failurePolicy, 'system').interceptions.push(...rest);
  }

  #noteRisks(policy: CompiledPolicy, interceptions: readonly Interception[]): void {
    const note = (message: string) => this.notes.push({policy: policy.ref.key, reason: 'risk', message});
    const boot = optsIn(policy) ? [...new Set(interceptions.filter(isBootstrap).map(item => item.resource))].sort().join(', ') : '';
    if (boot !== '') note(`${boot} cannot be written while no replica answers (annotation ${bootstrapOptIn})`);
    if (policy.ref.namespace !== '') return;
    if (failsInSystem(policy)) note(`nothing it matches in namespaces kube-* and openshift-* can be written while no replica answers (annotation ${systemOptIn})`);
    else if (policy.fineGrained) note('its own matchConditions decide whether namespaces kube-* and openshift-* stay writable while no replica answers');
  }

  #draft(policy: CompiledPolicy, failurePolicy: FailurePolicy, special?: 'bootstrap' | 'system'): Draft {
    const bootstrap = special === 'bootstrap';
    const suffix = failurePolicy.toLowerCase();
    const {namespace, name, key} = policy.ref;
    const alone = policy.fineGrained || special === 'system';
    const fine = alone ? `-finegrained-${namespace === '' ? '' : `${namespace}-`}${name}` : '';
    const base = `${this.type}.kyverno.svc-${bootstrap ? 'bootstrap' : suffix}${fine}`;
    // A bootstrap entry asks for all policies; the API server ignores it when nobody answers.
    const route = bootstrap ? `/${this.type}/bootstrap` : `/${this.type}/${suffix}`;
    // Two policies can come to one name (`a/b-c` and `a-b/c`), but never to one entry.
    const owner = alone ? key : '';
    let draft = this.#drafts.get(`${base} ${owner}`);
    if (draft === undefined) {
      draft = {
        policy: owner,
        namespace: alone ? namespace : '',
        name: base === 'validate.kyverno.svc-fail' ? 'validate.kyverno.io' : base,
        path: alone ? `${route}/finegrained/${key}` : route,
        failurePolicy,
        conditions: policy.fineGrained ? policy.source.spec.matchConditions : this.options.matchConditions,
        interceptions: [],
        // Who has conditions of his own decides by them what is asked.
        systemNamespaces: special === 'system' ? 'only' : policy.fineGrained ? 'included' : undefined,
        timeout: this.options.defaultTimeout,
      };
      this.#drafts.set(`${base} ${owner}`, draft);
    }
    draft.timeout = Math.min(30, Math.max(draft.timeout, policy.source.spec.timeoutSeconds ?? 0));
    return draft;
  }

  #entry(draft: Draft, name: string): WebhookEntry {
    const wild = draft.failurePolicy === 'Fail' && draft.interceptions.some(item => /\*/.test(item.group + item.resource));
    const conditions = draft.conditions.map(condition => ({name: condition.name, expression: condition.expression}));
    return {
      name,
      path: draft.path,
      failurePolicy: draft.failurePolicy,
      rules: mergeRules(draft.interceptions),
      timeoutSeconds: draft.timeout,
      sideEffects: 'NoneOnDryRun',
      matchConditions: wild ? [...conditions, bootstrapMatchCondition] : conditions,
      ...(draft.namespace !== '' && {namespace: draft.namespace}),
      ...(draft.systemNamespaces !== undefined && {systemNamespaces: draft.systemNamespaces}),
    };
  }
}

/** Shared entries and cluster policies first: no namespaced policy takes their names. */
function byOwner(a: Draft, b: Draft): number {
  const rank = (draft: Draft) => (draft.policy === '' ? 0 : draft.namespace === '' ? 1 : 2);
  return rank(a) - rank(b) || (a.policy < b.policy ? -1 : 1);
}

/** The shared Fail entry is the whole cluster's: a tenant cannot take that risk for all. */
function optsIn({ref, source}: CompiledPolicy): boolean {
  return ref.namespace === '' && source.annotations[bootstrapOptIn] === 'true';
}

function failsInSystem({ref, source}: CompiledPolicy): boolean {
  return ref.namespace === '' && source.annotations[systemOptIn] === 'true';
}

function isBootstrap(item: Interception): boolean {
  return isBootstrapResource(item.group, item.resource);
}

function uniqueNotes(notes: readonly PolicyWebhookNote[]): PolicyWebhookNote[] {
  return [...new Map(notes.map(note => [`${note.policy}|${note.reason}|${note.message}`, note])).values()];
}

/** Fixed configurations that send us everything, for installations that let nobody change them at run time. */
export function planFixedWebhooks(options: {readonly defaultTimeout: number}): ConfigurationPlan[] {
  return (['validate', 'mutate'] as const).map(type => ({
    kind: type === 'validate' ? 'ValidatingWebhookConfiguration' : 'MutatingWebhookConfiguration',
    name: type === 'validate' ? resourceValidating : resourceMutating,
    entries: (['Fail', 'Ignore'] as const).map(failurePolicy => fixedEntry(type, failurePolicy, options.defaultTimeout)),
  }));
}

function fixedEntry(type: CompiledRule['type'], failurePolicy: FailurePolicy, timeoutSeconds: number): WebhookEntry {
  const suffix = failurePolicy.toLowerCase();
  const name = `${type}.kyverno.svc-${suffix}`;
  const operations = type === 'validate' ? ['CONNECT', 'CREATE', 'DELETE', 'UPDATE'] : ['CREATE', 'UPDATE'];
  return {
    name: name === 'validate.kyverno.svc-fail' ? 'validate.kyverno.io' : name,
    path: `/${type}/${suffix}`,
    failurePolicy,
    rules: [{apiGroups: ['*'], apiVersions: ['*'], operations, resources: ['*/*'], scope: '*'}],
    timeoutSeconds,
    sideEffects: 'NoneOnDryRun',
    matchConditions: failurePolicy === 'Fail' ? [bootstrapMatchCondition] : [],
  };
}
