import type {Reflector} from '../../adapters/kube/reflector.js';
import {type CompiledAdmissionPolicy, compileAdmissionPolicy} from '../../engine/admission-policies/compile-admission-policy.js';
import {judgeAdmission} from '../../engine/admission-policies/judge-admission.js';
import {loadAdmissionBinding, loadAdmissionPolicy} from '../../engine/admission-policies/load.js';
import type {AdmissionBinding} from '../../engine/admission-policies/model.js';
import {defaultLimits} from '../../engine/budget.js';
import {RuleRun} from '../../engine/context/rule-run.js';
import {deepEqual} from '../../engine/json/equal.js';
import {textMapOf, textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {KindInfo} from '../../engine/resource-map.js';
import type {EngineRequest, PolicyResult, RuleResult} from '../../engine/types.js';
import type {Core} from '../feature.js';
import {nativeKey} from './native-mirrors.js';
import {nativeGroup, nativeKinds, servedVersion, versionsOf} from './native-objects.js';
import {managedByLabel, type NativeType} from './native-plan.js';

/** Policies of the API server's own that reports are wanted of, on objects that are there. */
export interface NativeJudge {
  /** By `<Kind>/<name>`. */
  policies(): ReadonlyMap<string, CompiledAdmissionPolicy>;
  /** `uid` for Events. */
  uidOf(kind: string, name: string): string | undefined;
  /** `deadline`: milliseconds since the epoch. */
  judge(request: EngineRequest, deadline: number): Promise<readonly PolicyResult[]>;
  /** Called when a policy or a binding of it has changed, with `<Kind>/<name>`. */
  subscribe(handler: (id: string) => void): () => void;
}

const wantedLabel = 'reports.kyverno.io/enabled';
const unwantedLabel = 'reports.kyverno.io/disabled';

interface Known {
  readonly versions: string;
  readonly policy: CompiledAdmissionPolicy | undefined;
}

export function createNativeJudge(core: Pick<Core, 'manager' | 'resources' | 'flags' | 'loader' | 'regex' | 'environment' | 'log'>): NativeJudge {
  const compiled = new Map<string, Known>();
  const heard = new Set<Reflector>();
  /** Until something changes: every object that is scanned asks. */
  let current: {readonly versions: string; readonly policies: ReadonlyMap<string, CompiledAdmissionPolicy>} | undefined;
  const wanted: Readonly<Record<NativeType, boolean>> = {validating: core.flags.validatingAdmissionPolicyReports, mutating: core.flags.mutatingAdmissionPolicyReports};

  /** As long as the kinds are the same: every object that is scanned asks. */
  let served: {readonly kinds: readonly KindInfo[]; readonly versions: Readonly<Record<NativeType, string | undefined>>} | undefined;

  function versionOf(type: NativeType): string | undefined {
    const resources = core.resources();
    const kinds = resources.all();
    if (served?.kinds !== kinds) served = {kinds, versions: {validating: servedVersion('validating', resources), mutating: servedVersion('mutating', resources)}};
    return served.versions[type];
  }

  /** Set-ups without the whole process mirror none. */
  function reflectorOf(resource: string, version: string): Reflector | undefined {
    try {
      const reflector = core.manager.reflector(nativeKey(resource, version));
      if (!heard.has(reflector)) {
        heard.add(reflector);
        reflector.subscribe(() => {
          current = undefined;
        });
      }
      return reflector;
    } catch {
      return undefined;
    }
  }

  function policies(): ReadonlyMap<string, CompiledAdmissionPolicy> {
    const versions = `${versionOf('validating')} ${versionOf('mutating')}`;
    if (current?.versions !== versions) current = {versions, policies: readPolicies()};
    return current.policies;
  }

  function readPolicies(): Map<string, CompiledAdmissionPolicy> {
    const found = new Map<string, CompiledAdmissionPolicy>();
    const seen = new Set<string>();
    for (const type of ['validating', 'mutating'] as const) {
      const version = versionOf(type);
      if (!wanted[type] || version === undefined) continue;
      const {policy: kind, binding} = nativeKinds[type];
      const bindings = [...(reflectorOf(binding.resource, version)?.store.objects() ?? [])];
      for (const raw of reflectorOf(kind.resource, version)?.store.objects() ?? []) {
        if (!isWanted(raw)) continue;
        seen.add(`${kind.kind}/${textOf(ownPath(raw, 'metadata', 'name'))}`);
        const policy = compile({...raw, kind: kind.kind, apiVersion: `${nativeGroup}/${version}`}, bindings.map(each => ({...each, kind: binding.kind, apiVersion: `${nativeGroup}/${version}`})));
        if (policy !== undefined) found.set(`${kind.kind}/${policy.source.ref.name}`, policy);
      }
    }
    for (const id of compiled.keys()) if (!seen.has(id)) compiled.delete(id);
    return found;
  }

  function compile(raw: JsonObject, bindings: readonly JsonObject[]): CompiledAdmissionPolicy | undefined {
    const name = textOf(ownPath(raw, 'metadata', 'name'));
    const id = `${textOf(raw['kind'])}/${name}`;
    const own = bindings.filter(binding => ownPath(binding, 'spec', 'policyName') === name);
    const versions = [raw, ...own].map(object => textOf(ownPath(object, 'metadata', 'resourceVersion'))).join();
    const known = compiled.get(id);
    if (known?.versions === versions) return known.policy;
    const {policy: source, errors} = loadAdmissionPolicy(raw);
    const models: AdmissionBinding[] = own.flatMap(each => {
      const {policy} = loadAdmissionBinding(each);
      return policy === undefined ? [] : [policy];
    });
    const outcome = source === undefined ? {policy: undefined, problems: errors} : compileAdmissionPolicy(source, models, core.regex);
    if (outcome.policy === undefined) core.log.warn(`${id} is not reported on: ${outcome.problems.map(problem => problem.message).join('; ')}`);
    compiled.set(id, {versions, policy: outcome.policy});
    return outcome.policy;
  }

  return {
    policies,
    uidOf(kind, name) {
      for (const type of ['validating', 'mutating'] as const) {
        const version = versionOf(type);
        const {policy} = nativeKinds[type];
        if (policy.kind === kind && version !== undefined) return textOf(ownPath(reflectorOf(policy.resource, version)?.store.get(name), 'metadata', 'uid')) || undefined;
      }
      return undefined;
    },
    async judge(request, deadline) {
      const results: PolicyResult[] = [];
      for (const policy of policies().values()) {
        const {loader, regex} = core;
        const run = new RuleRun({loader, regex, resources: core.resources(), operatorNamespace: core.environment.namespace, limits: {...defaultLimits, deadline}});
        const {result, object} = await judgeAdmission(policy, request, run);
        if (result === undefined) continue;
        const isChanged = policy.source.type === 'mutating' && !deepEqual(object, request.object);
        results.push({...result, rules: result.rules.filter(rule => rule.status !== 'skip').map(rule => asScanned(rule, isChanged))});
      }
      return results;
    },
    subscribe(handler) {
      const ends: Array<() => void> = [];
      for (const type of ['validating', 'mutating'] as const) {
        const {policy, binding} = nativeKinds[type];
        for (const version of versionsOf[type]) {
          const told = (name: string) => handler(`${policy.kind}/${name}`);
          const ofPolicies = reflectorOf(policy.resource, version)?.subscribe(name => told(name));
          const ofBindings = reflectorOf(binding.resource, version)?.subscribe((_name, now, before) => {
            for (const name of new Set([now, before].map(object => textOf(ownPath(object, 'spec', 'policyName'))))) if (name !== '') told(name);
          });
          for (const end of [ofPolicies, ofBindings]) if (end !== undefined) ends.push(end);
        }
      }
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

/** Users mark theirs; copies of our policies are reported on as the policies would be. */
function isWanted(raw: JsonObject): boolean {
  const labels = textMapOf(ownPath(raw, 'metadata', 'labels'));
  if (Object.hasOwn(labels, unwantedLabel)) return false;
  return labels[wantedLabel] === 'true' || labels[managedByLabel] === 'kyverno';
}

/** An object that the policy would still change is one that it was never applied to. */
function asScanned(rule: RuleResult, isChanged: boolean): RuleResult {
  return rule.status === 'pass' && isChanged ? {...rule, status: 'fail', message: 'mutation is not applied'} : rule;
}
