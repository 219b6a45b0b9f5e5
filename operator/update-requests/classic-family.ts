import {createHash} from 'node:crypto';
import type {CompiledPolicy} from '../../engine/compile/types.js';
import {RequestContext} from '../../engine/context/request-context.js';
import {sourceOf} from '../../engine/generate/labels.js';
import {stringifyJson} from '../../engine/json/stringify.js';
import {textOf} from '../../engine/json/text.js';
import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {ResourceFilter} from '../../engine/policy/model.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import type {BackgroundRule as CompiledBackgroundRule} from '../../engine/snapshot/policy-snapshot.js';
import {writePlaceOf} from '../../engine/targets/subresource.js';
import type {EngineRequest, RuleResult} from '../../engine/types.js';
import type {AdmissionRoute} from '../../webhook/routes.js';
import {createdAt} from '../created-at.js';
import type {Core} from '../feature.js';
import type {BackgroundFamily, BackgroundPolicy, BackgroundRule, Triggered} from './background-policy.js';
import {celReadsOf, readsOf} from './rule-reads.js';
import {createLookupGroups} from './same-lookups.js';
import {namedObject} from './trigger.js';
import {kindsOfSelectors, kindsOfTexts} from './trigger-kinds.js';

/** On a policy: what cannot be changed in an object may be changed by making the object anew. */
export const recreateAnnotation = 'generate.kyverno.io/recreate';

type ClassicCore = Pick<Core, 'cache' | 'engine' | 'resources' | 'metrics' | 'clock'>;

/** ClusterPolicy and Policy. */
export function classicFamily({cache, engine, resources, metrics, clock}: ClassicCore): BackgroundFamily {
  const known = new WeakMap<CompiledPolicy, BackgroundPolicy>();
  const viewOf = (policy: CompiledPolicy) => {
    let view = known.get(policy);
    if (view === undefined) known.set(policy, (view = policyView(policy, resources)));
    return view;
  };

  function candidates(request: EngineRequest, {failurePolicy, policies}: AdmissionRoute): CompiledPolicy[] {
    const snapshot = cache.current;
    if (policies !== undefined) {
      return policies.map(key => snapshot.byKey(key)).filter(policy => policy !== undefined).filter(policy => policy.backgroundRules.length > 0);
    }
    const index = snapshot.backgroundCandidates(request);
    if (index.all.length === 0) return [];
    return index
      .select(new RequestContext(request))
      .map(({policy}) => policy)
      .filter(policy => policy.source.spec.admission && (failurePolicy === undefined || policy.failurePolicy === failurePolicy));
  }

  const groupsOf = createLookupGroups(lookupsOf);

  async function selectedOf(group: readonly CompiledPolicy[], request: EngineRequest, deadline: number): Promise<Triggered[]> {
    const {results} = await engine.generate(request, {only: group.map(({ref}) => ref.key), selectOnly: true, deadline});
    const found = group.map(async policy => {
      const told = results.filter(result => result.policy.key === policy.ref.key).flatMap(({rules}) => rules);
      return {policy: viewOf(policy), rules: await selected(policy, told, request, deadline)};
    });
    return (await Promise.all(found)).filter(({rules}) => rules.length > 0);
  }

  /** Rules that the request triggers, as far as can be told by the deadline; what cannot be told is for the background to find out. */
  async function selected(policy: CompiledPolicy, first: readonly RuleResult[], request: EngineRequest, deadline: number): Promise<BackgroundRule[]> {
    const found: BackgroundRule[] = [];
    let {rules} = viewOf(policy);
    for (let told = first; ; ) {
      const names = new Set(told.filter(({status}) => status === 'pass' || status === 'error').map(({rule}) => rule));
      const triggered = rules.filter(({name}) => names.has(name));
      const [next] = triggered;
      if (policy.source.spec.applyRules !== 'One') return triggered;
      // Rules that mutate are work of their own each: where one goes before or behind what cannot be told, both would be applied.
      if (next === undefined || (found.length > 0 && next.type === 'mutate')) return found;
      found.push(next);
      const isOpen = told.some(({rule, status}) => rule === next.name && status === 'error');
      rules = rules.slice(rules.indexOf(next) + 1);
      if (!isOpen || next.type === 'mutate' || rules.length === 0) return found;
      const {results} = await engine.generate(request, {only: [policy.ref.key], rules: rules.map(({name}) => name), selectOnly: true, deadline});
      told = results.flatMap(result => result.rules);
    }
  }

  return {
    *policies() {
      for (const policy of cache.current.policies.values()) if (policy.backgroundRules.length > 0) yield viewOf(policy);
    },
    policy(id) {
      const state = cache.policy(id.slice(id.indexOf('/') + 1));
      return state?.status === 'served' && policyId(state.policy) === id ? viewOf(state.policy) : undefined;
    },
    idOf: (type, key) => (type === 'generate' || type === 'mutate' ? `${key.includes('/') ? 'Policy' : 'ClusterPolicy'}/${key}` : undefined),
    requestType: rule => rule.type,
    concerns: (request, route) => route.handler === 'validate' && candidates(request, route).length > 0,
    // One that waits for an answer keeps waiting only who waits for the same.
    triggered: (request, route, deadline) => groupsOf(candidates(request, route)).map(group => selectedOf(group, request, deadline)),
    async evaluate(policy, rules, request, deadline) {
      const started = clock.monotonic();
      const {results} = await engine.generate(request, {only: [policy.ref.key], rules: rules.map(rule => rule.name), deadline});
      const seconds = (clock.monotonic() - started) / 1000;
      metrics.policyResults(request, results, {cause: 'background_scan', evaluated: seconds, applied: seconds});
      return results.flatMap(result =>
        result.rules.map(({rule, status, message, targets = []}) => ({
          rule,
          status,
          message,
          targets: targets.map(object => {
            const source = sourceOf(object);
            return {object, source: source && namedObject(source), place: writePlaceOf(object)};
          }),
        })),
      );
    },
  };
}

function policyId({ref}: CompiledPolicy): string {
  return `${ref.namespace === '' ? 'ClusterPolicy' : 'Policy'}/${ref.key}`;
}

function policyView(policy: CompiledPolicy, resources: () => ResourceMap): BackgroundPolicy {
  const {ref, source} = policy;
  const created = createdAt(source.raw);
  return {
    id: policyId(policy),
    ref,
    uid: source.uid,
    created: Number.isNaN(created) ? 0 : created,
    version: digest(stringifyJson(own(source.raw, 'spec') ?? {})),
    recreates: source.annotations[recreateAnnotation] === 'true',
    keepsAdditions: source.spec.useServerSideApply,
    appliesAgain: false,
    appliesOne: source.spec.applyRules === 'One',
    rules: policy.backgroundRules.map(rule => ruleView(rule, policy, resources)),
  };
}

function ruleView(rule: CompiledBackgroundRule, policy: CompiledPolicy, resources: () => ResourceMap): BackgroundRule {
  const {source} = rule;
  const raw = rawRule(policy, rule.name);
  const {needsRequest, reads, ...text} = readsOf(raw);
  const filters = [...source.match.filters, ...(source.exclude?.filters ?? [])];
  const conditions = celReadsOf(ownPath(policy.source.raw, 'spec', 'webhookConfiguration', 'matchConditions') ?? []);
  const shared = {
    name: rule.name,
    operations: rule.operations,
    ...text,
    reads: [...reads, ...annotationsOf(filters), ...conditions.reads],
    needsRequest: needsRequest || conditions.needsRequest || filters.some(asksWho),
    judgesByRequest: needsRequest,
    // With one rule per request, another one may have come first.
    selectsByRequest: conditions.needsRequest || policy.source.spec.applyRules === 'One',
    skipBackgroundRequests: source.skipBackgroundRequests,
    triggers: () => kindsOfSelectors(rule.kinds, resources()),
  };
  if (rule.type === 'mutateExisting') {
    const existing = source.action.type === 'mutate' && source.action.mutateExistingOnPolicyUpdate;
    return {...shared, type: 'mutate', synchronize: false, orphan: true, existing, pattern: '', fansOut: false, targetsByTrigger: true, sources: () => [], sourceNamespaces: undefined, makes: () => []};
  }
  const generate: JsonObject = source.action.type === 'generate' ? source.action.raw : {};
  const entries = own(generate, 'foreach');
  const blocks = Array.isArray(entries) ? entries.filter(isObject) : [generate];
  const fansOut = blocks.some(copiesTrigger);
  return {
    ...shared,
    type: 'generate',
    synchronize: own(generate, 'synchronize') === true || fansOut,
    orphan: own(generate, 'orphanDownstreamOnPolicyDelete') === true,
    existing: own(generate, 'generateExisting') === true,
    pattern: digest(stringifyJson(blocks.map(namingOf), {sortKeys: true})).slice(0, 8),
    fansOut,
    targetsByTrigger: true,
    sourceNamespaces: namespacesOf(blocks),
    sources: () => kindsOfTexts(blocks.flatMap(sourceTexts), resources()),
    makes: () => kindsOfTexts(blocks.flatMap(madeTexts), resources()),
  };
}

/** What the rules' contexts ask for: without the names and what is made of the answers. */
function lookupsOf(policy: CompiledPolicy): string[] {
  const entries = policy.backgroundRules.map(rule => own(rawRule(policy, rule.name), 'context')).flatMap(context => (Array.isArray(context) ? context.filter(isObject) : []));
  return entries.flatMap(entry => ['apiCall', 'configMap', 'imageRegistry'].map(key => own(entry, key)).filter(isObject)).map(({jmesPath: _path, default: _default, ...asked}) => stringifyJson(asked, {sortKeys: true}));
}

function asksWho({roles, clusterRoles, subjects}: ResourceFilter): boolean {
  return roles.length + clusterRoles.length + subjects.length > 0;
}

function annotationsOf(filters: readonly ResourceFilter[]): string[][] {
  return filters.flatMap(({annotations}) => Object.keys(annotations ?? {}).map(key => (/[*?]/.test(key) ? ['metadata', 'annotations'] : ['metadata', 'annotations', key])));
}

function rawRule(policy: CompiledPolicy, name: string): JsonObject {
  const rules = ownPath(policy.source.raw, 'spec', 'rules');
  const found = Array.isArray(rules) ? rules.filter(isObject).find(rule => name === own(rule, 'name') || name.endsWith(`-${textOf(own(rule, 'name'))}`)) : undefined;
  return found ?? {};
}

/** What of a block names its targets. */
function namingOf(block: JsonObject): JsonObject {
  const naming: JsonObject = {};
  for (const key of ['apiVersion', 'kind', 'name', 'namespace', 'clone', 'cloneList', 'list']) {
    const value = own(block, key);
    if (value !== undefined) naming[key] = value;
  }
  return naming;
}

/** A copy of the trigger onto itself stands for one in every other namespace. */
function copiesTrigger(block: JsonObject): boolean {
  const is = (key: string, path: string) => textOf(own(block, key)).replace(/\s/g, '') === `{{request.object.metadata.${path}}}`;
  return is('name', 'name') && (is('namespace', 'namespace') || textOf(own(block, 'namespace')).replace(/\s/g, '') === '{{request.namespace}}');
}

function sourceTexts(block: JsonObject): Array<{apiVersion: string; kind: string}> {
  if (isObject(own(block, 'clone'))) return [{apiVersion: textOf(own(block, 'apiVersion')), kind: textOf(own(block, 'kind'))}];
  const kinds = ownPath(block, 'cloneList', 'kinds');
  return (Array.isArray(kinds) ? kinds : []).map(text => {
    const parts = textOf(text).split('/');
    const kind = parts.pop() ?? '';
    return {apiVersion: parts.join('/'), kind};
  });
}

function namespacesOf(blocks: readonly JsonObject[]): ReadonlySet<string> | undefined {
  const names = blocks.flatMap(block => ['clone', 'cloneList'].flatMap(key => (isObject(own(block, key)) ? [textOf(ownPath(block, key, 'namespace'))] : [])));
  return names.some(name => name.includes('{{')) ? undefined : new Set(names);
}

function madeTexts(block: JsonObject): Array<{apiVersion: string; kind: string}> {
  const cloned = sourceTexts(block);
  if (cloned.length > 0) return cloned;
  const kind = textOf(ownPath(block, 'data', 'kind')) || textOf(own(block, 'kind'));
  return kind === '' ? [] : [{apiVersion: textOf(own(block, 'apiVersion')), kind}];
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
