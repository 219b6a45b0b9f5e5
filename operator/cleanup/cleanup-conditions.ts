import {textOf} from '../../engine/json/text.js';
import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {cleanupPrefix} from '../status/background-conditions.js';
import {type Condition, mergeConditions} from '../status/conditions.js';
import type {CleanupReport} from './cleanup-job.js';

/** What tells of the last run of a policy that is a clean-up. */
export const runTypes: ReadonlySet<string> = new Set(['PermissionsGranted', 'LastRunSucceeded']);
export const guardType = 'GuardsValid';

/** Of the last run of a policy that is a clean-up. */
export function runConditions({problems, forbidden, looked, spared}: CleanupReport): Condition[] {
  const good = spared === 0 ? 'the last run had no problem' : `the last run was a dry one: ${spared} of ${looked} objects would go`;
  return [
    forbidden.length === 0
      ? {type: 'PermissionsGranted', status: 'True', reason: 'Succeeded', message: 'nothing was forbidden in the last run'}
      : {type: 'PermissionsGranted', status: 'False', reason: 'Forbidden', message: missingRights(forbidden)},
    problems.length === 0
      ? {type: 'LastRunSucceeded', status: 'True', reason: 'Succeeded', message: good}
      : {type: 'LastRunSucceeded', status: 'False', reason: 'Problems', message: told(problems)},
  ];
}

/** Nothing is told of guards that can be read. */
export function guardConditions(problem: string | undefined): Condition[] {
  return problem === undefined ? [] : [{type: guardType, status: 'False', reason: 'Unreadable', message: problem}];
}

/** Of the last run of a rule's clean-up: only what is wrong, since scripts take a policy for ready when Ready is all that is said of it. */
export function ruleConditions(rule: string, {problems, forbidden}: CleanupReport): Condition[] {
  const others = problems.filter(({isForbidden}) => !isForbidden);
  return [
    ...wrong(rule, 'Forbidden', forbidden.length === 0 ? '' : missingRights(forbidden)),
    ...wrong(rule, 'Problems', told(others)),
  ];
}

export function isOfRule(rule: string, type: string): boolean {
  return ruleReasons.some(reason => type === ruleType(rule, reason));
}

/** The conditions of a status: `wanted` in place of those that are the writer's, what others wrote as it is. `now` is RFC 3339. */
export function conditionsBeside(
  object: JsonObject,
  {isMine, wanted, now}: {readonly isMine: (type: string) => boolean; readonly wanted: readonly Condition[]; readonly now: string},
): JsonObject[] {
  const stored = ownPath(object, 'status', 'conditions');
  const list = Array.isArray(stored) ? stored.filter(isObject) : [];
  const generation = ownPath(object, 'metadata', 'generation');
  const mine = mergeConditions(list, {wanted, generation: typeof generation === 'number' ? generation : 0, now});
  return [...list.filter(condition => !isMine(textOf(own(condition, 'type')))), ...mine];
}

type RuleReason = 'Forbidden' | 'Problems';
const ruleReasons: readonly RuleReason[] = ['Forbidden', 'Problems'];

function wrong(rule: string, reason: RuleReason, message: string): Condition[] {
  return message === '' ? [] : [{type: ruleType(rule, reason), status: 'True', reason, message: `rule ${rule}: ${message}`}];
}

function ruleType(rule: string, reason: RuleReason): string {
  return `${cleanupPrefix}${reason}-${rule}`.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 300);
}

function told(problems: CleanupReport['problems']): string {
  return problems
    .map(({message}) => message)
    .join('; ')
    .slice(0, 2_000);
}

function missingRights(forbidden: readonly string[]): string {
  return `grant the clean-up's service account: ${forbidden.join(', ')} (by a ClusterRole labelled rbac.kyverno.io/aggregate-to-cleanup-controller: "true")`;
}
