import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createManualClock} from '../../adapters/clock/manual-clock.js';
import {startCollector} from '../../adapters/tracing/testing/collector.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {createLogger, silentLogger} from '../../adapters/log/logger.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import type {JsonObject} from '../../engine/json/types.js';
import {createMetrics} from '../../webhook/metrics/metrics.js';
import {parseFlags} from '../config/flags.js';
import {createTestCore, type TestCore} from '../testing/test-core.js';
import {createClientQueries} from './client-queries.js';
import {createControllerSeries} from './controller-series.js';
import {parseMetricsConfig} from './metrics-config.js';
import {createMetricsFeature} from './metrics-feature.js';
import {startProfiles} from './profiles.js';
import {startTracing} from './tracing.js';

describe('the ConfigMap of metrics', () => {
  it('holds nothing by default', () => {
    const {settings, problems} = parseMetricsConfig(undefined);
    expect(problems).toEqual([]);
    expect(settings.exposure.size).toBe(0);
    expect(settings.buckets).toHaveLength(15);
    expect(settings.refreshMs).toBe(0);
  });

  it('is read in both spellings of names', () => {
    const {settings, problems} = parseMetricsConfig({
      namespaces: '{"include": ["a"], "exclude": ["b"]}',
      bucketBoundaries: '1, 0.5,2.5',
      metricsRefreshInterval: '24h',
      metricsExposure: JSON.stringify({
        kyverno_policy_results_total: {enabled: false},
        kyverno_admission_requests: {disabledLabelDimensions: ['resource_namespace']},
        kyverno_policy_rule_info_total: {enabled: true, disabledLabelDimensions: ['policy_namespace'], bucketBoundaries: [2, 1]},
      }),
    });
    expect(problems).toEqual([]);
    expect([...settings.namespaces.include, ...settings.namespaces.exclude]).toEqual(['a', 'b']);
    expect(settings.buckets).toEqual([0.5, 1, 2.5]);
    expect(settings.refreshMs).toBe(86_400_000);
    expect(Object.fromEntries(settings.exposure)).toEqual({
      kyverno_policy_results: {enabled: false, disabledLabels: []},
      kyverno_admission_requests: {enabled: true, disabledLabels: ['resource_namespace']},
      kyverno_policy_rule_info: {enabled: true, disabledLabels: ['policy_namespace'], buckets: [1, 2]},
    });
  });

  it('loses only what cannot be read', () => {
    const {settings, problems} = parseMetricsConfig({
      namespaces: '[]',
      bucketBoundaries: '1,x',
      metricsRefreshInterval: 'soon',
      metricsExposure: '{"a": {"enabled": "no"}, "b": {"enabled": false}}',
    });
    expect(problems.map(problem => /key (\w+)/.exec(problem)?.[1])).toEqual(['namespaces', 'bucketBoundaries', 'metricsExposure', 'metricsRefreshInterval']);
    expect([...settings.exposure.keys()]).toEqual(['b']);
    expect(settings.buckets).toHaveLength(15);
  });
});

describe('profiles and traces', () => {
  const flags = (more: readonly string[]) => {
    const outcome = parseFlags([...more], {});
    if ('error' in outcome) throw new Error(outcome.error);
    return outcome.flags;
  };
  const client = {} as KubeClient;
  const environment = {namespace: 'kyverno', podName: 'kyverno-0'};

  it('are off unless asked for', async () => {
    expect(await startProfiles(flags([]), {log: silentLogger})).toBeUndefined();
    expect(await startTracing({flags: flags([]), environment, client, log: silentLogger, version: '1'})).toBeUndefined();
  });

  it('are on the loopback interface', async () => {
    const server = await startProfiles(flags(['--profile', '--profilePort=0']), {log: silentLogger});
    expect(server?.address()?.host).toBe('127.0.0.1');
    await server?.close();
  });

  it('without an address, or with credentials that are none, leave the process running', async () => {
    const lines: string[] = [];
    const log = createLogger({format: 'text', verbosity: 0, write: line => lines.push(line)});
    expect(await startTracing({flags: flags(['--enableTracing']), environment, client, log, version: '1'})).toBeUndefined();
    const empty = {get: () => Promise.resolve({data: {}})} as unknown as KubeClient;
    const wrong = flags(['--enableTracing', '--tracingAddress=x', '--tracingCreds=certs']);
    expect(await startTracing({flags: wrong, environment, client: empty, log, version: '1'})).toBeUndefined();
    expect(lines.map(line => line.includes('nothing is traced'))).toEqual([true, true]);
    expect(lines[1]).toContain('kyverno/certs');
  });

  it('reach the collector that the flags name', async () => {
    const collector = await startCollector('grpc');
    const asked = flags(['--enableTracing', '--tracingAddress=127.0.0.1', `--tracingPort=${collector.port}`]);
    const tracing = await startTracing({flags: asked, environment, client, log: silentLogger, version: '1.2.3'});
    tracing?.submit({parent: undefined, root: {name: 'ADMISSION', start: 1_790_000_000_000, end: 1_790_000_000_001, attributes: {}, children: []}});
    await tracing?.stop();
    expect(collector.spans).toMatchObject([{name: 'ADMISSION', resource: {'service.name': 'kyverno-admission-controller', 'service.version': '1.2.3', 'k8s.pod.name': 'kyverno-0'}}]);
    await collector.close();
  });
});

const policy = (name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: {name, uid: name, generation: 1},
  spec: {
    validationFailureAction: 'Enforce',
    background: false,
    rules: [{name: 'r', match: {any: [{resources: {kinds: ['ConfigMap']}}]}, validate: {message: 'm', pattern: {data: {a: '?*'}}}}],
    ...more,
  },
});

describe('metrics of the operator', () => {
  const clock = createManualClock();
  let test: TestCore;

  beforeEach(async () => {
    test = await createTestCore();
    const {environment} = test.core;
    Object.assign(environment, {metricsConfigMapName: 'kyverno-metrics'});
    Object.assign(test.core, {metrics: createMetrics({version: 't', processMetrics: false}), clock});
  });

  afterEach(() => test.close());

  /** Until the exposition is as `holds` wants it. */
  async function untilText(holds: (text: string) => boolean): Promise<void> {
    for (let turn = 0; turn < 500; turn += 1) {
      if (holds(await test.core.metrics.text())) return;
      await new Promise(resolve => setTimeout(resolve, 10));
    }
    throw new Error(await test.core.metrics.text());
  }

  it('follow the ConfigMap as it changes and goes', async () => {
    const configMap = (data: JsonObject) => ({apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'kyverno-metrics', namespace: 'kyverno'}, data});
    await test.run(createMetricsFeature(test.core));
    test.server.put('api/v1/configmaps', configMap({metricsExposure: '{"kyverno_info": {"enabled": false}}', metricsRefreshInterval: '1h'}));
    await untilText(text => !text.includes('kyverno_info'));
    test.core.metrics.httpRequest('GET', '/x', 1);
    clock.advance(3_600_000);
    expect(await test.core.metrics.text()).not.toContain('http_url="/x"');
    test.server.remove('api/v1/configmaps', 'kyverno/kyverno-metrics');
    await untilText(text => text.includes('kyverno_info'));
  });

  it('tell which rules there are, and how policies change once all are known', async () => {
    const {cache, metrics, manager} = test.core;
    manager.register({key: 'clusterpolicies', group: 'kyverno.io', version: 'v1', resource: 'clusterpolicies', namespaced: false});
    const feature = createMetricsFeature(test.core);
    const put = (raw: JsonObject) => feature.onPolicy?.('ClusterPolicy', 'p', cache.putPolicy(raw), undefined);
    put(policy('p'));
    test.server.put('apis/kyverno.io/v1/clusterpolicies', {...policy('p'), status: {conditions: [{type: 'Ready', status: 'True'}]}});
    await test.run(feature);
    const text = await metrics.text();
    expect(text).toContain(
      'kyverno_policy_rule_info_total{rule_name="r",rule_type="validate",policy_validation_mode="enforce",policy_type="cluster",policy_background_mode="false",policy_namespace="-",policy_name="p",status_ready="true"} 1',
    );
    expect(text).not.toContain('policy_change_type');
    put(policy('p', {background: true}));
    cache.dropPolicy('p');
    feature.onPolicy?.('ClusterPolicy', 'p', undefined, undefined);
    put(policy('p'));
    const changed = await metrics.text();
    const changes = [...changed.matchAll(/kyverno_policy_changes_total\{.*policy_background_mode="(\w+)".*policy_change_type="(\w+)"\} 1/g)].map(match => `${match[2]} ${match[1]}`);
    expect(changes).toEqual(['updated true', 'deleted true', 'created false']);
  });

  it('count waiting update requests by the namespace of their trigger', async () => {
    const {metrics, manager} = test.core;
    manager.register({key: 'updaterequests', group: 'kyverno.io', version: 'v2', resource: 'updaterequests', namespaced: true});
    await test.run(createMetricsFeature(test.core));
    expect(await metrics.text()).toContain('kyverno_updaterequest_total{resource_namespace="-"} 0');
    for (const [name, namespace] of [['a', 'shop'], ['b', 'shop'], ['c', 'bar']] as const) {
      test.server.put('apis/kyverno.io/v2/updaterequests', {
        apiVersion: 'kyverno.io/v2',
        kind: 'UpdateRequest',
        metadata: {name, namespace: 'kyverno'},
        spec: {ruleContext: [{rule: 'r', trigger: {kind: 'Pod', namespace, name: 'x'}}]},
      });
    }
    await untilText(text => text.includes('kyverno_updaterequest_total{resource_namespace="shop"} 2'));
  });

  it('count requests to the API server by what they are for', async () => {
    const {metrics} = test.core;
    const queries = createClientQueries(metrics.registry, () => builtinResourceMap);
    queries({operation: 'get', group: '', version: 'v1', resource: 'pods', namespace: 'shop'});
    queries({operation: 'update_status', group: 'kyverno.io', version: 'v1', resource: 'clusterpolicies', namespace: ''});
    queries({operation: 'list', group: 'made.up', version: 'v1', resource: 'whatever', namespace: ''});
    const text = await metrics.text();
    expect(text).toContain('kyverno_client_queries_total{operation="get",client_type="kubeclient",resource_kind="Pod",resource_namespace="shop"} 1');
    expect(text).toContain('operation="update_status",client_type="kyverno"');
    expect(text).toContain('client_type="dynamic",resource_kind="other"');
  });

  it('count runs of reconcile loops, with a bounded number of tries', async () => {
    const {metrics} = test.core;
    const series = createControllerSeries(metrics.registry);
    series.reconciled('policies');
    for (const tries of [1, 10, 11, 500]) series.requeued('policies', tries);
    series.dropped('policies');
    const text = await metrics.text();
    expect(text).toContain('kyverno_controller_requeue_total{controller_name="policies",num_requeues="10"} 3');
    expect(text).toContain('kyverno_controller_drop_total{controller_name="policies"} 1');
  });
});
