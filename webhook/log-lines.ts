import type {Logger} from '../adapters/log/logger.js';
import type {EngineRequest, PolicyResult} from '../engine/types.js';
import type {AdmissionContext} from './context.js';
import {isComplaint, resourceName} from './messages/denial.js';
import type {AdmissionAnswer, AdmissionRequest} from './types.js';

const decisionVerbosity = 4;
const requestVerbosity = 3;
const longestVerdictText = 2000;

/** `CREATE Pod default/name`, as log lines name a request. */
export function describeRequest(request: EngineRequest | AdmissionRequest): string {
  const name = resourceName(request) || '(generated name)';
  const kind = request.subResource === '' ? request.kind.kind : `${request.kind.kind}/${request.subResource}`;
  return `${request.operation} ${kind} ${request.namespace === '' ? name : `${request.namespace}/${name}`}`;
}

/**
 * One line per refused request, which holds `webhook denied`, `failed` and every policy and rule concerned; one per
 * request that could not be judged. Allowed requests leave lines for verdicts that did not pass only.
 */
export function logOutcome(log: Logger, context: AdmissionContext, answer: AdmissionAnswer): void {
  const {request, results} = context;
  const judged = context.engineRequest ?? request;
  if (answer.error !== undefined) {
    const outcome = answer.allowed ? 'allowed by failure policy Ignore' : 'webhook denied the request';
    log.error(`${outcome}: ${describeRequest(judged)} failed: ${answer.error}`, requestFields(request));
  } else if (!answer.allowed) {
    const reason = results === undefined ? (answer.message ?? '').trim() : verdictText(results);
    log.info(`webhook denied the request: ${describeRequest(judged)} failed: ${cut(reason)}`, requestFields(request));
  } else if (results !== undefined) {
    logVerdicts(log, judged, results);
  }
  if (results !== undefined) logDecisions(log, judged, results);
  if (log.enabled(requestVerbosity)) {
    log.v(requestVerbosity, `admission ${context.route.pattern}: ${describeRequest(judged)}`, {
      ...requestFields(request),
      allowed: answer.allowed,
      warnings: answer.warnings?.length ?? 0,
    });
  }
}

/** One line per policy with a failing or erroring rule; it holds the policy's name as plain text. */
export function logVerdicts(
  log: Logger,
  request: EngineRequest | AdmissionRequest,
  results: readonly PolicyResult[],
): void {
  for (const result of results) {
    if (!result.rules.some(isComplaint)) continue;
    const text = verdictText([result]);
    log.info(`policy ${result.policy.key} failed on ${describeRequest(request)}: ${cut(text)}`, {uid: request.uid});
  }
}

/** Every rule's verdict, from verbosity 4 on. */
export function logDecisions(
  log: Logger,
  request: EngineRequest | AdmissionRequest,
  results: readonly PolicyResult[],
): void {
  if (!log.enabled(decisionVerbosity)) return;
  for (const {policy, rules} of results) {
    for (const {rule, status, message, action} of rules) {
      log.v(decisionVerbosity, `rule ${policy.key}/${rule} ${status} on ${describeRequest(request)}`, {
        uid: request.uid,
        action,
        text: message,
      });
    }
  }
}

function verdictText(results: readonly PolicyResult[]): string {
  let text = '';
  for (const {policy, rules} of results) {
    for (const rule of rules) {
      if (isComplaint(rule))
        text += `${text === '' ? '' : '; '}${policy.key}/${rule.rule} ${rule.status}: ${rule.message}`;
    }
  }
  return text;
}

function requestFields(request: AdmissionRequest): Record<string, unknown> {
  return {uid: request.uid, user: request.user.username};
}

function cut(text: string): string {
  return text.length <= longestVerdictText ? text : `${text.slice(0, longestVerdictText)} …`;
}
