import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {PolicyResponse, RuleResponse} from '../offline/responses.js';
import {keyOf} from '../offline/responses.js';
import {noCounts, shownStatus} from './counters.js';

const apiVersion = 'openreports.io/v1alpha1';

export interface ReportOptions {
  readonly auditWarn: boolean;
  /** Seconds since the epoch. */
  readonly seconds: number;
}

/** One merged report of all cluster-wide policies, and one for each namespaced policy; policies in order of their names. */
export function policyReports(responses: readonly PolicyResponse[], options: ReportOptions): readonly JsonObject[] {
  const byPolicy = new Map<string, {response: PolicyResponse; results: JsonObject[]}>();
  for (const response of responses) {
    const {namespace, key} = response.policy;
    const id = `${namespace}\n${key}`;
    const entry = byPolicy.get(id) ?? {response, results: []};
    for (const rule of response.rules) entry.results.push(resultJson(response, rule, options));
    byPolicy.set(id, entry);
  }
  const sorted = [...byPolicy].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry);
  const wide = sorted.filter(({response}) => response.policy.namespace === '');
  const own = sorted.filter(({response}) => response.policy.namespace !== '');
  return [
    ...(wide.length === 0
      ? []
      : [
          report(
            'ClusterReport',
            {name: 'merged'},
            wide.flatMap(entry => entry.results),
          ),
        ]),
    ...own.map(({response: {policy}, results}) =>
      report('Report', {name: policy.name, namespace: policy.namespace}, results),
    ),
  ];
}

function report(kind: string, metadata: JsonObject, results: readonly JsonObject[]): JsonObject {
  const summary = noCounts();
  for (const {result} of results) summary[result as keyof typeof summary] += 1;
  return {apiVersion, kind, metadata, results: [...results], source: '', summary};
}

function resultJson(response: PolicyResponse, rule: RuleResponse, options: ReportOptions): JsonObject {
  const {policy} = response;
  const annotations = ownPath(policy.raw, 'metadata', 'annotations');
  const annotation = (name: string): string | undefined => {
    const value = isObject(annotations) ? own(annotations, `policies.kyverno.io/${name}`) : undefined;
    return typeof value === 'string' ? value : undefined;
  };
  const status = shownStatus(response, rule, options.auditWarn);
  const properties = propertiesOf(rule);
  const [severity, category] = [annotation('severity'), annotation('category')];
  const {kind, name, namespace, apiVersion: version} = keyOf(response.resource);
  const uid = ownPath(response.resource, 'metadata', 'uid');
  return {
    ...(category !== undefined && {category}),
    description: messageFor(status, rule),
    policy: policy.key,
    ...(properties !== undefined && {properties}),
    resources: [
      {
        apiVersion: version,
        kind,
        name,
        ...(namespace !== '' && {namespace}),
        ...(typeof uid === 'string' && uid !== '' && {uid}),
      },
    ],
    result: status,
    ...(rule.rule !== '' && {rule: rule.rule}),
    scored: annotation('scored') !== 'false',
    ...(severity !== undefined && {severity}),
    source: rule.source ?? 'kyverno',
    timestamp: {nanos: 0, seconds: options.seconds},
  };
}

function propertiesOf(rule: RuleResponse): JsonObject | undefined {
  const properties: JsonObject = {...rule.properties};
  if (rule.exceptions.length > 0) properties['exceptions'] = rule.exceptions.join(',');
  return Object.keys(properties).length === 0 ? undefined : properties;
}

/** A rule may word its own report by properties. */
function messageFor(status: string, rule: RuleResponse): Json {
  const {properties} = rule;
  return properties[`${status}Message`] ?? properties['message'] ?? rule.message;
}
