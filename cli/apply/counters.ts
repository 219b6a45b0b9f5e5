import type {RuleStatus} from '../../engine/types.js';
import type {PolicyResponse, RuleResponse} from '../offline/responses.js';
import {reportedStatus} from '../test/compare.js';

export type Counts = Record<RuleStatus, number>;

export function noCounts(): Counts {
  return {pass: 0, fail: 0, warn: 0, error: 0, skip: 0};
}

/** Status as `apply` counts and shows it: a failure that only audits may be asked to warn. */
export function shownStatus(response: PolicyResponse, rule: RuleResponse, auditWarn: boolean): RuleStatus {
  const status = reportedStatus(response, rule);
  if (status !== 'fail' || !auditWarn || rule.type === 'Mutation' || rule.type === 'Generation') return status;
  return rule.audit && response.policy.family === 'classic' ? 'warn' : 'fail';
}

export function countResponse(counts: Counts, response: PolicyResponse, auditWarn: boolean): void {
  for (const rule of response.rules) counts[shownStatus(response, rule, auditWarn)] += 1;
}

/** `pass: 1, fail: 0, …` with the blank at its end that scripts know. */
export function summaryLine(counts: Counts): string {
  return `pass: ${counts.pass}, fail: ${counts.fail}, warn: ${counts.warn}, error: ${counts.error}, skip: ${counts.skip} `;
}
