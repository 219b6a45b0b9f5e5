import {describe, expect, it} from 'vitest';
import {builtinResourceMap, compareVersions} from './builtin-resources.js';

describe('builtinResourceMap', () => {
  it.each([
    ['Pod', ['v1/pods']],
    [
      'Deployment',
      ['apps/v1/deployments', 'apps/v1beta2/deployments', 'apps/v1beta1/deployments', 'extensions/v1beta1/deployments'],
    ],
    ['CronJob', ['batch/v1/cronjobs', 'batch/v1beta1/cronjobs']],
    [
      'HorizontalPodAutoscaler',
      ['autoscaling/v2', 'autoscaling/v1', 'autoscaling/v2beta2', 'autoscaling/v2beta1'].map(
        v => `${v}/horizontalpodautoscalers`,
      ),
    ],
    ['Event', ['v1/events', 'events.k8s.io/v1/events']],
    [
      'Ingress',
      ['networking.k8s.io/v1/ingresses', 'networking.k8s.io/v1beta1/ingresses', 'extensions/v1beta1/ingresses'],
    ],
    ['NetworkPolicy', ['networking.k8s.io/v1/networkpolicies', 'extensions/v1beta1/networkpolicies']],
    ['ClusterPolicy', ['kyverno.io/v1/clusterpolicies', 'kyverno.io/v2beta1/clusterpolicies']],
    ['PolicyReport', ['wgpolicyk8s.io/v1alpha2/policyreports']],
    ['Nonsense', []],
    ['constructor', []],
  ])('finds %s, preferred first', (kind, expected) => {
    const found = builtinResourceMap.find(kind);
    expect(found.map(({group, version, resource}) => `${group ? `${group}/` : ''}${version}/${resource}`)).toEqual(
      expected,
    );
  });

  it.each([
    ['', 'v1', 'pods', 'Pod', true],
    ['', 'v1', 'namespaces', 'Namespace', false],
    ['', 'v1', 'nodes', 'Node', false],
    ['apps', 'v1', 'statefulsets', 'StatefulSet', true],
    ['rbac.authorization.k8s.io', 'v1', 'clusterroles', 'ClusterRole', false],
    ['apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition', false],
    ['policies.kyverno.io', 'v1', 'namespacedvalidatingpolicies', 'NamespacedValidatingPolicy', true],
  ])('knows %s/%s %s as %s', (group, version, resource, kind, namespaced) => {
    expect(builtinResourceMap.kindOf({group, version, resource})).toMatchObject({kind, namespaced});
  });

  it('names subresources without their parent', () => {
    const pods = builtinResourceMap.kindOf({group: '', version: 'v1', resource: 'pods'});
    expect(pods?.subResources).toEqual(expect.arrayContaining(['ephemeralcontainers', 'eviction', 'exec', 'status']));
    const deployments = builtinResourceMap.kindOf({group: 'apps', version: 'v1', resource: 'deployments'});
    expect(deployments?.subResources).toEqual(['scale', 'status']);
  });

  it('does not take a subresource or a missing resource for a kind', () => {
    expect(builtinResourceMap.kindOf({group: 'apps', version: 'v1', resource: 'deployments/scale'})).toBeUndefined();
    expect(builtinResourceMap.kindOf({group: '', version: 'v9', resource: 'pods'})).toBeUndefined();
  });

  it('lists every resource once', () => {
    const all = builtinResourceMap.all().map(({group, version, resource}) => `${group}/${version}/${resource}`);
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThan(140);
  });
});

describe('compareVersions', () => {
  it('ranks versions as Kubernetes does', () => {
    const versions = ['v1alpha1', 'foo', 'v1beta1', 'v1', 'v11alpha2', 'v2', 'v1beta2', 'v10', 'v2beta1'];
    expect(versions.sort(compareVersions)).toEqual([
      'v10',
      'v2',
      'v1',
      'v2beta1',
      'v1beta2',
      'v1beta1',
      'v11alpha2',
      'v1alpha1',
      'foo',
    ]);
  });
});
