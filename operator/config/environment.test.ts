import {describe, expect, it} from 'vitest';
import {readEnvironment, secretNames} from './environment.js';

describe('readEnvironment', () => {
  it('falls back to the names of the install manifests', () => {
    expect(readEnvironment({KYVERNO_SVC: ''})).toEqual({
      namespace: 'kyverno',
      podName: 'kyverno',
      deployment: 'kyverno',
      ownerRole: 'kyverno',
      serviceName: 'kyverno-svc',
      serviceAccountName: 'kyverno',
      configMapName: 'kyverno',
      metricsConfigMapName: 'kyverno-metrics',
      debugCache: false,
    });
  });

  it('takes what the container says', () => {
    const environment = readEnvironment({
      KYVERNO_NAMESPACE: 'policies',
      KYVERNO_POD_NAME: 'p-1',
      INIT_CONFIG: 'settings',
      KYVERNO_DEBUG_CACHE: 'true',
    });
    expect(environment).toMatchObject({namespace: 'policies', podName: 'p-1', configMapName: 'settings', debugCache: true});
  });
});

describe('secretNames', () => {
  const environment = {namespace: 'kyverno', serviceName: 'kyverno-svc'};

  it('are made from Service and namespace', () => {
    expect(secretNames({caSecretName: '', tlsSecretName: ''}, environment)).toEqual({
      ca: 'kyverno-svc.kyverno.svc.kyverno-tls-ca',
      pair: 'kyverno-svc.kyverno.svc.kyverno-tls-pair',
    });
  });

  it('are those of the flags', () => {
    expect(secretNames({caSecretName: 'a', tlsSecretName: 'b'}, environment)).toEqual({ca: 'a', pair: 'b'});
  });
});
