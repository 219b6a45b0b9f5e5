import {describe, expect, it} from 'vitest';
import {readManifests} from '../../crds/testing/manifests.js';
import type {JsonObject} from '../../engine/json/types.js';
import {parseConfig} from '../config/config-map.js';
import {parseFlags} from '../config/flags.js';
import {parseMetricsConfig} from '../telemetry/metrics-config.js';
import {configKeys, hotFlags, metricsKeys, resourceFlags} from './setting-keys.js';
import {Settings} from './settings.js';

function configuration(spec: JsonObject): JsonObject {
  return {apiVersion: 'operator.kyverno-ts.io/v1alpha1', kind: 'KyvernoConfiguration', metadata: {name: 'default'}, spec};
}

function settings(argv: readonly string[] = [], environment: Record<string, string> = {}, started?: JsonObject): Settings {
  const outcome = parseFlags(argv, environment);
  if ('error' in outcome) throw new Error(outcome.error);
  return new Settings({...outcome, started: started && configuration(started)});
}

function effective(of: Settings, key: string) {
  const found = of.effective().find(each => each.key === key);
  return found && [found.value, found.source];
}

describe('a setting comes from the highest source that has it', () => {
  it('a flag from its default, the environment, the argument or the resource', () => {
    expect(effective(settings(), 'forceFailurePolicyIgnore')).toEqual(['false', 'default']);
    const environment = {FLAG_FORCE_FAILURE_POLICY_IGNORE: 'true'};
    expect(effective(settings([], environment), 'forceFailurePolicyIgnore')).toEqual(['true', 'environment']);
    const given = settings(['--forceFailurePolicyIgnore=false'], environment);
    expect(effective(given, 'forceFailurePolicyIgnore')).toEqual(['false', 'flag']);
    given.setResource(configuration({forceFailurePolicyIgnore: true}));
    expect(effective(given, 'forceFailurePolicyIgnore')).toEqual(['true', 'resource']);
    expect(given.flags.forceFailurePolicyIgnore).toBe(true);
    given.setResource(undefined);
    expect(given.flags.forceFailurePolicyIgnore).toBe(false);
  });

  it('a key of the ConfigMap from its default, the ConfigMap or the resource', () => {
    const all = settings();
    expect(effective(all, 'maxContextSize')).toEqual(['2Mi', 'default']);
    all.setConfigMap({maxContextSize: '3Mi', updateRequestThreshold: '7'});
    expect(effective(all, 'maxContextSize')).toEqual(['3Mi', 'configMap']);
    all.setResource(configuration({maxContextSize: '4Mi'}));
    expect(effective(all, 'maxContextSize')).toEqual(['4Mi', 'resource']);
    expect(all.config).toMatchObject({maxContextSize: 4 * 1024 * 1024, updateRequestThreshold: 7});
  });

  it('a key of the ConfigMap of metrics alike', () => {
    const all = settings();
    all.setMetricsMap({metricsRefreshInterval: '1h', bucketBoundaries: '1,2'});
    all.setResource(configuration({metrics: {bucketBoundaries: [0.5, 1]}}));
    expect(all.metrics).toMatchObject({refreshMs: 3_600_000, buckets: [0.5, 1]});
    expect(effective(all, 'metrics.bucketBoundaries')).toEqual(['0.5,1', 'resource']);
    expect(effective(all, 'metrics.metricsRefreshInterval')).toEqual(['1h', 'configMap']);
  });

  it('an empty list of the resource is a value, an absent key is none', () => {
    const all = settings();
    all.setConfigMap({resourceFilters: '[Event,*,*]', excludeGroups: 'system:nodes'});
    all.setResource(configuration({resourceFilters: []}));
    expect(all.config.resourceFilters).toEqual([]);
    expect(all.config.userExclusions.groups).toEqual(['system:nodes']);
  });
});

describe('structured keys', () => {
  it('mean what their JSON means in the ConfigMap', () => {
    const all = settings();
    const webhooks = {namespaceSelector: {matchExpressions: [{key: 'a', operator: 'Exists'}]}};
    all.setResource(
      configuration({
        webhooks,
        webhookLabels: {team: 'a'},
        matchConditions: [{name: 'no-nodes', expression: 'true'}],
        metrics: {namespaces: {exclude: ['x']}, metricsExposure: {kyverno_policy_results: {enabled: false}}},
      }),
    );
    expect(all.rejected()).toEqual([]);
    expect(all.config).toMatchObject({webhooks, webhookLabels: {team: 'a'}, matchConditions: [{name: 'no-nodes', expression: 'true'}]});
    expect(all.metrics.namespaces.exclude).toEqual(new Set(['x']));
  });
});

describe('a key that cannot be used', () => {
  const rows: [string, JsonObject, string, string][] = [
    ['a value that the flag does not take', {webhookTimeout: 31}, 'webhookTimeout', '"31" is not valid: it takes a whole number from 1 to 30'],
    ['a wrong type', {dumpPayload: 'yes'}, 'dumpPayload', 'it is neither true nor false'],
    ['a wrong entry of a list that is read when a policy calls', {httpAllowlist: ['https://%zz']}, 'httpAllowlist', '"https://%zz" is no http or https URL'],
    ['a wrong size', {maxContextSize: 'big'}, 'maxContextSize', '"big" is no size such as 2Mi'],
    ['a wrong filter', {resourceFilters: ['[Event']}, 'resourceFilters', 'Event'],
    ['a wrong metric', {metrics: {metricsExposure: {m: {enabled: 1}}}}, 'metrics.metricsExposure', 'm: enabled is neither true nor false'],
    ['a flag without effect', {vmodule: 'x'}, 'vmodule', 'it has no effect in this release'],
    ['the cluster to work in', {kubeconfig: '/x'}, 'kubeconfig', 'there is no such setting'],
    ['a name of nothing', {constructor: 1}, 'constructor', 'there is no such setting'],
  ];
  it.each(rows)('%s is rejected with its reason, and the others hold', (_, spec, key, reason) => {
    const all = settings(['--v=3']);
    all.setResource(configuration({...spec, v: 4}));
    expect(all.rejected()).toEqual([{key, source: 'resource', reason: expect.stringContaining(reason)}]);
    expect(all.flags.v).toBe(4);
  });

  it('leaves the source below in force', () => {
    const all = settings(['--webhookTimeout=20']);
    all.setConfigMap({maxContextSize: '3Mi'});
    all.setResource(configuration({webhookTimeout: 99, maxContextSize: 'big'}));
    expect(effective(all, 'webhookTimeout')).toEqual(['20', 'flag']);
    expect(effective(all, 'maxContextSize')).toEqual(['3Mi', 'configMap']);
  });

  it('of a ConfigMap is told too', () => {
    const all = settings();
    all.setConfigMap({maxContextSize: 'big'});
    expect(all.rejected()).toEqual([{key: 'maxContextSize', source: 'configMap', reason: '"big" is no size such as 2Mi'}]);
    expect(effective(all, 'maxContextSize')).toEqual(['2Mi', 'default']);
  });
});

describe('what is shown', () => {
  it('has no credentials of URLs', () => {
    const all = settings(['--tracingAddress=https://user:secret@collector:4318/v1?token=secret']);
    all.setResource(configuration({httpAllowlist: ['https://user:secret@host/a?key=secret', 'https://user:secret@%zz']}));
    const shown = JSON.stringify([all.effective(), all.rejected()]);
    expect(shown).toContain('https://***@collector:4318/v1?***');
    expect(shown).not.toContain('secret');
  });
});

describe('what is shown of a long text', () => {
  it('is its beginning', () => {
    const all = settings();
    all.setConfigMap({excludeUsernames: 'ann,'.repeat(10_000)});
    const [value = ''] = effective(all, 'excludeUsernames') ?? [];
    expect(value.length).toBe(1_001);
    all.setResource(configuration({defaultRegistry: '/'.repeat(100_000)}));
    expect(all.rejected().find(({key}) => key === 'defaultRegistry')?.reason.length).toBe(1_001);
  });
});

describe('a setting that is read at the start', () => {
  it('stays what it was, and differs from what a start now would give', () => {
    const all = settings([], {}, {webhookServerPort: 9444, v: 3});
    expect(all.flags).toMatchObject({webhookServerPort: 9444, v: 3});
    expect(all.wantedAtStart()).toEqual(all.atStart());
    all.setResource(configuration({webhookServerPort: 9445, v: 4}));
    expect(all.flags).toMatchObject({webhookServerPort: 9444, v: 4});
    expect(effective(all, 'webhookServerPort')).toEqual(['9444', 'resource']);
    expect(all.wantedAtStart()).not.toEqual(all.atStart());
    all.setResource(configuration({webhookServerPort: 9444}));
    expect(all.wantedAtStart()).toEqual(all.atStart());
  });
});

describe('the schema and the readers know the same keys', () => {
  const spec = readManifests().get('kyvernoconfigurations.operator.kyverno-ts.io')!.spec.versions[0]!.schema.openAPIV3Schema.properties!['spec']!;

  it('of flags and of the ConfigMap', () => {
    expect(Object.keys(spec.properties!).sort()).toEqual([...resourceFlags, ...Object.keys(configKeys), 'metrics'].sort());
    expect(Object.keys(spec.properties!['metrics']!.properties!).sort()).toEqual(Object.keys(metricsKeys).sort());
  });

  /** Keys that a reader asks for. */
  function asked(read: (data: Record<string, string>) => unknown): string[] {
    const keys = new Set<string>();
    read(
      new Proxy<Record<string, string>>(
        {},
        {
          getOwnPropertyDescriptor(_, key) {
            keys.add(String(key));
            return undefined;
          },
        },
      ),
    );
    return [...keys].sort();
  }

  it('and the readers of the ConfigMaps', () => {
    expect(asked(parseConfig)).toEqual(Object.keys(configKeys).sort());
    expect(asked(parseMetricsConfig)).toEqual(Object.keys(metricsKeys).sort());
  });

  it('hot flags have an effect', () => {
    const all = settings().effective().map(({key}) => key);
    expect([...hotFlags].filter(name => !all.includes(name))).toEqual([]);
  });
});
