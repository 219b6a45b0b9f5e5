import {describe, expect, it} from 'vitest';
import {apiCall} from './api-call.js';

describe('what a request to the API server is about', () => {
  it.each([
    ['GET', '/api/v1/namespaces/shop/pods/web', {operation: 'get', group: '', version: 'v1', resource: 'pods', namespace: 'shop'}],
    ['GET', '/api/v1/pods', {operation: 'list', group: '', version: 'v1', resource: 'pods', namespace: ''}],
    ['GET', '/api/v1/namespaces/shop', {operation: 'get', group: '', version: 'v1', resource: 'namespaces', namespace: ''}],
    ['PUT', '/api/v1/namespaces/shop/finalize', {operation: 'update', group: '', version: 'v1', resource: 'namespaces', namespace: ''}],
    ['PUT', '/apis/kyverno.io/v1/clusterpolicies/p/status', {operation: 'update_status', group: 'kyverno.io', version: 'v1', resource: 'clusterpolicies', namespace: ''}],
    ['POST', '/apis/apps/v1/namespaces/a/deployments', {operation: 'create', group: 'apps', version: 'v1', resource: 'deployments', namespace: 'a'}],
    ['PATCH', '/apis/apps/v1/namespaces/a/deployments/d', {operation: 'patch', group: 'apps', version: 'v1', resource: 'deployments', namespace: 'a'}],
    ['DELETE', '/apis/apps/v1/namespaces/a/deployments/d', {operation: 'delete', group: 'apps', version: 'v1', resource: 'deployments', namespace: 'a'}],
    ['DELETE', '/apis/apps/v1/namespaces/a/deployments', {operation: 'delete_collection', group: 'apps', version: 'v1', resource: 'deployments', namespace: 'a'}],
  ])('%s %s', (method, path, expected) => {
    expect(apiCall(method, path)).toEqual(expected);
  });

  it.each(['/apis', '/api/v1', '/openapi/v3', '/apis/apps/v1', '/version'])('%s is no resource', path => {
    expect(apiCall('GET', path)).toBeUndefined();
  });
});
