import {copySourceOf} from '../../engine/cel-generate/made-object.js';
import {changesExisting} from '../cel-policies/mutation-modes.js';
import type {GeneratingPolicy, MutatingPolicy} from '../../engine/cel-policies/model.js';
import type {CompiledCelPolicy} from '../../engine/cel-policies/types.js';
import {stringifyJson} from '../../engine/json/stringify.js';
import {textOf} from '../../engine/json/text.js';
import {isObject, own, ownPath} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {writePlaceOf} from '../../engine/targets/subresource.js';
import type {EngineRequest, Operation, PolicyResult} from '../../engine/types.js';
import type {AdmissionRoute} from '../../webhook/routes.js';
import {createdAt} from '../created-at.js';
import type {Core} from '../feature.js';
import type {BackgroundFamily, BackgroundPolicy, BackgroundRule, RequestType, Triggered} from './background-policy.js';
import {digest, recreateAnnotation} from './classic-family.js';
import {celReadsOf, readsOf} from './rule-reads.js';
import {createLookupGroups} from './same-lookups.js';
import {namedObject} from './trigger.js';
import {kindsOfResourceRules} from './trigger-kinds.js';

type CelCore = Pick<Core, 'cel' | 'resources' | 'metrics' | 'clock'>;
type Background = CompiledCelPolicy & {readonly source: GeneratingPolicy | MutatingPolicy};

/** GeneratingPolicy, MutatingPolicy for existing objects, and their namespaced twins: each is one rule of its own name. */
export function celFamily({cel: {cache, engine, serving}, resources, metrics, clock}: CelCore): BackgroundFamily {
  const known = new WeakMap<CompiledCelPolicy, BackgroundPolicy>();
  const viewOf = (policy: Background) => {
    let view = known.get(policy);
    if (view === undefined) known.set(policy, (view = policyView(policy, resources)));
    return view;
  };

  function served(kind: string, key: string): Background | undefined {
    const state = cache.policy(kind, key);
    return state?.status === 'served' && isBackground(state.policy) ? state.policy : undefined;
  }

  function candidates(request: EngineRequest, {kind, policies = [], webhook}: AdmissionRoute): Background[] {
    // While it is still being mutated an object has no uid, and may have no name.
    if (kind === undefined || webhook !== 'validate' || !/(Generating|Mutating)Policy$/.test(kind)) return [];
    const found = cache.current.candidates(kind.endsWith('GeneratingPolicy') ? 'generating' : 'mutating', request);
    const named = new Set(policies);
    const own = found.map(({policy}) => policy).filter(({ref}) => ref.kind === kind && named.has(ref.name));
    return [...new Set(own)].filter(isBackground);
  }

  const groupsOf = createLookupGroups(lookupsOf);

  /** All of one kind, as a route has them. */
  async function selectedOf(group: readonly Background[], request: EngineRequest, deadline: number): Promise<Triggered[]> {
    const [{ref, source} = {}] = group;
    if (ref === undefined) return [];
    const names = group.map(policy => policy.ref.name);
    const call = {phase: 'admission', kind: ref.kind, names, fromBackground: serving.isBackground(request), selectOnly: true, deadline} as const;
    const {results} = source?.type === 'generating' ? await engine.generate(request, call) : await engine.mutateExisting(request, call);
    const triggered = new Set(results.filter(({rules}) => rules.some(({status}) => status === 'pass' || status === 'error')).map(({policy}) => policy.key));
    return group.filter(policy => triggered.has(policy.ref.key)).map(viewOf).map(policy => ({policy, rules: policy.rules}));
  }

  return {
    *policies() {
      for (const state of cache.policies()) if (state.status === 'served' && isBackground(state.policy)) yield viewOf(state.policy);
    },
    policy(id) {
      const slash = id.indexOf('/');
      const policy = served(id.slice(0, slash), id.slice(slash + 1));
      return policy && viewOf(policy);
    },
    idOf(type, key) {
      if (type !== 'cel-generate' && type !== 'cel-mutate') return undefined;
      return `${key.includes('/') ? 'Namespaced' : ''}${type === 'cel-generate' ? 'GeneratingPolicy' : 'MutatingPolicy'}/${key}`;
    },
    requestType: rule => (rule.type === 'generate' ? 'cel-generate' : 'cel-mutate') satisfies RequestType,
    concerns: (request, route) => route.handler === 'cel' && candidates(request, route).length > 0,
    // One that waits for an answer keeps waiting only who waits for the same.
    triggered: (request, route, deadline) => groupsOf(candidates(request, route)).map(group => selectedOf(group, request, deadline)),
    async evaluate({ref}, rules, request, deadline) {
      // A policy of a namespace is found by the request's: its name alone tells it.
      const call = {phase: 'any', kind: ref.kind, names: [ref.name], deadline} as const;
      const [rule] = rules;
      if (rule === undefined) return [];
      const started = clock.monotonic();
      const {results} = rule.type === 'generate' ? await engine.generate(request, call) : await engine.mutateExisting(request, call);
      const seconds = (clock.monotonic() - started) / 1000;
      metrics.policyResults(request, results, {cause: 'background_scan', evaluated: seconds, applied: seconds});
      return results.filter(result => result.policy.key === ref.key).flatMap(result => outcomes(result, rule));
    },
  };
}

function outcomes({rules}: PolicyResult, {name}: BackgroundRule) {
  return rules.map(({status, message, targets = []}) => ({
    rule: name,
    status,
    message,
    targets: targets.map(object => {
      const source = copySourceOf(object);
      return {object, source: source && {...namedObject(object), ...source}, place: writePlaceOf(object)};
    }),
  }));
}

const lookup = /\b(?:resource|http|image)\.\w+\(|\bnamespaceObject\b/i;

/** Expressions of conditions and variables that ask for something. */
function lookupsOf({source}: Background): string[] {
  const parts = ['matchConditions', 'variables'].map(key => ownPath(source.raw, 'spec', key)).flatMap(list => (Array.isArray(list) ? list.filter(isObject) : []));
  return parts.map(part => textOf(own(part, 'expression'))).filter(text => lookup.test(text));
}

function isBackground(policy: CompiledCelPolicy): policy is Background {
  return policy.source.type === 'generating' || changesExisting(policy);
}

function policyView({ref, source}: Background, resources: () => ResourceMap): BackgroundPolicy {
  const created = createdAt(source.raw);
  const generates = source.type === 'generating';
  const raw = own(source.raw, 'spec') ?? {};
  const {needsRequest, ...reads} = celReadsOf(raw);
  const constraints = source.spec.matchConstraints;
  const rules = constraints?.resourceRules ?? [];
  const operations = operationsOf(rules.flatMap(rule => rule.operations));
  const rule: BackgroundRule = {
    name: ref.name,
    type: generates ? 'generate' : 'mutate',
    synchronize: generates && source.spec.synchronize,
    orphan: generates ? source.spec.orphanDownstreamOnPolicyDelete : true,
    existing: generates ? source.spec.generateExisting : source.spec.mutateExisting,
    operations,
    ...reads,
    needsRequest,
    judgesByRequest: needsRequest,
    // Its conditions may use its variables.
    selectsByRequest: readsOf(['matchConditions', 'variables'].map(key => ownPath(source.raw, 'spec', key) ?? [])).needsRequest,
    // What the template names changes with the policy; what is no longer made goes, as in a run anew.
    pattern: '',
    fansOut: false,
    skipBackgroundRequests: source.spec.skipBackgroundRequests,
    triggers: () => kindsOfResourceRules(rules.filter(item => item.resources.some(name => !name.includes('/'))), resources()),
    targetsByTrigger: source.type === 'mutating' && dependsOnTrigger(source),
    sources: () => [],
    sourceNamespaces: undefined,
    makes: () => [],
  };
  return {
    id: `${ref.kind}/${ref.key}`,
    ref,
    uid: source.uid,
    created: Number.isNaN(created) ? 0 : created,
    version: digest(stringifyJson(raw)),
    recreates: source.annotations[recreateAnnotation] === 'true',
    keepsAdditions: generates && source.spec.useServerSideApply,
    appliesAgain: generates && source.spec.useServerSideApply,
    appliesOne: false,
    rules: [rule],
  };
}

/** Whether it matters which of the objects of its kinds is the trigger: it may be the target itself, or be chosen among others. */
function dependsOnTrigger({spec: {matchConstraints, matchConditions, targetMatchConstraints}}: MutatingPolicy): boolean {
  if (targetMatchConstraints === undefined || targetMatchConstraints.expression !== undefined || matchConditions.length > 0) return true;
  const {resourceRules = [], excludeResourceRules = [], namespaceSelector, objectSelector} = matchConstraints ?? {};
  const choosy = namespaceSelector !== undefined || objectSelector !== undefined || excludeResourceRules.length > 0;
  return choosy || resourceRules.some(({resourceNames}) => resourceNames.length > 0);
}

/** A star does not stand for DELETE. */
function operationsOf(names: readonly string[]): ReadonlySet<Operation> | undefined {
  return names.includes('DELETE') ? new Set(names.flatMap(name => (name === '*' ? ['CREATE', 'UPDATE', 'CONNECT'] : [name])) as Operation[]) : undefined;
}
