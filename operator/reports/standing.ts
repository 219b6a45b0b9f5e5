import type {CompiledAdmissionPolicy} from '../../engine/admission-policies/compile-admission-policy.js';
import type {CelPolicyState} from '../../engine/cel-policies/snapshot/cel-policy-cache.js';
import type {KindInfo, ResourceMap} from '../../engine/resource-map.js';
import type {PolicyState} from '../../engine/snapshot/policy-cache.js';
import {isAskedByScans, isCelAskedByScans, kindsOfCelPolicy, kindsOfConstraints, kindsOfRule} from '../scan/scan-kinds.js';
import type {Who} from './who.js';

/** What is known of policies now, as far as it bears on what reports say. */
export interface Standing {
  /** Whose results scans find: of policies that run in the background, and of policies and rules that are no more. */
  isScanned(who: Who): boolean;
  /** Nobody stands by the result any more: its policy or rule is gone, or does not concern objects of the kind now. */
  isStale(who: Who, kind: Pick<KindInfo, 'group' | 'kind'>): boolean;
}

export interface StandingOptions {
  readonly classic: (key: string) => PolicyState | undefined;
  readonly cel: (kind: string, key: string) => CelPolicyState | undefined;
  /** Policies of the API server's own that are reported on, by `<Kind>/<name>`. */
  readonly native?: () => ReadonlyMap<string, CompiledAdmissionPolicy>;
  readonly resources: () => ResourceMap;
}

const kindOfSource: ReadonlyMap<string, string> = new Map([
  ['KyvernoValidatingPolicy', 'ValidatingPolicy'],
  ['KyvernoMutatingPolicy', 'MutatingPolicy'],
  ['KyvernoImageValidatingPolicy', 'ImageValidatingPolicy'],
  ['KyvernoGeneratingPolicy', 'GeneratingPolicy'],
]);

/** Their results are found by scans alone. */
const nativeSources: ReadonlySet<string> = new Set(['ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy']);

/** A text in results of policies that run in the background. */
export const backgroundProcess = 'background scan';

/** Answers hold for the moment: made anew for each round of questions. */
export function createStanding({classic, cel, native, resources}: StandingOptions): Standing {
  const concerned = new Map<object, ReadonlySet<string>>();
  let natives: ReadonlyMap<string, CompiledAdmissionPolicy> | undefined;

  function concerns(about: object, kind: Pick<KindInfo, 'group' | 'kind'>, kinds: () => readonly KindInfo[]): boolean {
    let known = concerned.get(about);
    if (known === undefined) concerned.set(about, (known = new Set(kinds().map(kindKey))));
    return known.has(kindKey(kind));
  }

  function celState({source, policy}: Who): CelPolicyState | 'foreign' | undefined {
    const kind = kindOfSource.get(source);
    if (kind === undefined) return 'foreign';
    return cel(policy.includes('/') ? `Namespaced${kind}` : kind, policy);
  }

  return {
    isScanned(who) {
      if (who.source === 'kyverno') {
        const state = classic(who.policy);
        if (state?.status !== 'served') return true;
        const {source, scanRules, rules} = state.policy;
        return (
          source.spec.background &&
          (scanRules.some(rule => rule.name === who.rule && isAskedByScans(rule)) || !rules.some(({name}) => name === who.rule))
        );
      }
      if (nativeSources.has(who.source)) return true;
      const state = celState(who);
      if (state === 'foreign') return false;
      if (state?.status !== 'served') return true;
      const {source} = state.policy;
      return source.type !== 'generating' && 'background' in source.spec && source.spec.background && isCelAskedByScans(state.policy);
    },
    isStale(who, kind) {
      if (who.source === 'kyverno') {
        const state = classic(who.policy);
        if (state === undefined) return true;
        if (state.status !== 'served') return false;
        const {source, scanRules, rules} = state.policy;
        const rule = scanRules.find(({name}) => name === who.rule);
        if (rule === undefined)
          return !rules.some(({name}) => name === who.rule) && !source.spec.rules.some(({name}) => name === who.rule);
        return !concerns(rule, kind, () => kindsOfRule(rule, resources())) || wasScanned(who, source.spec.background);
      }
      if (nativeSources.has(who.source)) {
        natives ??= native?.() ?? new Map();
        const policy = natives.get(`${who.source}/${who.policy}`);
        return (
          policy === undefined ||
          !concerns(policy, kind, () => kindsOfConstraints(policy.source.matchConstraints, resources()))
        );
      }
      const state = celState(who);
      if (state === 'foreign') return false;
      if (state === undefined) return true;
      if (state.status !== 'served') return false;
      const {source} = state.policy;
      if (source.type === 'generating' || source.type === 'deleting') return false;
      const {policy} = state;
      return (
        (source.spec.mode === 'Kubernetes' && !concerns(policy, kind, () => kindsOfCelPolicy(policy, resources()))) ||
        wasScanned(who, source.spec.background)
      );
    },
  };
}

/** Found when the policy still ran in the background: nobody looks after it now. */
function wasScanned({process}: Who, background: boolean): boolean {
  return !background && process === backgroundProcess;
}

function kindKey({group, kind}: Pick<KindInfo, 'group' | 'kind'>): string {
  return `${group}/${kind}`;
}
