import {createHash} from 'node:crypto';
import {changesExisting, changesRequests} from '../cel-policies/mutation-modes.js';
import type {MatchConstraints, NamedExpression, ResourceRule} from '../../engine/cel-policies/model.js';
import type {CompiledCelPolicy} from '../../engine/cel-policies/types.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {LabelSelector} from '../../engine/policy/model.js';
import type {FailurePolicy} from '../../engine/types.js';
import {bootstrapMatchCondition, isBootstrapResource} from './bootstrap-kinds.js';
import {entryConditions, isWild} from './cel-conditions.js';
import {EntryNames} from './entry-names.js';
import {systemOptIn} from './system-namespaces.js';
import type {WebhookEntry, WebhookMatchCondition, WebhookRule} from './types.js';

export interface CelPlanOptions {
  /** What is served; policies that a native policy stands in for are left out by the caller. */
  readonly policies: Iterable<CompiledCelPolicy>;
  /** Seconds, where the policy asks for nothing else. */
  readonly defaultTimeout: number;
  readonly forceIgnore: boolean;
  /** Whether the API server may judge the policy's conditions for us: they mean the same there. */
  readonly offloads: (policy: CompiledCelPolicy) => boolean;
  /** Whether a condition may go into the configuration once its policy is off-loaded. */
  readonly offloadsCondition: (condition: NamedExpression) => boolean;
}

export interface CelPlan {
  readonly validating: readonly WebhookEntry[];
  readonly mutating: readonly WebhookEntry[];
}

interface KindOfEntry {
  readonly base: string;
  readonly path: string;
  readonly webhook: 'validating' | 'mutating';
  readonly takes?: (policy: CompiledCelPolicy) => boolean;
}

/** By kind; several where a kind has a part in both configurations. Names of entries are unique: each base stands once. */
const entryKinds: Readonly<Record<string, readonly KindOfEntry[]>> = {
  ImageValidatingPolicy: imageEntries('ivpol'),
  NamespacedImageValidatingPolicy: imageEntries('nivpol'),
  ValidatingPolicy: [{base: 'vpol.validate.kyverno.svc', path: '/vpol', webhook: 'validating'}],
  NamespacedValidatingPolicy: [{base: 'nvpol.validate.kyverno.svc', path: '/nvpol', webhook: 'validating'}],
  GeneratingPolicy: [{base: 'gpol.validate.kyverno.svc', path: '/gpol', webhook: 'validating'}],
  NamespacedGeneratingPolicy: [{base: 'ngpol.validate.kyverno.svc', path: '/ngpol', webhook: 'validating'}],
  MutatingPolicy: mutatingEntries('mpol'),
  NamespacedMutatingPolicy: mutatingEntries('nmpol'),
};

function imageEntries(name: string): readonly KindOfEntry[] {
  return [
    {base: `${name}.validate.kyverno.svc`, path: `/${name}/validate`, webhook: 'validating'},
    {base: `${name}.mutate.kyverno.svc`, path: `/${name}/mutate`, webhook: 'mutating'},
  ];
}

/** Triggers of work on existing objects are told of when they are as they will be stored: named, and let in by all who mutate. */
function mutatingEntries(name: string): readonly KindOfEntry[] {
  return [
    {base: `${name}.validate.kyverno.svc`, path: `/${name}`, webhook: 'mutating', takes: changesRequests},
    {base: `${name}.existing.kyverno.svc`, path: `/${name}-existing`, webhook: 'validating', takes: changesExisting},
  ];
}

const generatingOperations = ['CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

/** Entries of the policies written in CEL: one per policy that has settings of its own, else one per selectors and failure policy. */
export function planCelWebhooks(options: CelPlanOptions): CelPlan {
  const policies = [...options.policies].filter(takesPartInAdmission).sort(byKindAndKey);
  const entries = Object.entries(entryKinds).flatMap(([kind, parts]) =>
    parts.flatMap(part => {
      const ofKind = policies.filter(policy => policy.ref.kind === kind && hasPartIn(policy, part.webhook) && part.takes?.(policy) !== false);
      return new KindPlanner(part, options).plan(ofKind).map(entry => ({webhook: part.webhook, entry}));
    }),
  );
  const of = (webhook: 'validating' | 'mutating') =>
    entries.filter(item => item.webhook === webhook).map(item => item.entry).sort((a, b) => (a.name < b.name ? -1 : 1));
  return {validating: of('validating'), mutating: of('mutating')};
}

class KindPlanner {
  readonly #names = new EntryNames();

  constructor(
    readonly kind: KindOfEntry,
    readonly options: CelPlanOptions,
  ) {}

  plan(policies: readonly CompiledCelPolicy[]): WebhookEntry[] {
    const fine = policies.filter(policy => this.#isFineGrained(policy));
    const shared = policies.filter(policy => !fine.includes(policy));
    return [...fine.flatMap(policy => this.#own(policy)), ...this.#shared(shared)];
  }

  #isFineGrained(policy: CompiledCelPolicy): boolean {
    const {timeoutSeconds} = commonSpec(policy);
    return timeoutSeconds !== undefined || policyConstraints(policy)?.matchPolicy === 'Exact' || failsInSystemNamespaces(policy) || this.#offloads(policy);
  }

  #offloads(policy: CompiledCelPolicy): boolean {
    return commonSpec(policy).matchConditions.length > 0 && this.options.offloads(policy);
  }

  #own(policy: CompiledCelPolicy): WebhookEntry[] {
    const {namespace, name} = policy.ref;
    const id = namespace === '' ? name : `${namespace}-${name}`;
    const conditions = this.#offloads(policy) ? entryConditions(policy, this.options.offloadsCondition) : [];
    return this.#entries([policy], `finegrained-${id}`, conditions);
  }

  #shared(policies: readonly CompiledCelPolicy[]): WebhookEntry[] {
    const groups = new Map<string, CompiledCelPolicy[]>();
    for (const policy of policies) {
      const key = JSON.stringify([policy.ref.namespace, selectorsOf(policy)]);
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [policy]);
      else group.push(policy);
    }
    return [...groups].flatMap(([key, group]) => {
      const suffix = groups.size === 1 ? '' : createHash('sha256').update(key).digest('hex').slice(0, 8);
      return this.#entries(group, suffix, []);
    });
  }

  /** One entry for what fails closed, one for what does not; each names its own policies only. */
  #entries(group: readonly CompiledCelPolicy[], suffix: string, conditions: readonly WebhookMatchCondition[]): WebhookEntry[] {
    return (['Fail', 'Ignore'] as const).flatMap(failurePolicy => {
      const parts = group.flatMap(policy => {
        const rules = rulesOf(policy, this.#failurePolicy(policy), failurePolicy);
        return rules.length === 0 ? [] : [{policy, rules}];
      });
      const first = parts[0];
      if (first === undefined) return [];
      const rules = uniqueRules(parts.flatMap(part => part.rules));
      const {namespaceSelector, objectSelector} = selectorsOf(first.policy);
      const {timeoutSeconds} = commonSpec(first.policy);
      const wild = failurePolicy === 'Fail' && rules.some(isWild);
      const {namespace} = first.policy.ref;
      const entry: WebhookEntry = {
        name: this.#names.take(`${this.kind.base}-${failurePolicy.toLowerCase()}${suffix === '' ? '' : `-${suffix}`}`, first.policy.ref.key),
        path: `${this.kind.path}/${[...new Set(parts.map(part => part.policy.ref.name))].sort().join('/')}`,
        failurePolicy,
        rules,
        timeoutSeconds: Math.min(30, Math.max(1, timeoutSeconds ?? this.options.defaultTimeout)),
        sideEffects: 'NoneOnDryRun',
        matchConditions: wild ? [...conditions, bootstrapMatchCondition] : conditions,
        reinvocationPolicy: 'Never',
        ...(namespaceSelector !== undefined && {namespaceSelector}),
        ...(objectSelector !== undefined && {objectSelector}),
        ...(this.#isExact(first.policy) && {matchPolicy: 'Exact' as const}),
        ...(namespace !== '' && {namespace}),
        ...((conditions.length > 0 || failsInSystemNamespaces(first.policy)) && {systemNamespaces: 'included' as const}),
      };
      return [entry];
    });
  }

  /** Digests are filled in whatever version an object is sent in. */
  #isExact(policy: CompiledCelPolicy): boolean {
    const pins = policy.source.type === 'imageValidating' && this.kind.webhook === 'mutating';
    return !pins && policyConstraints(policy)?.matchPolicy === 'Exact';
  }

  #failurePolicy(policy: CompiledCelPolicy): FailurePolicy {
    return this.options.forceIgnore || policy.source.type === 'generating' ? 'Ignore' : policy.failurePolicy;
  }
}

/** Of a policy that one cluster's administrator answers for. */
export function failsInSystemNamespaces({ref, source}: CompiledCelPolicy): boolean {
  return ref.namespace === '' && source.annotations[systemOptIn] === 'true';
}

function takesPartInAdmission(policy: CompiledCelPolicy): boolean {
  return Object.hasOwn(entryKinds, policy.ref.kind) && commonSpec(policy).admission && commonSpec(policy).mode === 'Kubernetes';
}

/** Only what names images by their digests has a part in mutation. */
function hasPartIn({source}: CompiledCelPolicy, webhook: KindOfEntry['webhook']): boolean {
  return source.type !== 'imageValidating' || webhook === 'validating' || source.spec.mutateDigest;
}

type Common = Pick<Extract<CompiledCelPolicy['source'], {type: 'validating'}>['spec'], 'matchConditions' | 'timeoutSeconds' | 'admission' | 'mode'>;

function commonSpec(policy: CompiledCelPolicy): Common {
  const {source} = policy;
  if (source.type === 'deleting') {
    return {matchConditions: [], timeoutSeconds: undefined, admission: false, mode: 'Kubernetes'};
  }
  return source.spec;
}

function policyConstraints(policy: CompiledCelPolicy): MatchConstraints | undefined {
  return policy.source.spec.matchConstraints;
}

/** A tenant's selector of namespaces counts for nothing: its entry is held to the one namespace anyway. */
function selectorsOf(policy: CompiledCelPolicy): {namespaceSelector: JsonObject | undefined; objectSelector: JsonObject | undefined} {
  const constraints = policyConstraints(policy);
  return {
    namespaceSelector: policy.ref.namespace === '' ? selectorJson(constraints?.namespaceSelector) : undefined,
    objectSelector: selectorJson(constraints?.objectSelector),
  };
}

function selectorJson(selector: LabelSelector | undefined): JsonObject | undefined {
  if (selector === undefined) return undefined;
  const json = JSON.parse(JSON.stringify(selector)) as JsonObject;
  const kept = Object.entries(json).filter(([, value]) => typeof value === 'object' && value !== null && Object.keys(value).length > 0);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** What of a policy's rules goes into entries of `wanted`: kinds a cluster boots with never fail closed. */
function rulesOf(policy: CompiledCelPolicy, failurePolicy: FailurePolicy, wanted: FailurePolicy): WebhookRule[] {
  const generating = policy.source.type === 'generating';
  return policy.variants.flatMap(variant =>
    (variant.constraints?.resourceRules ?? []).flatMap(rule => {
      const boot = failurePolicy === 'Fail' ? rule.resources.filter(resource => isBootstrap(rule, resource)) : [];
      const resources = wanted === failurePolicy ? rule.resources.filter(resource => !boot.includes(resource)) : wanted === 'Ignore' ? boot : [];
      return resources.length === 0 ? [] : [webhookRule({...rule, resources}, generating)];
    }),
  );
}

function isBootstrap(rule: ResourceRule, resource: string): boolean {
  return rule.apiGroups.some(group => isBootstrapResource(group, resource));
}

function webhookRule(rule: ResourceRule, generating: boolean): WebhookRule {
  return {
    apiGroups: [...rule.apiGroups],
    apiVersions: [...rule.apiVersions],
    operations: generating ? generatingOperations : [...rule.operations],
    resources: [...rule.resources],
    scope: rule.scope,
  };
}

function uniqueRules(rules: readonly WebhookRule[]): WebhookRule[] {
  const byText = new Map(rules.map(rule => [JSON.stringify([rule.apiGroups, rule.apiVersions, rule.resources, rule.scope, rule.operations]), rule]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, rule]) => rule);
}

function byKindAndKey(a: CompiledCelPolicy, b: CompiledCelPolicy): number {
  const key = ({ref}: CompiledCelPolicy) => `${ref.kind}/${ref.key}`;
  return key(a) < key(b) ? -1 : 1;
}
