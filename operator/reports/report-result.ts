import type {PolicyResult, RuleResult, RuleStatus} from '../../engine/types.js';
import type {JsonObject} from '../../engine/json/types.js';
import {nameOfKey} from '../policies/policy-key.js';

/** What one rule says of one object, ready to be written. Immutable. */
export interface ReportResult {
  readonly source: string;
  readonly policy: string;
  readonly rule: string;
  readonly status: RuleStatus;
  readonly message: string;
  readonly scored: boolean;
  readonly category: string | undefined;
  readonly severity: string | undefined;
  readonly properties: Readonly<Record<string, string>>;
  /** Binding of a native policy, target of a mutation: tells results of one rule apart. */
  readonly part: string;
}

const severities: ReadonlySet<string> = new Set(['critical', 'high', 'medium', 'low', 'info']);
const maxMessageLength = 4_096;

/** Results of a policy as a report holds them; `undefined` for a rule that has no place there. */
export function reportResults(result: PolicyResult, allowed: ReadonlySet<RuleStatus>): ReportResult[] {
  return result.rules.flatMap(rule => {
    const made = reportResult(result, rule);
    return allowed.has(made.status) ? [made] : [];
  });
}

function reportResult({policy, annotations, background, source = 'kyverno'}: PolicyResult, rule: RuleResult): ReportResult {
  const scored = annotations['policies.kyverno.io/scored'] !== 'false';
  const status = rule.status === 'fail' && !scored ? 'warn' : rule.status;
  const severity = annotations['policies.kyverno.io/severity'];
  const {properties} = rule;
  const exceptions = rule.exceptions ?? [];
  const message = properties?.[`${status}Message`] ?? properties?.['message'] ?? rule.message;
  return {
    source,
    policy: policy.key,
    rule: rule.rule,
    status,
    message: message.length > maxMessageLength ? `${message.slice(0, maxMessageLength - 1)}…` : message,
    scored,
    category: annotations['policies.kyverno.io/category'],
    severity: severity !== undefined && severities.has(severity) ? severity : undefined,
    properties: {
      ...properties,
      process: background ? 'background scan' : 'admission review',
      // Named without their namespace.
      ...(exceptions.length > 0 && {exceptions: exceptions.map(nameOfKey).join(',')}),
    },
    part: properties?.['binding'] ?? properties?.['mapBinding'] ?? properties?.['patched-target'] ?? '',
  };
}

/** Results of one key replace each other. */
export function resultKey({source, policy, rule, part}: Pick<ReportResult, 'source' | 'policy' | 'rule' | 'part'>): string {
  return `${source}\n${policy}\n${rule}\n${part}`;
}

/** As the API has it; `seconds` is when it last became what it is. */
export function resultJson(result: ReportResult, messageField: 'message' | 'description', seconds: number): JsonObject {
  const {source, policy, rule, status, message, scored, category, severity, properties} = result;
  // Field by field: spreads under so many conditions took 15 µs a result.
  const json: JsonObject = {};
  if (category !== undefined) json['category'] = category;
  if (message !== '') json[messageField] = message;
  json['policy'] = policy;
  if (Object.keys(properties).length > 0) json['properties'] = {...properties};
  json['result'] = status;
  if (rule !== '') json['rule'] = rule;
  json['scored'] = scored;
  if (severity !== undefined) json['severity'] = severity;
  json['source'] = source;
  json['timestamp'] = {nanos: 0, seconds};
  return json;
}
