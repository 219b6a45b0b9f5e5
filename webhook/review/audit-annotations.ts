import type {PolicyResult, RuleResult, RuleStatus} from '../../engine/types.js';
import type {AdmissionAnswer} from '../types.js';

/** Bytes that the verdicts take at most; the API server writes them with each request to its audit log. */
const maxBytes = 4_096;
const maxErrorLength = 512;

/** What matters most comes first, so that a cut loses the least. */
const weight: Readonly<Record<RuleStatus, number>> = {fail: 0, error: 1, warn: 2, skip: 3, pass: 4};

/**
 * What the API server's audit log is to say of a request, under keys that it prefixes with the webhook's name:
 * `decision-id`, `results` (a JSON list of policy, rule, result and action, worst first), `results-omitted` (how many
 * more there were) and `error` (why it could not be judged). `undefined` when no policy had anything to say.
 */
export function auditAnnotations(
  decision: string,
  answer: AdmissionAnswer,
  results: readonly PolicyResult[] | undefined,
): Readonly<Record<string, string>> | undefined {
  const verdicts = results === undefined ? [] : sorted(results);
  if (verdicts.length === 0 && answer.error === undefined) return undefined;
  const annotations: Record<string, string> = {'decision-id': decision};
  if (answer.error !== undefined) annotations['error'] = answer.error.slice(0, maxErrorLength);
  if (verdicts.length === 0) return annotations;
  let text = '[';
  let size = 2;
  let shown = 0;
  for (const [result, rule] of verdicts) {
    const item = verdictJson(result, rule);
    const bytes = Buffer.byteLength(item) + 1;
    if (size + bytes > maxBytes) break;
    text += shown === 0 ? item : `,${item}`;
    size += bytes;
    shown += 1;
  }
  annotations['results'] = `${text}]`;
  if (shown < verdicts.length) annotations['results-omitted'] = String(verdicts.length - shown);
  return annotations;
}

type Verdict = readonly [PolicyResult, RuleResult];

function sorted(results: readonly PolicyResult[]): readonly Verdict[] {
  const verdicts: Verdict[] = [];
  let mixed = false;
  for (const result of results) {
    for (const rule of result.rules) {
      verdicts.push([result, rule]);
      mixed ||= rule.status !== 'pass';
    }
  }
  return mixed ? verdicts.sort(([, one], [, other]) => weight[one.status] - weight[other.status]) : verdicts;
}

function verdictJson({policy}: PolicyResult, {rule, status, action}: RuleResult): string {
  const classic = policy.kind === 'ClusterPolicy' || policy.kind === 'Policy';
  const kind = classic ? '' : `"kind":${JSON.stringify(policy.kind)},`;
  const name = rule === '' ? '' : `"rule":${JSON.stringify(rule)},`;
  return `{${kind}"policy":${JSON.stringify(policy.key)},${name}"result":"${status}","action":"${action}"}`;
}
