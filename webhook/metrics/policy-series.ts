import type {Registry} from 'prom-client';
import type {EngineRequest, PolicyResult, RuleResult, RuleStatus, RuleType} from '../../engine/types.js';
import type {SeriesOptions} from './admission-series.js';
import {exposeCounter, exposeHistogram} from './exposed-metric.js';
import {createNamespaceCap} from './namespace-cap.js';
import {newHistogramSeries, observe, type HistogramSeries} from './series.js';

export type ExecutionCause = 'admission_request' | 'background_scan';

const ruleTypes: Readonly<Record<RuleType, string>> = {
  Validation: 'validate',
  Mutation: 'mutate',
  Generation: 'generate',
  ImageVerify: 'imageVerify',
};

interface ResourceLabels {
  readonly kind: string;
  readonly namespace: string;
}

interface PolicyEntry {
  readonly labels: Readonly<Record<string, string>>;
  readonly evaluate: HistogramSeries;
  readonly apply: HistogramSeries;
  /** By rule name, then status: one lookup of an interned name per rule. */
  readonly rules: Map<string, Partial<Record<RuleStatus, HistogramSeries>>>;
}

/**
 * Verdicts per policy and rule. Keyed request context → policy → rule → status, so that a request builds one key and
 * then only looks up names that the compiled policies own.
 */
export function createPolicySeries(registry: Registry, options: SeriesOptions) {
  const {buckets} = options;
  const contexts = new Map<string, Map<string, PolicyEntry>>();
  const namespaceLabel = createNamespaceCap(options.maxNamespaces);

  function* entries(): Iterable<PolicyEntry> {
    for (const policies of contexts.values()) yield* policies.values();
  }
  function* rules(): Iterable<HistogramSeries> {
    for (const entry of entries()) for (const statuses of entry.rules.values()) yield* Object.values(statuses);
  }
  function* counts() {
    for (const {labels, counts} of rules()) yield {labels, value: counts.reduce((total, count) => total + count, 0)};
  }
  function* pick(field: 'evaluate' | 'apply'): Iterable<HistogramSeries> {
    for (const entry of entries()) yield entry[field];
  }
  exposeCounter(registry, {name: 'kyverno_policy_results_total', help: 'Rule verdicts'}, counts);
  exposeHistogram(
    registry,
    {name: 'kyverno_policy_execution_duration_seconds', help: 'Seconds per rule: its share of its policy'},
    {buckets, series: rules},
  );
  exposeHistogram(
    registry,
    {name: 'kyverno_policy_evaluate_duration_seconds', help: 'Seconds to match and evaluate a policy'},
    {buckets, series: () => pick('evaluate')},
  );
  exposeHistogram(
    registry,
    {
      name: 'kyverno_policy_apply_duration_seconds',
      help: 'Seconds per policy from request to answer, patches included',
    },
    {buckets, series: () => pick('apply')},
  );

  function contextOf(request: EngineRequest, cause: ExecutionCause): [Map<string, PolicyEntry>, ResourceLabels] {
    const operation = request.operation;
    const namespace = namespaceLabel(request.namespace);
    const labels = {kind: request.kind.kind, namespace};
    const key = `${labels.kind}|${namespace}|${operation}|${request.dryRun}|${cause}`;
    const known = contexts.get(key);
    if (known !== undefined) return [known, labels];
    const full = contexts.size >= options.maxLabelSets;
    const capped = full ? `other|other|${operation}|${request.dryRun}|${cause}` : key;
    let context = contexts.get(capped);
    if (context === undefined) contexts.set(capped, (context = new Map()));
    return [context, full ? {kind: 'other', namespace: 'other'} : labels];
  }

  return {
    record(
      request: EngineRequest,
      results: readonly PolicyResult[],
      run: {readonly cause: ExecutionCause; readonly evaluated: number; readonly applied: number},
    ): void {
      if (results.length === 0) return;
      const [context, resource] = contextOf(request, run.cause);
      const appliedShare = run.applied / results.length;
      const evaluatedShare = run.evaluated / results.length;
      for (const result of results) {
        let entry = context.get(result.policy.key);
        if (entry === undefined) {
          context.set(result.policy.key, (entry = newEntry(request, result, {...resource, cause: run.cause, buckets})));
        }
        const seconds = result.duration === undefined ? evaluatedShare : result.duration / 1e9;
        observe(entry.evaluate, buckets, seconds);
        observe(entry.apply, buckets, Math.max(seconds, appliedShare));
        const ruleShare = seconds / Math.max(1, result.rules.length);
        for (const rule of result.rules) {
          let statuses = entry.rules.get(rule.rule);
          if (statuses === undefined) entry.rules.set(rule.rule, (statuses = {}));
          const series = (statuses[rule.status] ??= newHistogramSeries(ruleLabels(entry, rule), buckets));
          observe(series, buckets, ruleShare);
        }
      }
    },
    forget(key: string): void {
      for (const context of contexts.values()) context.delete(key);
    },
  };
}

function newEntry(
  request: EngineRequest,
  result: PolicyResult,
  context: ResourceLabels & {readonly cause: string; readonly buckets: readonly number[]},
): PolicyEntry {
  const {policy} = result;
  const labels = {
    policy_type: policy.namespace === '' ? 'cluster' : 'namespaced',
    policy_background_mode: String(result.background),
    policy_namespace: policy.namespace === '' ? '-' : policy.namespace,
    policy_name: policy.name,
    resource_kind: context.kind,
    resource_namespace: context.namespace,
    resource_request_operation: request.operation.toLowerCase(),
    rule_execution_cause: context.cause,
    dry_run: String(request.dryRun),
  };
  const evaluate = newHistogramSeries(labels, context.buckets);
  return {labels, evaluate, apply: newHistogramSeries(labels, context.buckets), rules: new Map()};
}

function ruleLabels(entry: PolicyEntry, rule: RuleResult): Record<string, string> {
  return {
    policy_validation_mode: rule.action === 'Enforce' ? 'enforce' : 'audit',
    ...entry.labels,
    rule_name: rule.rule,
    rule_result: rule.status,
    rule_type: ruleTypes[rule.type],
  };
}
