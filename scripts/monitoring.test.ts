import {execFileSync} from 'node:child_process';
import {resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import {defaultSettings} from '../install/source/settings.js';
import {serviceMonitor} from '../install/source/workload/service-monitor.js';
import {services} from '../install/source/workload/services.js';
import {missingSeries, monitoringFile, monitoringUses, type RuleGroups} from './monitoring-files.js';
import {selections, shownLabels} from './promql-names.js';

describe('names in expressions', () => {
  it('are metrics with their matchers and groupings', () => {
    expect(selections('topk(5, sum by (a, b) (rate(x_total{c=~"d|e", f!="by (g)"}[5m]))) > 1')).toEqual([{metric: 'x_total', labels: ['c', 'f', 'a', 'b']}]);
    expect(selections('histogram_quantile(0.99, y:p99) or z')).toEqual([
      {metric: 'y:p99', labels: []},
      {metric: 'z', labels: []},
    ]);
    expect(shownLabels('of {{ $labels.reason }}: {{name}} and {{ $value }}')).toEqual(['reason', 'name']);
  });

  it('are missed in a scrape that lacks them', () => {
    const text = '# HELP x\nx_total{a="1",c="}"} 2\nplain 1\n';
    const use = (metric: string, ...labels: string[]) => ({where: 'w', metric, labels});
    expect(missingSeries(text, [use('x_total', 'a', 'c'), use('plain')])).toEqual([]);
    expect(missingSeries(text, [use('x_total', 'b'), use('y')])).toEqual(['w: x_total has no labels b', 'w: no series y']);
  });
});

describe('monitoring/', () => {
  const {groups} = monitoringFile<RuleGroups>('rules.yaml');

  it('has the same rules in both forms', () => {
    expect(monitoringFile<{spec: RuleGroups}>('prometheus-rule.yaml').spec.groups).toEqual(groups);
  });

  it('scrapes the Service of the installation, plainly and by the name that certificates of metrics have', () => {
    interface Monitor {
      readonly spec: {readonly endpoints: ReadonlyArray<{readonly scheme?: string; readonly tlsConfig?: {readonly serverName: string; readonly ca?: object; readonly caFile?: string}}>};
    }
    const [plain, tls, openshift] = ['service-monitor', 'service-monitor-tls', 'service-monitor-openshift'].map(name => monitoringFile<Monitor>(`${name}.yaml`));
    expect(plain).toEqual(serviceMonitor(defaultSettings));
    const {metadata} = services(defaultSettings)[1]!;
    for (const monitor of [tls!, openshift!]) {
      const [endpoint] = monitor.spec.endpoints;
      const {scheme, tlsConfig, ...rest} = endpoint!;
      expect({...monitor, spec: {...monitor.spec, endpoints: [rest]}}).toEqual(plain);
      expect(scheme).toBe('https');
      expect(tlsConfig!.serverName).toBe(`${metadata.name}.${metadata.namespace}.svc`);
    }
    expect(tls!.spec.endpoints[0]!.tlsConfig!.ca).toEqual({secret: {name: 'kyverno.kyverno.metering.kyverno-tls-ca', key: 'tls.crt'}});
  });

  it('has the alert on latency as older guides write it, and what makes it yield a value', () => {
    const rules = groups.flatMap(group => group.rules);
    expect(rules.find(({alert}) => alert === 'KyvernoWebhookLatencyHigh')).toMatchObject({expr: 'histogram_quantile(0.99, kyverno_webhook_duration_seconds) > 1', for: '5m'});
    expect(rules.find(({record}) => record === 'kyverno_webhook_duration_seconds')?.expr).toBe('sum by (le) (rate(kyverno_webhook_duration_seconds_bucket[5m]))');
  });

  it('shows in the dashboard what panels group by', () => {
    const {panels} = monitoringFile<{panels: Array<{id: number; targets?: unknown[]}>}>('grafana-dashboard.json');
    expect(new Set(panels.map(({id}) => id)).size).toBe(panels.length);
    expect(monitoringUses().length).toBeGreaterThan(50);
  });

  // Prometheus' own tool checks the rules where it is at hand.
  const tool = process.env['PROMTOOL'];
  if (tool !== undefined) {
    it('passes promtool', () => {
      const cwd = resolve(import.meta.dirname, '../monitoring');
      execFileSync(tool, ['check', 'rules', 'rules.yaml'], {cwd});
      execFileSync(tool, ['test', 'rules', 'rules.test.yaml'], {cwd});
    });
  }
});
