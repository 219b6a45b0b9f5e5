import {describe, expect, it} from 'vitest';
import {silentLog} from '../../adapters/log.js';
import type {EngineRequest} from '../../engine/types.js';
import {policy, podReview, rule, scriptedEngine, settle, startHarness} from '../testing/harness.js';
import {createMetrics} from './metrics.js';
import {createMetricsServer} from './metrics-server.js';
import {defaultMetricsSettings} from './settings.js';

const request = (namespace: string): EngineRequest => ({
  uid: 'u',
  kind: {group: '', version: 'v1', kind: 'Pod'},
  resource: {group: '', version: 'v1', resource: 'pods'},
  subResource: '',
  namespace,
  name: 'web',
  operation: 'CREATE',
  object: {},
  oldObject: undefined,
  user: undefined,
  dryRun: false,
  raw: {},
});
const run = {cause: 'admission_request', evaluated: 0.002, applied: 0.02} as const;

/** Series of one metric: labels → value. */
function series(text: string, name: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const line of text.split('\n')) {
    const match = /^([a-z_]+)(\{.*\})? (\S+)$/.exec(line);
    if (match?.[1] === name) found[match[2] ?? ''] = Number(match[3]);
  }
  return found;
}

describe('metrics', () => {
  it('show every name of the guide after one admission request, with values', async () => {
    const harness = await startHarness({
      engine: scriptedEngine({validate: () => ({results: [policy('p', [rule('r')], {duration: 1_000_000})]})}),
    });
    await harness.review('/validate/fail', podReview());
    await settle();
    const text = await harness.metrics.text();
    await harness.close();
    for (const name of [
      'kyverno_policy_execution_duration_seconds_count',
      'kyverno_policy_results_total',
      'kyverno_webhooks_processed_total',
      'kyverno_policy_evaluate_duration_seconds_count',
      'kyverno_policy_apply_duration_seconds_count',
      'kyverno_webhook_duration_seconds_count',
      'kyverno_admission_requests_total',
      'kyverno_admission_review_duration_seconds_bucket',
      'kyverno_http_requests_total',
      'kyverno_http_requests_duration_seconds_count',
      'kyverno_info',
    ]) {
      expect(
        Object.values(series(text, name)).some(value => value > 0),
        name,
      ).toBe(true);
    }
  });

  it('label verdicts as the field does', async () => {
    const metrics = createMetrics({version: 't', processMetrics: false});
    metrics.policyResults(
      request('shop'),
      [
        policy('p', [rule('r', {status: 'fail', action: 'Audit'})], {namespace: 'shop'}),
        policy('c', [rule('m', {type: 'Mutation'})]),
      ],
      run,
    );
    const found = Object.keys(series(await metrics.text(), 'kyverno_policy_results_total'));
    expect(found).toHaveLength(2);
    const labels = found.join('\n');
    for (const label of [
      'policy_validation_mode="audit"',
      'policy_type="namespaced"',
      'policy_type="cluster"',
      'policy_background_mode="true"',
      'policy_namespace="shop"',
      'policy_namespace="-"',
      'policy_name="p"',
      'resource_kind="Pod"',
      'resource_namespace="shop"',
      'resource_request_operation="create"',
      'rule_name="r"',
      'rule_result="fail"',
      'rule_type="validate"',
      'rule_type="mutate"',
      'rule_execution_cause="admission_request"',
      'dry_run="false"',
    ]) {
      expect(labels).toContain(label);
    }
  });

  it('share the time of a run over policies without a time of their own, and a policy’s over its rules', async () => {
    const metrics = createMetrics({version: 't', processMetrics: false});
    const own = policy('own', [rule('a'), rule('b')], {duration: 8_000_000});
    metrics.policyResults(request('shop'), [own, policy('shared', [rule('r')])], run);
    const text = await metrics.text();
    const sums = series(text, 'kyverno_policy_execution_duration_seconds_sum');
    const byRule = Object.fromEntries(
      Object.entries(sums).map(([labels, value]) => [/rule_name="(.)"/.exec(labels)![1], value]),
    );
    expect(byRule).toEqual({a: 0.004, b: 0.004, r: 0.001});
    const applied = Object.values(series(text, 'kyverno_policy_apply_duration_seconds_sum'));
    expect(applied).toEqual([0.01, 0.01]);
  });

  it('count into cumulative buckets', async () => {
    const metrics = createMetrics({version: 't', processMetrics: false, buckets: [0.1, 1]});
    for (const seconds of [0.05, 0.1, 0.5, 5]) metrics.httpRequest('POST', '/validate', seconds);
    const text = await metrics.text();
    const buckets = series(text, 'kyverno_http_requests_duration_seconds_bucket');
    expect(Object.values(buckets)).toEqual([2, 3, 4]);
    expect(Object.keys(buckets)[2]).toContain('le="+Inf"');
  });

  it('are bounded in namespaces', async () => {
    const metrics = createMetrics({version: 't', processMetrics: false, maxNamespaces: 2});
    for (const namespace of ['a', 'b', 'c', 'd']) {
      metrics.policyResults(request(namespace), [policy('p', [rule('r')])], run);
      metrics.admission({kind: 'Pod', namespace, operation: 'CREATE'}, 'validate', {allowed: true, seconds: 0});
    }
    const text = await metrics.text();
    for (const name of ['kyverno_policy_results_total', 'kyverno_admission_requests_total']) {
      expect(Object.values(series(text, name))).toEqual([1, 1, 2]);
    }
  });

  it('forget a policy that is gone', async () => {
    const metrics = createMetrics({version: 't', processMetrics: false});
    metrics.policyResults(request('shop'), [policy('p', [rule('r')]), policy('q', [rule('r')])], run);
    metrics.forgetPolicy('p', 'ClusterPolicy');
    expect(Object.keys(series(await metrics.text(), 'kyverno_policy_results_total')).join()).not.toContain('"p"');
  });

  it('are written as the library would write them', async () => {
    const metrics = createMetrics({version: 't', processMetrics: false});
    metrics.policyResults(request('shop'), [policy('odd "name"', [rule('back\\slash')]), policy('q', [rule('two\nlines', {status: 'fail'})])], run);
    metrics.admission({kind: 'Pod', namespace: 'shop', operation: 'CREATE'}, 'validate', {allowed: true, seconds: 0.02});
    metrics.httpRequest('POST', '/validate', 99);
    const lines = (text: string) => text.split('\n').filter(line => line !== '');
    expect(lines(await metrics.text())).toEqual(lines(await metrics.registry.metrics()));
  });

  it('of many namespaces leave the event loop to others while they are written', async () => {
    const metrics = createMetrics({version: 't', processMetrics: false});
    const policies = Array.from({length: 20}, (_, index) => policy(`p-${index}`, [rule('r')]));
    for (let index = 0; index < 100; index += 1) metrics.policyResults(request(`ns-${index}`), policies, run);
    let others = 0;
    let done = false;
    const other = () => {
      others += 1;
      if (!done) setImmediate(other);
    };
    setImmediate(other);
    const text = await metrics.text();
    done = true;
    expect(Object.keys(series(text, 'kyverno_policy_results_total'))).toHaveLength(2000);
    expect(others).toBeGreaterThan(text.length / (512 * 1024));
  });

  it('are served at /metrics alone, over plain HTTP', async () => {
    const server = createMetricsServer({metrics: createMetrics({version: '1.2.3', processMetrics: false}), log: silentLog});
    await server.listen(0, '127.0.0.1');
    const base = `http://127.0.0.1:${server.address()!.port}`;
    const reply = await fetch(`${base}/metrics`);
    expect(reply.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(await reply.text()).toContain('kyverno_info{version="1.2.3"} 1');
    expect((await fetch(`${base}/`)).status).toBe(404);
    expect((await fetch(`${base}/metrics`, {method: 'POST'})).status).toBe(404);
    await server.close();
  });

  it('stay bounded whatever kinds somebody makes up', async () => {
    const metrics = createMetrics({version: 't', processMetrics: false, maxLabelSets: 3});
    for (let index = 0; index < 50; index += 1) {
      const kind = `Kind${index}`;
      metrics.admission({kind, namespace: 'shop', operation: 'CREATE'}, 'validate', {allowed: true, seconds: 0});
      metrics.policyResults({...request('shop'), kind: {group: '', version: 'v1', kind}}, [policy('p', [rule('r')])], run);
    }
    const text = await metrics.text();
    for (const name of ['kyverno_admission_requests_total', 'kyverno_policy_results_total']) {
      const found = series(text, name);
      expect(Object.keys(found)).toHaveLength(4);
      expect(Object.entries(found).find(([labels]) => labels.includes('resource_kind="other"'))?.[1]).toBe(47);
    }
  });

  it('share their port with the documents that were asked for, and no others', async () => {
    const metrics = createMetrics({version: 't', processMetrics: false});
    const server = createMetricsServer({metrics, log: silentLog, documents: {'/debug/policies': () => [{key: 'a'}]}});
    await server.listen(0, '127.0.0.1');
    const base = `http://127.0.0.1:${server.address()!.port}`;
    expect(await (await fetch(`${base}/debug/policies`)).json()).toEqual([{key: 'a'}]);
    expect((await fetch(`${base}/debug/policies`, {method: 'POST'})).status).toBe(404);
    expect((await fetch(`${base}/constructor`)).status).toBe(404);
    await server.close();
  });

  it('count each kind of policy written in CEL under names of its own', async () => {
    const metrics = createMetrics({version: 't', processMetrics: false});
    const of = (kind: string, more: Parameters<typeof rule>[1] = {}) => {
      const result = policy('same', [rule('', more)]);
      return {...result, policy: {...result.policy, kind}};
    };
    metrics.policyResults(
      request('shop'),
      [of('ClusterPolicy'), of('ValidatingPolicy', {status: 'warn', action: 'Audit'}), of('MutatingPolicy', {type: 'Mutation'}), of('NamespacedGeneratingPolicy', {type: 'Generation'})],
      run,
    );
    const text = await metrics.text();
    expect(Object.values(series(text, 'kyverno_policy_results_total'))).toEqual([1]);
    const [validating] = Object.keys(series(text, 'kyverno_validating_policy_results_total'));
    expect(validating).toBe(
      '{policy_validation_mode="audit",policy_background_mode="true",policy_name="same",policy_namespace="-",resource_kind="Pod",resource_namespace="shop",resource_request_operation="create",execution_cause="admission_request",result="warn"}',
    );
    expect(Object.keys(series(text, 'kyverno_mutating_policy_results_total'))[0]).not.toContain('policy_validation_mode');
    expect(Object.keys(series(text, 'kyverno_generating_policy_results_total'))[0]).toContain('execution_cause="background_scan"');
    expect(Object.keys(series(text, 'kyverno_generating_policy_execution_duration_seconds_count'))).toHaveLength(1);
    expect(Object.keys(series(text, 'kyverno_policy_evaluate_duration_seconds_count'))).toHaveLength(4);
    metrics.forgetPolicy('same', 'ValidatingPolicy');
    const after = await metrics.text();
    expect(series(after, 'kyverno_validating_policy_results_total')).toEqual({});
    expect(Object.values(series(after, 'kyverno_policy_results_total'))).toEqual([1]);
  });

  describe('as settings say', () => {
    const counted = (settings: Partial<typeof defaultMetricsSettings>) => {
      const metrics = createMetrics({version: 't', processMetrics: false});
      metrics.configure({...defaultMetricsSettings, ...settings});
      for (const namespace of ['a', 'b', 'c', '']) {
        metrics.admission({kind: 'Pod', namespace, operation: 'CREATE'}, 'validate', {allowed: true, seconds: 0.2});
        metrics.policyResults(request(namespace), [policy('p', [rule('r')], {namespace})], run);
      }
      return metrics;
    };

    it('leave out namespaces, of requests for admission and of policies for verdicts', async () => {
      const text = await counted({namespaces: {include: new Set(['a', 'b']), exclude: new Set(['b'])}}).text();
      const namespaces = (name: string, label: string) => Object.keys(series(text, name)).map(labels => new RegExp(`${label}="(.*?)"`).exec(labels)?.[1]);
      expect(namespaces('kyverno_admission_requests_total', 'resource_namespace')).toEqual(['a', '-']);
      expect(namespaces('kyverno_policy_results_total', 'policy_namespace')).toEqual(['a', '-']);
    });

    it('leave out metrics and labels, and sum up what no longer differs', async () => {
      const metrics = counted({
        exposure: new Map([
          ['kyverno_http_requests', {enabled: false, disabledLabels: []}],
          ['kyverno_admission_requests', {enabled: true, disabledLabels: ['resource_namespace', 'request_webhook']}],
          ['kyverno_webhook_duration_seconds', {enabled: true, disabledLabels: ['resource_namespace', 'le']}],
          ['kyverno_info', {enabled: true, disabledLabels: ['version']}],
        ]),
      });
      const text = await metrics.text();
      expect(text).not.toContain('kyverno_http_requests_total');
      expect(series(text, 'kyverno_admission_requests_total')).toEqual({
        '{resource_kind="Pod",resource_request_operation="create",request_allowed="true"}': 4,
      });
      expect(Object.keys(series(text, 'kyverno_webhooks_processed_total'))).toHaveLength(4);
      const buckets = series(text, 'kyverno_webhook_duration_seconds_bucket');
      expect(Object.keys(buckets)).toHaveLength(16);
      expect(Object.entries(buckets).find(([labels]) => labels.includes('le="0.25"'))?.[1]).toBe(4);
      expect(series(text, 'kyverno_info')).toEqual({'': 1});
    });

    it('show bounds of their own from one count', async () => {
      const metrics = counted({
        buckets: [0.1, 1],
        exposure: new Map([['kyverno_webhook_duration_seconds', {enabled: true, disabledLabels: [], buckets: [0.15, 0.3]}]]),
      });
      const text = await metrics.text();
      const bounds = (name: string) =>
        Object.entries(series(text, `${name}_bucket`)).flatMap(([labels, value]) => (labels.includes('namespace="a"') ? [`${/le="(.*?)"/.exec(labels)?.[1]} ${value}`] : []));
      expect(bounds('kyverno_webhook_duration_seconds')).toEqual(['0.15 0', '0.3 1', '+Inf 1']);
      expect(bounds('kyverno_admission_review_duration_seconds')).toEqual(['0.1 0', '1 1', '+Inf 1']);
    });

    it('begin anew when bounds change or time is up, gauges not', async () => {
      const metrics = counted({});
      metrics.configure({...defaultMetricsSettings, exposure: new Map([['kyverno_info', {enabled: true, disabledLabels: []}]])});
      expect(Object.keys(series(await metrics.text(), 'kyverno_policy_results_total'))).toHaveLength(4);
      metrics.configure({...defaultMetricsSettings, buckets: [1]});
      expect(series(await metrics.text(), 'kyverno_policy_results_total')).toEqual({});
      metrics.httpRequest('GET', '/', 1);
      metrics.restart();
      const text = await metrics.text();
      expect(series(text, 'kyverno_http_requests_total')).toEqual({});
      expect(Object.values(series(text, 'kyverno_info'))).toEqual([1]);
    });
  });
});
