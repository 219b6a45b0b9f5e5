import {describe, expect, it} from 'vitest';
import type {ApiCallRequest, ContextLoader} from '../context-loader.js';
import {EvalError} from '../diagnostic.js';
import type {ImageSource} from '../image/verification.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {pathSegments, scopeLoader} from './scoped-loader.js';

const post = (urlPath: string): ApiCallRequest => ({method: 'POST', urlPath, data: {}});

const load = {deadline: 0};
const get = (urlPath: string): ApiCallRequest => ({method: 'GET', urlPath});
const service: ApiCallRequest = {method: 'GET', service: {url: 'https://169.254.169.254/', headers: []}};

const pods = {group: '', version: 'v1', resource: 'pods'};
const reviews = {group: 'authorization.k8s.io', version: 'v1', resource: 'localsubjectaccessreviews'};

const access = (namespace: string) => ({
  secrets: [{namespace, name: 'pull'}],
  providers: [],
  allowInsecureRegistry: false,
});
const imageOptions = {deadline: 0, useCache: true};

type Call = (loader: ContextLoader) => unknown;

/** Every way to the outside; none may be missing here. */
const doors: Record<keyof ContextLoader, {own?: Call; foreign?: Call}> = {
  configMap: {
    own: door => door.configMap('team', 'c', load),
    foreign: door => door.configMap('kube-system', 'c', load),
  },
  apiCall: {
    own: door => door.apiCall(get('/api/v1/namespaces/team/pods'), load),
    foreign: door => door.apiCall(get('/api/v1/namespaces/kube-system/secrets'), load),
  },
  globalReference: {foreign: door => door.globalReference('g', undefined, load)},
  imageData: {foreign: door => door.imageData('169.254.169.254/x', load)},
  namespaceLabels: {
    own: door => door.namespaceLabels('team', load),
    foreign: door => door.namespaceLabels('other', load),
  },
  lookupHost: {foreign: door => door.lookupHost('db.other.svc', load)},
  resourceGet: {
    own: door => door.resourceGet({...pods, namespace: 'team', name: 'p'}, load),
    foreign: door => door.resourceGet({...pods, namespace: '', name: 'p'}, load),
  },
  resourceList: {
    own: door => door.resourceList({...pods, namespace: 'team', labels: []}, load),
    foreign: door => door.resourceList({...pods, namespace: '', labels: []}, load),
  },
  resourcePost: {
    own: door => door.resourcePost({...reviews, namespace: 'team', object: {}}, load),
    foreign: door => door.resourcePost({...reviews, namespace: 'kube-system', object: {}}, load),
  },
  resourceOfKind: {own: door => door.resourceOfKind('v1', 'Pod', load)},
  kindSchema: {own: door => door.kindSchema?.('acme.io/v1', 'Widget', load)},
  openApi: {own: door => door.openApi?.('apps/v1', load)},
  httpCall: {foreign: door => door.httpCall({method: 'GET', url: 'https://169.254.169.254/', headers: []}, load)},
  // A setting, no way out.
  imageDefaults: {own: door => door.imageDefaults},
  images: {
    own: door => door.images?.resolveDigest('r.io/x', access('team'), imageOptions),
    foreign: door => door.images?.resolveDigest('r.io/x', access('other'), imageOptions),
  },
  now: {own: door => door.now()},
  random: {own: door => door.random()},
};

function givenImages(): ImageSource {
  const verified = {digest: 'sha256:0'};
  return {
    imageData: () => ({}),
    resolveDigest: () => verified.digest,
    verifySignature: () => verified,
    verifyAttestations: () => ({...verified, statements: [], otherTypes: []}),
  };
}

describe('a namespaced policy', () => {
  const tables = {
    api: {'/api/v1/namespaces/team/pods': {items: []}},
    images: {'169.254.169.254/x': {}},
    lists: {'pods/team': {items: []}, 'pods/': {items: []}},
    posts: {'localsubjectaccessreviews/team': {}, 'localsubjectaccessreviews/kube-system': {}},
    http: {'GET https://169.254.169.254/': {statusCode: 200, body: null}},
    global: {g: 1},
    imageSource: givenImages(),
  };
  const within = Object.entries(doors).flatMap(([name, {own}]) => (own === undefined ? [] : [{name, own}]));
  const beyond = Object.entries(doors).flatMap(([name, {foreign}]) => (foreign === undefined ? [] : [{name, foreign}]));

  for (const {name, own} of within) {
    it(`may use ${name} in its namespace`, () => {
      const host = recordingLoader(tables);
      expect(() =>
        own(scopeLoader(host, {kind: 'namespace', namespace: 'team'}, {allowServiceCalls: false})),
      ).not.toThrow();
    });
  }

  for (const {name, foreign} of beyond) {
    it(`may not use ${name} beyond its namespace, and the host is not asked`, () => {
      const host = recordingLoader(tables);
      const door = scopeLoader(host, {kind: 'namespace', namespace: 'team'}, {allowServiceCalls: false});
      expect(() => foreign(door)).toThrow(EvalError);
      expect(host.calls).toEqual([]);
    });

    it(`leaves ${name} to cluster policies`, () => {
      const host = recordingLoader({...tables, api: {'/api/v1/namespaces/kube-system/secrets': {}}});
      expect(() => foreign(scopeLoader(host, {kind: 'cluster'}, {allowServiceCalls: false}))).not.toThrow();
    });
  }

  it('calls services only where the installation allows it', () => {
    const host = recordingLoader({api: {'https://169.254.169.254/': {}}});
    const scope = {kind: 'namespace', namespace: 'team'} as const;
    expect(() => scopeLoader(host, scope, {allowServiceCalls: false}).apiCall(service, load)).toThrow(
      'may not call services',
    );
    expect(scopeLoader(host, scope, {allowServiceCalls: true}).apiCall(service, load)).toEqual({});
    expect(() =>
      scopeLoader(host, scope, {allowServiceCalls: true}).apiCall({...service, urlPath: '/api/v1/nodes'}, load),
    ).toThrow('either urlPath or service');
  });

  it('never names the empty namespace', () => {
    const door = scopeLoader(recordingLoader(), {kind: 'namespace', namespace: 'team'}, {allowServiceCalls: false});
    expect(() => door.configMap('', 'c', load)).toThrow('of namespace ""');
  });

  const allowed = [
    '/api/v1/namespaces/team/pods',
    '/api/v1/namespaces/team/pods/x',
    '/api/v1/namespaces/team/pods/x/status',
    '/apis/apps/v1/namespaces/team/deployments',
    '/apis/apps/v1/namespaces/team/deployments/x?limit=1',
    '/api/v1/namespaces/t%65am/pods',
    '/api/v1/namespaces/team/pods/',
    '/api/v1/namespaces/team/pods?fieldSelector=metadata.namespace%3Dother',
  ];
  const refused = [
    '',
    'api/v1/namespaces/team/pods',
    '/api/v1/pods',
    '/api/v1/namespaces/team',
    '/api/v1/namespaces/team/',
    '/api/v1/namespaces/teams/pods',
    '/api/v1/namespaces/other/pods?x=/namespaces/team/',
    '/api/v1/namespaces/other/pods#/namespaces/team/pods',
    '/api/v1/nodes?/namespaces/team/pods',
    '/api/v1/namespaces/team/../other/pods',
    '/api/v1/namespaces/team/pods/../../other/pods',
    '/api/v1/namespaces/team/%2e%2e/other/pods',
    '/api/v1/namespaces/team/%2E%2e/other/pods',
    '/api/v1/namespaces/team/%252e%252e/other/pods',
    '/api/v1/namespaces/team%2f..%2fother/pods',
    '/api/v1/namespaces/other%2fnamespaces%2fteam/pods',
    '/api/v1/namespaces/team/..\\other/pods',
    '/api/v1/namespaces/team/.\t./other/pods',
    '/api/v1/namespaces/team/pods/a\nb',
    '/api/v1/namespaces/team/./pods',
    '/api/v1/namespaces/team//pods',
    '//api/v1/namespaces/team/pods',
    '/api/v1/namespaces/team/pods%00',
    '/api/v1/namespaces/team/pods/%',
    '/api/v1/namespaces/TEAM/pods',
    '/api/v1/watch/namespaces/team/pods',
    '/api/v1/nodes/n/proxy/namespaces/team/pods',
    '/apis/namespaces/team/pods',
    '/apis/x/v1/things/namespaces/team/pods',
    '/metrics/namespaces/team/x',
    '/api/v1/namespaces/team/services/http:db:80/proxy/admin',
    '/api/v1/namespaces/team/pods/x/proxy',
    '/api/v1/namespaces/team/pods/x/exec',
    '/api/v1/namespaces/team/pods/x/%65xec',
    '/api/v1/namespaces/team/pods/x/attach',
    '/api/v1/namespaces/team/pods/x/portforward',
    '/api/v1/namespaces/team/serviceaccounts/admin/token',
  ];
  const host = recordingLoader({api: Object.fromEntries(allowed.map(path => [path, {}]))});
  const door = scopeLoader(host, {kind: 'namespace', namespace: 'team'}, {allowServiceCalls: false});

  it.each(allowed)('may call %s', path => {
    expect(door.apiCall(get(path), load)).toEqual({});
  });

  it.each(refused)('may not call %j', path => {
    const before = host.calls.length;
    expect(() => door.apiCall(get(path), load)).toThrow(EvalError);
    expect(host.calls).toHaveLength(before);
  });
});

describe('path segments', () => {
  it('are decoded once', () => {
    expect(pathSegments('/a/b%20c/d%C3%A9?x=1')).toEqual(['a', 'b c', 'dé']);
  });
});

it('writes nothing through the API server, but may ask for access in its namespace', () => {
  const review = '/apis/authorization.k8s.io/v1/namespaces/team/localsubjectaccessreviews';
  const host = recordingLoader({api: {[review]: {}}});
  const door = scopeLoader(host, {kind: 'namespace', namespace: 'team'}, {allowServiceCalls: true});
  expect(() => door.apiCall(post('/api/v1/namespaces/team/configmaps'), load)).toThrow('may not POST');
  expect(() => door.apiCall(post('/api/v1/namespaces/team/pods/p/eviction'), load)).toThrow('may not POST');
  expect(host.calls).toEqual([]);
  expect(door.apiCall(post(review), load)).toEqual({});
});

describe('objects of the API server', () => {
  const host = recordingLoader();
  const door = scopeLoader(host, {kind: 'namespace', namespace: 'team'}, {allowServiceCalls: true});
  const own = {...pods, namespace: 'team'};

  for (const name of ['', '.', '..', 'p/exec', 'p%2Fexec', '..\\x', 'a\nb']) {
    it(`are not called ${JSON.stringify(name)}`, () => {
      expect(() => door.resourceGet({...own, name}, load)).toThrow('is no name');
      expect(host.calls).toEqual([]);
    });
  }

  it('are not left through subresources, groups or writes', () => {
    expect(() => door.resourceGet({...own, subresource: 'proxy', name: 'p'}, load)).toThrow(
      'may not use the subresource',
    );
    expect(() => door.resourceGet({...own, resource: 'pods/p/exec', name: 'p'}, load)).toThrow('is no name');
    expect(() => door.resourcePost({...own, object: {}}, load)).toThrow('may not POST');
    expect(host.calls).toEqual([]);
  });

  it('tell how calls of web servers are allowed', () => {
    const closed = scopeLoader(host, {kind: 'namespace', namespace: 'team'}, {allowServiceCalls: false});
    expect(() => closed.httpCall({method: 'GET', url: 'https://a/', headers: []}, load)).toThrow(
      'http calls are not allowed in namespaced policies: set --allowHTTPInNamespacedPolicies to enable',
    );
  });
});
