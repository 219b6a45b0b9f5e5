import {describe, expect, it} from 'vitest';
import {parseApiPath} from './api-path.js';

describe('API path', () => {
  for (const [urlPath, path, query] of [
    ['/api/v1/namespaces/shop/pods', '/api/v1/namespaces/shop/pods', []],
    ['/api/v1/pods/', '/api/v1/pods', []],
    ['/api/v1/%70ods', '/api/v1/pods', []],
    [
      '/api/v1/pods?labelSelector=a%3Db&limit=1',
      '/api/v1/pods',
      [
        ['labelSelector', 'a=b'],
        ['limit', '1'],
      ],
    ],
    ['/api/v1/pods?labelSelector=a+in+(b)', '/api/v1/pods', [['labelSelector', 'a in (b)']]],
    ['/api/v1/pods?labelSelector=a=b', '/api/v1/pods', [['labelSelector', 'a=b']]],
    [
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode',
      [],
    ],
    ['/api/v1/namespaces/a/pods?x=/../namespaces/b', '/api/v1/namespaces/a/pods', [['x', '/../namespaces/b']]],
  ] as const) {
    it(`reads ${urlPath}`, () => {
      expect(parseApiPath(urlPath)).toMatchObject({path, query});
    });
  }

  for (const urlPath of [
    '',
    'api/v1/pods',
    'https://example.com/api',
    '/',
    '//api/v1/pods',
    '/api//v1',
    '/api/v1/namespaces/shop/../kube-system/secrets',
    '/api/v1/namespaces/shop/%2e%2e/kube-system/secrets',
    '/api/v1/namespaces/shop/%2E./secrets',
    '/api/v1/./pods',
    '/api/v1/namespaces/shop%2Fpods',
    '/api/v1/namespaces/shop%5Cpods',
    '/api/v1/namespaces/%252e%252e/pods',
    '/api/v1/pods%00',
    '/api/v1/pods%0d%0aHost:x',
    '/api/v1/pods%',
    '/api/v1/pods#fragment',
    '/api/v1/pods?watch=true',
    '/api/v1/pods?w%61tch=1',
    '/api/v1/namespaces/a/pods/b/log?follow=true',
  ]) {
    it(`refuses ${urlPath || 'an empty path'}`, () => {
      expect(() => parseApiPath(urlPath)).toThrow('urlPath');
    });
  }
});
