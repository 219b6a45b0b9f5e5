import {describe, expect, it} from 'vitest';
import {defaultLimits} from '../../budget.js';
import {builtinResourceMap} from '../../builtin-resources.js';
import {RuleRun} from '../../context/rule-run.js';
import {scopeLoader} from '../../context/scoped-loader.js';
import type {HttpRequest, PostRequest} from '../../context-loader.js';
import {BudgetError, EvalError} from '../../diagnostic.js';
import {type RecordingLoaderOptions, recordingLoader} from '../../testing/recording-loader.js';
import type {Value} from '../values/value.js';
import {GeneratorContext} from './generator.js';
import {kyvernoContexts} from './libraries.js';
import {environmentOf, evaluate, fault, issuesOf, regex, shown} from './testing/expressions.js';

const cm = {apiVersion: 'v1', kind: 'ConfigMap', data: {a: '1', n: 'x'}, count: 3};
const tables: RecordingLoaderOptions = {
  objects: {
    'configmaps/shop/cm': cm,
    'namespaces//shop': {kind: 'Namespace'},
    'deployments.scale/shop/web': {spec: {replicas: 2}},
    'secrets/shop/s': new EvalError('permission denied: secrets shop/s (HTTP 403)'),
  },
  lists: {
    'pods/shop': {items: [{metadata: {name: 'p'}}]},
    'pods/': {items: []},
    'nodes/': new EvalError('permission denied: nodes (HTTP 403)'),
  },
  posts: {
    'subjectaccessreviews/': {status: {allowed: true}},
    'localsubjectaccessreviews/shop': {status: {allowed: false}},
  },
};

const policyTypes = ['validating', 'mutating', 'generating', 'deleting', 'imageValidating'] as const;

describe('resource', () => {
  const loader = () => recordingLoader(tables);

  for (const [source, want] of [
    ['resource.Get("v1", "configmaps", "shop", "cm").data.a', '"1"'],
    ['resource.get("v1", "configmaps", "shop", "cm").count + 1', '4'],
    ['resource.get("v1", "namespaces", "", "shop").kind', '"Namespace"'],
    ['resource.get("apps/v1", "deployments/scale", "shop", "web").spec.replicas', '2'],
    ['has(resource.get("v1", "configmaps", "shop", "none").data)', 'false'],
    ['resource.get("v1", "configmaps", "shop", "none").?metadata.hasValue()', 'false'],
    ['dyn(resource.get("v1", "configmaps", "shop", "none")) == null', 'true'],
    ['resource.get(resource.ToGVR("v1", "ConfigMap"), "shop", "cm").data.a', '"1"'],
    ['resource.get(resource.toGVR("apps/v1", "Deployment"), "shop", "none").?a.hasValue()', 'false'],
    ['resource.toGVR("v1", "Pod") == resource.ToGVR("v1", "Pod")', 'true'],
    ['resource.toGVR("v1", "Pod") == resource.ToGVR("v1", "Node")', 'false'],
    ['resource.List("v1", "pods", "shop").items[0].metadata.name', '"p"'],
    ['resource.list("v1", "pods", "").items.size()', '0'],
    ['resource.list("v1", "pods", "shop", {"app": "web", "a.b/c": ""}).items.size()', '1'],
    ['resource.list(resource.toGVR("v1", "Pod"), "shop").items.size()', '1'],
    ['resource.list(resource.toGVR("v1", "Pod"), "shop", {"app": "web"}).items.size()', '1'],
    [
      'resource.Post("authorization.k8s.io/v1", "subjectaccessreviews", {"spec": {"user": "a"}}).status.allowed',
      'true',
    ],
    ['resource.post("authorization.k8s.io/v1", "localsubjectaccessreviews", "shop", {"a": 1}).status.allowed', 'false'],
    ['resource.get("v1", "secrets", "shop", "s").a == 1 || true', 'true'],
  ] as const) {
    it(`gives ${source}`, () => expect(shown(source, {loader: loader()})).toBe(want));
  }

  for (const [source, want] of [
    [
      'resource.get("v1", "secrets", "shop", "s")',
      'failed to get resource: permission denied: secrets shop/s (HTTP 403)',
    ],
    ['resource.list("v1", "nodes", "")', 'failed to list resource: permission denied: nodes (HTTP 403)'],
    ['resource.post("v1", "pods", "shop", {"a": 1})', 'failed to create resource: pods/shop not found'],
    ['resource.get("a/b/c", "pods", "shop", "p")', 'failed to get resource: unexpected GroupVersion string: a/b/c'],
    ['resource.get("../v1", "pods", "shop", "p")', 'failed to get resource: unexpected GroupVersion string: ../v1'],
    [
      'resource.get("v1", "pods/a/b", "shop", "p")',
      'failed to get resource: "pods/a/b" is no plural name of a resource',
    ],
    ['resource.get("v1", "..", "shop", "p")', 'failed to get resource: ".." is no plural name of a resource'],
    ['resource.get("v1", "pods", "shop", "")', 'failed to get resource: name is required'],
    ['resource.toGVR("v1", "Nope")', 'failed to map kind to resource: no matches for kind "Nope" in version "v1"'],
    ['resource.list("v1", "pods", "shop", {"a": "b,c=d"})', 'invalid arg 3: "a=b,c=d" is no label'],
    ['resource.list("v1", "pods", "shop", {"a in (b)": ""})', 'invalid arg 3: "a in (b)=" is no label'],
    [
      'resource.list("v1", "pods", "shop", dyn({"a": 1}))',
      'invalid arg 3: expected map(string, string), got string and int in it',
    ],
    ['resource.post("v1", "pods", dyn({1: "a"}))', 'invalid arg 2: no JSON for a map with a key of type int'],
  ] as const) {
    it(`fails in ${source}`, () => expect(fault(source, {loader: loader()})).toBe(want));
  }

  it('posts what it is given, numbers and all', () => {
    const host = recordingLoader(tables);
    const posted: unknown[] = [];
    const resourcePost = (request: PostRequest) => {
      posted.push(request.object);
      return {};
    };
    evaluate(
      'resource.post("v1", "x", {"i": 1, "d": 1.5, "t": timestamp("2024-01-01T00:00:00Z"), "b": b"ab", "l": [null]})',
      {
        loader: {...host, resourcePost},
      },
    );
    expect(posted).toEqual([{i: 1, d: 1.5, t: '2024-01-01T00:00:00Z', b: 'YWI=', l: [null]}]);
  });

  it('has the type that targets of mutations must have', () => {
    const {program} = environmentOf({}).compile('resource.list("v1", "pods", "shop")');
    expect(program?.type).toMatchObject({kind: 'map', key: {kind: 'string'}, value: {kind: 'any'}});
    expect(issuesOf('resource.get("v1", "pods", "a", "b") == null')).toContain('no matching overload');
  });
});

describe('resource in a policy of a namespace', () => {
  const options = () => {
    const host = recordingLoader(tables);
    const scope = {kind: 'namespace', namespace: 'shop'} as const;
    return {namespace: 'shop', host, loader: scopeLoader(host, scope, {allowServiceCalls: false})};
  };

  for (const [source, want] of [
    ['resource.get("v1", "configmaps", "cm").data.a', '"1"'],
    ['resource.get(resource.toGVR("v1", "ConfigMap"), "cm").data.a', '"1"'],
    ['resource.list("v1", "pods").items.size()', '1'],
    ['resource.list("v1", "pods", {"app": "web"}).items.size()', '1'],
    ['resource.list(resource.toGVR("v1", "Pod")).items.size()', '1'],
    ['resource.list(resource.toGVR("v1", "Pod"), {"app": "web"}).items.size()', '1'],
    ['resource.post("authorization.k8s.io/v1", "localsubjectaccessreviews", {"a": 1}).status.allowed', 'false'],
  ] as const) {
    it(`gives ${source}`, () => expect(shown(source, options())).toBe(want));
  }

  for (const source of [
    'resource.get("v1", "configmaps", "shop", "cm")',
    'resource.get(resource.toGVR("v1", "ConfigMap"), "shop", "cm")',
    'resource.list("v1", "pods", "shop")',
    'resource.list("v1", "pods", "shop", {"app": "web"})',
    'resource.list(resource.toGVR("v1", "Pod"), "shop")',
    'resource.post("v1", "pods", "shop", {"a": 1})',
    'generator.apply("kube-system", [])',
  ]) {
    for (const type of policyTypes) {
      it(`cannot say ${source}, ${type}`, () => {
        expect(issuesOf(source, {namespace: 'shop', type})).toMatch(/no matching overload|undeclared reference/);
      });
    }
  }

  for (const [source, want] of [
    ['resource.post("v1", "configmaps", {"a": 1})', 'may not POST to the API server'],
    ['resource.post("v1", "serviceaccounts/token", {"metadata": {"name": "x"}})', 'may not use the subresource token'],
    ['resource.get("v1", "services/proxy", "x")', 'may not use the subresource proxy'],
    ['resource.get("v1", "services", "x/proxy")', 'is no name of an object'],
    ['globalContext.get("g")', 'failed to get global reference: globalContext.* is not allowed in namespaced policies'],
    ['http.get("https://a/")', 'request failed: http calls are not allowed in namespaced policies: set --allowHTTP'],
    ['image.getMetadata("nginx")', 'failed to get image data: a policy of namespace shop may not ask registries'],
  ] as const) {
    for (const type of policyTypes) {
      it(`may not ${source}, ${type}`, () => {
        const {host, ...given} = options();
        expect(fault(source, {...given, type})).toContain(want);
        expect(host.calls).toEqual([]);
      });
    }
  }
});

describe('http', () => {
  const answers: RecordingLoaderOptions = {
    http: {
      'GET https://a/object': {statusCode: 200, body: {n: 1, deep: [{i: 2n ** 60n}], statusCode: 7}},
      'GET https://a/list': {statusCode: 404, body: [1, 'a']},
      'GET https://a/text': {statusCode: 502, body: undefined},
      'GET https://a/null': {statusCode: 204, body: null},
      'POST https://a/object': {statusCode: 201, body: {ok: true, body: {x: 1}}},
      'GET https://a/given': {statusCode: 200, body: {ok: true}, given: true},
      'GET https://a/away': new EvalError('Get "https://a/away": connection to a blocked'),
    },
  };

  for (const [source, want] of [
    ['http.Get("https://a/object").statusCode', '200'],
    ['http.get("https://a/object").n', '1.0'],
    ['http.get("https://a/object").n == 1', 'true'],
    ['type(http.get("https://a/object").deep[0].i) == double', 'true'],
    ['http.get("https://a/list")', '{"body": [1.0, "a"], "statusCode": 404}'],
    ['http.get("https://a/text")', '{"body": null, "statusCode": 502}'],
    ['http.get("https://a/null", {"x-a": "b"}).statusCode', '204'],
    ['http.Post("https://a/object", {"a": 1})', '{"ok": true, "body": {"x": 1.0}, "statusCode": 201}'],
    ['http.post("https://a/object", [1, "a"], {"x-a": "b"}).ok', 'true'],
    ['http.post("https://a/object", null).ok', 'true'],
    ['http.get("https://a/given").body.ok && http.get("https://a/given").ok', 'true'],
    ['http.Client("") == http', 'true'],
    ['http.get("https://a/away").ok || true', 'true'],
  ] as const) {
    it(`gives ${source}`, () => expect(shown(source, {loader: recordingLoader(answers)})).toBe(want));
  }

  for (const [source, want] of [
    ['http.get("https://a/away")', 'request failed: Get "https://a/away": connection to a blocked'],
    ['http.client("no pem").get("https://a/object")', 'failed to parse PEM CA bundle for APICall'],
    [
      'http.get("https://a/object", dyn({"a": 1}))',
      'invalid arg 1: expected map(string, string), got string and int in it',
    ],
    ['http.post("https://a/object", dyn({1: 1}))', 'invalid arg 1: no JSON for a map with a key of type int'],
  ] as const) {
    it(`fails in ${source}`, () => expect(fault(source, {loader: recordingLoader(answers)})).toBe(want));
  }

  it('is of type any: no argument of a formatted text, but selected from like dyn', () => {
    const {program} = environmentOf({}).compile('http.get("https://a/")');
    expect(program?.type.kind).toBe('any');
  });

  it('sends data, headers and authorities', () => {
    const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    const requests: unknown[] = [];
    const httpCall = (request: HttpRequest) => {
      requests.push(request);
      return {statusCode: 200, body: null};
    };
    const loader = {...recordingLoader(), httpCall};
    evaluate(`http.client(${JSON.stringify(pem)}).post("https://a/", {"a": [1, 2.5]}, {"x-b": "c"})`, {
      loader,
    });
    expect(requests).toEqual([
      {method: 'POST', url: 'https://a/', headers: [['x-b', 'c']], caBundle: pem, body: {a: [1, 2.5]}},
    ]);
  });
});

describe('globalContext and image', () => {
  const loader = () =>
    recordingLoader({
      global: {all: [{a: 1}], 'all.count': 1},
      images: {
        'nginx:1': {config: {architecture: 'amd64'}, size: 5},
        broken: new EvalError('image data for broken not found in the context') as never,
      },
    });

  for (const [source, want] of [
    ['globalContext.Get("all")', '[{"a": 1}]'],
    ['globalContext.get("all", "")[0].a', '1'],
    ['globalContext.get("all", "count") >= 1', 'true'],
    ['globalContext.get("none", "") == null', 'true'],
    ['globalContext.get("none") != null', 'false'],
    ['globalContext.get("none", "count") == null || globalContext.get("none", "count") >= 0', 'true'],
    ['image.GetMetadata("nginx:1").config.architecture', '"amd64"'],
    ['image.getMetadata("nginx:1").size', '5.0'],
    ['image("nginx:1").tag() + image.getMetadata("nginx:1").config.architecture', '"1amd64"'],
  ] as const) {
    it(`give ${source}`, () => expect(shown(source, {loader: loader()})).toBe(want));
  }

  it('fail in words that say what failed', () => {
    expect(fault('image.getMetadata("broken")', {loader: loader()})).toBe(
      'failed to get image data: image data for broken not found in the context',
    );
  });
});

describe('generator', () => {
  it('collects what is to be made, and where', () => {
    const generator = new GeneratorContext(undefined);
    const object = {names: ['a', 'b'], source: {kind: 'Secret', data: {x: 'eA=='}}};
    const source =
      'object.names.all(ns, generator.apply(ns, [object.source])) && generator.Apply("c", [{"kind": "X", "n": 1}, {"kind": "Y"}])';
    expect(shown(source, {type: 'generating', generator, object})).toBe('true');
    expect(generator.calls).toEqual([
      {namespace: 'a', objects: [object.source]},
      {namespace: 'b', objects: [object.source]},
      {namespace: 'c', objects: [{kind: 'X', n: 1}, {kind: 'Y'}]},
    ]);
  });

  it('of a namespace stays in it', () => {
    const generator = new GeneratorContext('shop');
    expect(shown('generator.apply([{"kind": "X"}])', {type: 'generating', namespace: 'shop', generator})).toBe('true');
    expect(generator.calls).toEqual([{namespace: 'shop', objects: [{kind: 'X'}]}]);
  });

  it('takes maps only', () => {
    const generator = new GeneratorContext(undefined);
    expect(fault('generator.apply("a", dyn([1]))', {type: 'generating', generator})).toBe(
      'invalid arg 1: expected map(string, any), got int',
    );
    expect(fault('generator.apply("a", [object])', {type: 'generating', generator, object: null})).toBe(
      'invalid arg 1: expected map(string, any), got null_type',
    );
    expect(issuesOf('generator.apply("a", [null])', {type: 'generating'})).toContain('no matching overload');
    expect(generator.calls).toEqual([]);
  });
});

describe('waiting', () => {
  it('asks each question once per request, and starts over with what it has', async () => {
    const host = recordingLoader({...tables, later: true});
    const run = new RuleRun({
      loader: host,
      regex,
      limits: defaultLimits,
      resources: builtinResourceMap,
      operatorNamespace: 'kyverno',
    });
    const environment = environmentOf({});
    const {program} = environment.compile(
      'resource.get("v1", "configmaps", "shop", "cm").data.a + resource.get("v1", "configmaps", "shop", "cm").data.n + string(resource.list("v1", "pods", "shop").items.size())',
    );
    const bindings: never[] = [];
    for (const [name, value] of Object.entries(kyvernoContexts({}))) {
      if (name === 'resource') bindings[environment.slot(name)] = value as never;
    }
    expect(await run.complete(() => program?.evaluate(bindings, run))).toBe('1x1');
    expect(host.calls).toEqual(['get configmaps/shop/cm', 'list pods/shop']);
  });

  it('on what fails later is an error of the expression', async () => {
    const host = recordingLoader({...tables, later: true});
    const run = new RuleRun({
      loader: host,
      regex,
      limits: defaultLimits,
      resources: builtinResourceMap,
      operatorNamespace: 'kyverno',
    });
    const environment = environmentOf({});
    const {program} = environment.compile('resource.get("v1", "secrets", "shop", "s").a == 1 || true');
    const bindings: never[] = [];
    bindings[environment.slot('resource')] = kyvernoContexts({})['resource'] as never;
    expect(await run.complete(() => program?.evaluate(bindings, run))).toBe(true);
  });
});

describe('kinds', () => {
  for (const [source, types] of [
    ['x509.decode("")', ['validating', 'mutating', 'generating', 'deleting']],
    ['parseServiceAccount("")', ['validating', 'mutating', 'imageValidating']],
    ['user.parseServiceAccount("")', ['validating', 'mutating', 'imageValidating']],
    ['generator.apply("", [])', ['generating']],
    ['sha256("")', ['validating', 'mutating', 'generating', 'deleting', 'imageValidating']],
  ] as const) {
    it(`${source} is known to ${types.join(', ')} policies only`, () => {
      for (const type of ['validating', 'mutating', 'generating', 'deleting', 'imageValidating'] as const) {
        expect([type, issuesOf(source, {type}) === '']).toEqual([type, (types as readonly string[]).includes(type)]);
      }
    });
  }
});

describe('what doubles with each level', () => {
  let object: Value = 'x';
  for (let index = 0; index < 40; index += 1) object = [object, object];

  for (const source of [
    'json.marshal(object)',
    'http.post("https://a/", object)',
    'resource.post("v1", "pods", {"a": object})',
    'generator.apply("a", [{"a": object}])',
  ]) {
    it(`ends ${source}`, () => {
      const host = recordingLoader();
      const type = source.startsWith('generator') ? 'generating' : 'validating';
      expect(() => evaluate(source, {object, type, loader: host})).toThrow(BudgetError);
      expect(host.calls).toEqual([]);
    });
  }
});
