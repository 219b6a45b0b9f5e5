import type {Logger} from '../../adapters/log/logger.js';
import type {Core} from '../feature.js';
import {type BackgroundConditions, backgroundPrefix} from '../status/background-conditions.js';
import type {BackgroundPolicy} from '../update-requests/background-policy.js';
import {MissingRight, Refused} from './work-errors.js';

export interface Troubles {
  /** A rule failed for one trigger, for a reason that its author or the cluster's has to mend: one condition, one Event. */
  report(policy: BackgroundPolicy, failure: {readonly rule: string; readonly work: string; readonly error: unknown; readonly message: string}): void;
  /** The rule worked for this trigger. */
  mended(policy: BackgroundPolicy, rule: string, work: string): void;
  forget(policyId: string): void;
  /** What other rules than these met with is of no concern any more: the policy has no such rules. */
  keepRules(policyId: string, rules: ReadonlySet<string>): void;
  /** Policies whose rules fail somewhere. */
  policies(): readonly string[];
}

interface TroublesOptions {
  readonly conditions: BackgroundConditions;
  readonly events: Core['events'];
  readonly log: Logger;
  readonly serviceAccount: string;
}

const mostWorks = 1_000;

/** What keeps rules from working, per policy, rule and cause; gone when the last trigger that met with it is mended. */
export function createTroubles({conditions, events, log, serviceAccount}: TroublesOptions): Troubles {
  /** Works that met with it, by policy and condition. */
  const failing = new Map<string, Map<string, {readonly rule: string; readonly works: Set<string>}>>();

  return {
    report(policy, {rule, work, error, message}) {
      const {type, reason, text} = describe(rule, error, message, serviceAccount);
      let ofPolicy = failing.get(policy.id);
      if (ofPolicy === undefined) failing.set(policy.id, (ofPolicy = new Map()));
      let entry = ofPolicy.get(type);
      if (entry === undefined) ofPolicy.set(type, (entry = {rule, works: new Set()}));
      const isFirst = entry.works.size === 0;
      if (entry.works.size < mostWorks) entry.works.add(work);
      // One condition and one Event, however many triggers meet with it.
      if (!isFirst) return;
      const {ref, uid} = policy;
      // What one trigger's fields lack is no state of the policy: it is Ready, and clients hold its conditions against a list.
      const isState = error instanceof MissingRight || error instanceof Refused;
      if (isState && !conditions.set(ref.kind, ref.key, {type, status: 'True', reason, message: text.slice(0, 2_000)})) return;
      log.error(`background: policy ${ref.key} rule ${rule} failed: ${text}`);
      events.emit({
        regarding: {apiVersion: ref.apiVersion, kind: ref.kind, namespace: ref.namespace, name: ref.name, uid},
        reason: 'PolicyError',
        action: 'None',
        note: `policy ${ref.key}/${rule} error: ${text}`,
        source: 'kyverno-generate',
      });
    },
    mended(policy, rule, work) {
      const ofPolicy = failing.get(policy.id);
      if (ofPolicy === undefined) return;
      for (const [type, entry] of ofPolicy) {
        if (entry.rule !== rule || !entry.works.delete(work) || entry.works.size > 0) continue;
        ofPolicy.delete(type);
        conditions.clear(policy.ref.kind, policy.ref.key, other => other === type);
        log.info(`background: policy ${policy.ref.key} rule ${rule} works again`, {condition: type});
      }
      if (ofPolicy.size === 0) failing.delete(policy.id);
    },
    keepRules(policyId, rules) {
      const ofPolicy = failing.get(policyId);
      if (ofPolicy === undefined) return;
      const gone = new Set([...ofPolicy].filter(([, {rule}]) => !rules.has(rule)).map(([type]) => type));
      if (gone.size === 0) return;
      for (const type of gone) ofPolicy.delete(type);
      if (ofPolicy.size === 0) failing.delete(policyId);
      const slash = policyId.indexOf('/');
      conditions.clear(policyId.slice(0, slash), policyId.slice(slash + 1), type => gone.has(type));
    },
    policies: () => [...failing.keys()],
    forget(policyId) {
      if (!failing.delete(policyId)) return;
      const slash = policyId.indexOf('/');
      conditions.clear(policyId.slice(0, slash), policyId.slice(slash + 1));
    },
  };
}

function describe(rule: string, error: unknown, message: string, serviceAccount: string): {type: string; reason: string; text: string} {
  if (error instanceof MissingRight) {
    const {verb, group, resource} = error;
    const what = group === '' ? resource : `${resource}.${group}`;
    const verbs = verb === 'get' || verb === 'list' ? '["get", "list", "watch"]' : '["get", "list", "watch", "create", "update", "patch", "delete"]';
    return {
      type: conditionType(`MissingRight-${rule}-${verb}-${what}`),
      reason: 'Forbidden',
      text:
        `rule ${rule}: ${serviceAccount} lacks the right to ${verb} ${what}. Grant {apiGroups: ["${group}"], resources: ["${resource}"], verbs: ${verbs}} ` +
        'by a ClusterRole labelled rbac.kyverno.io/aggregate-to-background-controller: "true"',
    };
  }
  const reason = error instanceof Refused ? error.reason : 'EvaluationError';
  return {type: conditionType(`${reason}-${rule}`), reason, text: `rule ${rule}: ${message}`};
}

/** As types of conditions may be written. */
function conditionType(text: string): string {
  return `${backgroundPrefix}${text}`
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 300)
    .replace(/[^A-Za-z0-9]+$/, '');
}
