import {textOf} from '../../engine/json/text.js';
import {ownPath} from '../../engine/json/types.js';
import type {EngineRequest} from '../../engine/types.js';
import type {Core} from '../feature.js';
import {RuleFailure} from '../generate/rule-failure.js';
import {tellFailure} from '../generate/tell-failure.js';
import type {Troubles} from '../generate/troubles.js';
import {errorsIn, MissingRight, Refused, textOfError, throwAll} from '../generate/work-errors.js';
import type {BackgroundFindings} from '../update-requests/background-findings.js';
import type {BackgroundFamily, BackgroundRule} from '../update-requests/background-policy.js';
import {findPolicy} from '../update-requests/find-policy.js';
import {TriggerMissing} from '../update-requests/too-early.js';
import {type NamedObject, objectKey} from '../update-requests/trigger.js';
import type {RequestedWork} from '../update-requests/update-request.js';
import {createMutations} from './apply-mutations.js';
import {triggerRequest} from './trigger-request.js';

export interface TriggerMutations {
  /** What the named rules change for a trigger that a request tells of. */
  requested(policyId: string, rules: ReadonlySet<string>, trigger: NamedObject, work: RequestedWork): Promise<void>;
  /** What rules for existing triggers change for one of them. */
  existing(policyId: string, trigger: NamedObject): Promise<void>;
}

export interface TriggerMutationsOptions {
  readonly core: Pick<Core, 'client' | 'clock' | 'log' | 'metrics' | 'resources' | 'filters'>;
  readonly families: readonly BackgroundFamily[];
  readonly lock: <T>(key: string, work: () => Promise<T>) => Promise<T>;
  readonly troubles: Troubles;
  readonly findings: BackgroundFindings;
}

/** Changes of existing objects, trigger by trigger; what came of them is told. */
export function createTriggerMutations({core, families, lock, troubles, findings}: TriggerMutationsOptions): TriggerMutations {
  const mutations = createMutations(core);

  async function mutate(policyId: string, wanted: (rule: BackgroundRule) => boolean, trigger: NamedObject, work: RequestedWork | undefined): Promise<void> {
    const found = findPolicy(families, policyId);
    if (found === undefined) return;
    const {family, policy} = found;
    const rules = policy.rules.filter(rule => rule.type === 'mutate' && wanted(rule));
    const request = await triggerRequest(core, trigger, work).catch((error: unknown) => {
      // Nothing is in the way of work on a trigger that is gone.
      if (error instanceof TriggerMissing) for (const rule of rules) troubles.mended(policy, rule.name, objectKey(trigger));
      throw error;
    });
    const errors: unknown[] = [];
    for (const rule of rules) {
      try {
        const {changed} = await lock(`${policy.id}|${rule.name}|mutation`, () => mutations.run(family, policy, rule, request));
        findings.changed(policy, withUid(trigger, request), rule.name, changed);
        troubles.mended(policy, rule.name, objectKey(trigger));
      } catch (error) {
        for (const cause of errorsIn(error)) {
          const served = findPolicy(families, policyId)?.policy;
          if (served !== undefined && (cause instanceof MissingRight || cause instanceof Refused)) tellFailure(troubles, served, trigger, new RuleFailure(rule.name, textOfError(cause), cause));
          errors.push(cause);
        }
      }
    }
    throwAll(errors);
  }

  return {
    requested: (policyId, rules, trigger, work) => mutate(policyId, rule => rules.has(rule.name), trigger, work),
    async existing(policyId, trigger) {
      try {
        await mutate(policyId, rule => rule.existing, trigger, undefined);
      } catch (error) {
        // An object that went meanwhile needs nothing.
        if (!(error instanceof TriggerMissing)) throw error;
      }
    },
  };
}

/** As the object that was read says, where the work did not. */
function withUid(trigger: NamedObject, {object, oldObject}: EngineRequest): NamedObject {
  return trigger.uid === '' ? {...trigger, uid: textOf(ownPath(object ?? oldObject, 'metadata', 'uid'))} : trigger;
}
