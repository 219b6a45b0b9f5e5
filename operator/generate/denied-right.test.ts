import {describe, expect, it} from 'vitest';
import {deniedRight} from './denied-right.js';

const byPath = (method: string, path: string, code = 403) => `rule r: failed to ${method} resource with raw url: ${path}: permission denied (HTTP ${code})`;

describe('the right that a refused read lacks', () => {
  it.each([
    [byPath('GET', '/api/v1/namespaces/shop/secrets'), 'list /secrets', 'shop'],
    [byPath('GET', '/api/v1/namespaces/shop/secrets/s'), 'get /secrets', 'shop'],
    [byPath('GET', '/apis/apps/v1/deployments'), 'list apps/deployments', ''],
    [byPath('GET', '/apis/apps/v1/namespaces/shop/deployments/web/scale'), 'get apps/deployments/scale', 'shop'],
    [byPath('GET', '/api/v1/namespaces/shop'), 'get /namespaces', ''],
    [byPath('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews'), 'create authorization.k8s.io/subjectaccessreviews', ''],
    ['failed to get resource: permission denied: get pods shop/web (HTTP 403)', 'get /pods', 'shop'],
    ['failed to get resource: permission denied: get nodes n (HTTP 403)', 'get /nodes', ''],
    ['failed to list resource: permission denied: list deployments.apps (HTTP 403)', 'list apps/deployments', ''],
    ['permission denied: list ingresses.networking.k8s.io in namespace shop (HTTP 403)', 'list networking.k8s.io/ingresses', 'shop'],
    ['permission denied: get deployments/scale.apps shop/web (HTTP 403)', 'get apps/deployments/scale', 'shop'],
    ['failed to load context entry c: failed to read configmaps shop/a: permission denied: get configmaps shop/a (HTTP 403)', 'get /configmaps', 'shop'],
    ['failed to create resource: permission denied: create tokenreviews.authentication.k8s.io (HTTP 403)', 'create authentication.k8s.io/tokenreviews', ''],
  ])('%s', (message, key, namespace) => {
    const right = deniedRight(message);
    expect([right?.key, right?.namespace]).toEqual([key, namespace]);
    expect(right?.holder).toBe('process');
  });

  it.each([
    [byPath('GET', '/api/v1/namespaces/shop/secrets'), ''],
    [byPath('GET', '/api/v1/namespaces/shop/secrets/s'), 's'],
    [byPath('GET', '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Aa'), 'system:a'],
    [byPath('GET', '/api/v1/secrets/s%zz'), 's%zz'],
    [byPath('GET', '/api/v1/secrets?fieldSelector=metadata.name=s'), 's'],
    ['permission denied: get pods shop/web (HTTP 403)', 'web'],
    ['permission denied: get nodes n (HTTP 403)', 'n'],
    ['permission denied: list pods in namespace shop (HTTP 403)', ''],
    ['permission denied: list pods in namespace shop named web (HTTP 403)', 'web'],
    ['permission denied: list pods named web (HTTP 403)', 'web'],
  ])('is for one object where it was asked for: %s', (message, name) => {
    expect(deniedRight(message)?.object).toBe(name);
  });

  it.each([byPath('GET', '/api/v1/pods', 401), 'permission denied: get pods shop/web (HTTP 401)', 'pods shop/web: HTTP 500', 'Secret a/b: permission denied: the operator needs get on secrets'])(
    'is none where no right would help: %s',
    message => {
      expect(deniedRight(message)).toBeUndefined();
    },
  );
});
