import type {Registry} from 'prom-client';
import type {EngineRequest, PolicyResult, RuleStatus} from '../../engine/types.js';
import type {SeriesOptions} from './admission-series.js';
import {exposeCounter, exposeHistogram} from './exposed-metric.js';
import {createNamespaceCap} from './namespace-cap.js';
import {
  type ExecutionCause,
  familyMetrics,
  familyOf,
  type Labels,
  type PolicyFamily,
  policyLabels,
  type ResourceLabels,
  ruleLabels,
} from './policy-labels.js';
import {newHistogramSeries, observe, type HistogramSeries} from './series.js';
import {bucketsOf, countedBuckets, countsNamespace, sameBuckets} from './settings.js';

interface PolicyEntry {
  readonly family: PolicyFamily;
  readonly labels: Labels;
  readonly evaluate: HistogramSeries;
  readonly apply: HistogramSeries;
  /** By rule name, then status: one lookup of an interned name per rule. */
  readonly rules: Map<string, Partial<Record<RuleStatus, HistogramSeries>>>;
}

const evaluateName = 'kyverno_policy_evaluate_duration_seconds';
const applyName = 'kyverno_policy_apply_duration_seconds';
const families = Object.keys(familyMetrics) as PolicyFamily[];
const histogramNames = [evaluateName, applyName, ...families.map(family => familyMetrics[family].duration)];

/**
 * Verdicts per policy and rule. Keyed request context → policy → rule → status, so that a request builds one key and
 * then only looks up names that the compiled policies own.
 */
export function createPolicySeries(registry: Registry, options: SeriesOptions) {
  let buckets = countedBuckets(options.settings(), histogramNames);
  const contexts = new Map<string, Map<string, PolicyEntry>>();
  const namespaceLabel = createNamespaceCap(options.maxNamespaces);

  function* entries(): Iterable<PolicyEntry> {
    for (const policies of contexts.values()) yield* policies.values();
  }
  function* rules(family: PolicyFamily): Iterable<HistogramSeries> {
    for (const entry of entries()) {
      if (entry.family === family) for (const statuses of entry.rules.values()) yield* Object.values(statuses);
    }
  }
  function* counts(family: PolicyFamily) {
    for (const {labels, counts} of rules(family)) yield {labels, value: counts.reduce((total, count) => total + count, 0)};
  }
  function* pick(field: 'evaluate' | 'apply'): Iterable<HistogramSeries> {
    for (const entry of entries()) yield entry[field];
  }
  function histogram(name: string, help: string, series: () => Iterable<HistogramSeries>): void {
    exposeHistogram(registry, {name, help}, {counted: () => buckets, shown: () => bucketsOf(options.settings(), name), series});
  }
  for (const family of families) {
    const {results, duration} = familyMetrics[family];
    exposeCounter(registry, {name: results, help: 'Rule verdicts'}, () => counts(family));
    histogram(duration, 'Seconds per rule: its share of its policy', () => rules(family));
  }
  histogram(evaluateName, 'Seconds to match and evaluate a policy', () => pick('evaluate'));
  histogram(applyName, 'Seconds per policy from request to answer, patches included', () => pick('apply'));

  function contextOf(request: EngineRequest, cause: ExecutionCause): [Map<string, PolicyEntry>, ResourceLabels] {
    const operation = request.operation;
    const namespace = namespaceLabel(request.namespace);
    const labels = {kind: request.kind.kind, namespace, cause};
    const key = `${labels.kind}|${namespace}|${operation}|${request.dryRun}|${cause}`;
    const known = contexts.get(key);
    if (known !== undefined) return [known, labels];
    const full = contexts.size >= options.maxLabelSets;
    const capped = full ? `other|other|${operation}|${request.dryRun}|${cause}` : key;
    let context = contexts.get(capped);
    if (context === undefined) contexts.set(capped, (context = new Map()));
    return [context, full ? {kind: 'other', namespace: 'other', cause} : labels];
  }

  function newEntry(request: EngineRequest, result: PolicyResult, resource: ResourceLabels): PolicyEntry {
    const labels = policyLabels(request, result, resource);
    return {
      family: familyOf(result.policy.kind),
      labels,
      evaluate: newHistogramSeries(labels, buckets),
      apply: newHistogramSeries(labels, buckets),
      rules: new Map(),
    };
  }

  return {
    record(
      request: EngineRequest,
      results: readonly PolicyResult[],
      run: {readonly cause: ExecutionCause; readonly evaluated: number; readonly applied: number},
    ): void {
      if (results.length === 0) return;
      const settings = options.settings();
      const [context, resource] = contextOf(request, run.cause);
      const appliedShare = run.applied / results.length;
      const evaluatedShare = run.evaluated / results.length;
      for (const result of results) {
        if (!countsNamespace(settings, result.policy.namespace)) continue;
        const key = seriesKey(result.policy.key, result.policy.kind);
        let entry = context.get(key);
        if (entry === undefined) context.set(key, (entry = newEntry(request, result, resource)));
        const seconds = result.duration === undefined ? evaluatedShare : result.duration / 1e9;
        observe(entry.evaluate, buckets, seconds);
        observe(entry.apply, buckets, Math.max(seconds, appliedShare));
        const ruleShare = seconds / Math.max(1, result.rules.length);
        for (const rule of result.rules) {
          const name = entry.family === 'classic' ? rule.rule : '';
          let statuses = entry.rules.get(name);
          if (statuses === undefined) entry.rules.set(name, (statuses = {}));
          const series = (statuses[rule.status] ??= newHistogramSeries(ruleLabels(entry.family, entry.labels, rule), buckets));
          observe(series, buckets, ruleShare);
        }
      }
    },
    forget(policy: string, kind: string): void {
      const key = seriesKey(policy, kind);
      for (const context of contexts.values()) context.delete(key);
    },
    reset(): void {
      contexts.clear();
    },
    configured(): void {
      const wanted = countedBuckets(options.settings(), histogramNames);
      if (sameBuckets(wanted, buckets)) return;
      buckets = wanted;
      contexts.clear();
    },
  };
}

/** Policies of several kinds may have one name; those of the classic kinds are told apart by their key already. */
function seriesKey(key: string, kind: string): string {
  return familyOf(kind) === 'classic' ? key : `${kind}/${key}`;
}
