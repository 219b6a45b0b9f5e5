import {describe, expect, it} from 'vitest';
import {EvalError} from '../diagnostic.js';
import type {Json, JsonObject} from '../json/types.js';
import {compileQuery} from '../jmespath/index.js';
import {recordingLoader, type RecordingLoaderOptions} from '../testing/recording-loader.js';
import {pod, requestOf} from '../testing/requests.js';
import {runOf, scopeOf} from '../testing/scopes.js';
import {elementVariables} from '../compile/element-variables.js';
import {buildContext} from '../policy/build-context.js';
import {compileEntries} from './compile-entry.js';
import {yamlObject} from '../policy/testing/build.js';

const tables: RecordingLoaderOptions = {
  configMaps: {
    'default/settings': {data: {mode: 'strict', list: '["a","b"]'}, metadata: {name: 'settings', namespace: 'default'}},
  },
  api: {
    '/api/v1/namespaces/default/pods': {items: [{metadata: {name: 'one'}}, {metadata: {name: 'two'}}]},
    '/fails': new EvalError('failed to GET resource with raw url: /fails: HTTP 403'),
    'https://svc.default.svc/check': {ok: true},
  },
  global: {quota: {limit: 3}, 'quota.small': 1},
  images: {nginx: {registry: 'docker.io', configData: {user: 'root'}}},
};

function value(context: string, query: string, options: {tables?: RecordingLoaderOptions} = {}): Json {
  const run = runOf(recordingLoader(options.tables ?? tables));
  const scope = scopeOf({context: yamlObject(context) as unknown as JsonObject[], run});
  return compileQuery(query).evaluate(scope, run);
}

function fault(context: string, query: string): string {
  try {
    return `no error: ${JSON.stringify(value(context, query))}`;
  } catch (error) {
    if (error instanceof EvalError) return error.message;
    throw error;
  }
}

describe('an entry gives', () => {
  it.each<[string, string, string, Json]>([
    ['a value', '[{name: v, variable: {value: {a: [1]}}}]', 'v.a[0]', 1],
    ['a value with variables', '[{name: v, variable: {value: "n-{{ request.object.metadata.name }}"}}]', 'v', 'n-p'],
    ['a query over its value', '[{name: v, variable: {value: {a: 1}, jmesPath: a}}]', 'v', 1],
    ['a query over the context', '[{name: v, variable: {jmesPath: request.object.metadata.name}}]', 'v', 'p'],
    ['a query that holds variables', '[{name: v, variable: {jmesPath: "request.object.{{ \'kind\' }}"}}]', 'v', 'Pod'],
    [
      'its default where the query has no key',
      '[{name: v, variable: {jmesPath: request.object.spec.zzz, default: d}}]',
      'v',
      'd',
    ],
    [
      'its default where the query is null',
      '[{name: v, variable: {jmesPath: "request.object.spec.containers[9]", default: d}}]',
      'v',
      'd',
    ],
    [
      'a default with variables',
      '[{name: v, variable: {jmesPath: nope, default: "{{ request.object.kind }}"}}]',
      'v',
      'Pod',
    ],
    [
      'its default where the query over its value fails',
      '[{name: v, variable: {value: {a: 1}, jmesPath: b, default: d}}]',
      'v',
      'd',
    ],
    [
      'its default where a made query is no query',
      '[{name: v, variable: {jmesPath: "{{ \'[[\' }}", default: d}}]',
      'v',
      'd',
    ],
    ['false, which is a value', '[{name: v, variable: {value: false}}]', 'v', false],
    ['a ConfigMap', '[{name: v, configMap: {name: settings, namespace: default}}]', 'v.data.mode', 'strict'],
    [
      'a ConfigMap by variables',
      '[{name: v, configMap: {name: "{{ \'settings\' }}", namespace: "{{ request.namespace }}"}}]',
      'v.metadata.name',
      'settings',
    ],
    [
      'the answer of the API server',
      '[{name: v, apiCall: {urlPath: "/api/v1/namespaces/{{request.namespace}}/pods"}}]',
      'length(v.items)',
      2,
    ],
    [
      'a query over the answer',
      '[{name: v, apiCall: {urlPath: /api/v1/namespaces/default/pods, jmesPath: "items[].metadata.name"}}]',
      'v',
      ['one', 'two'],
    ],
    [
      'null where the query over the answer is null',
      '[{name: v, apiCall: {urlPath: /api/v1/namespaces/default/pods, jmesPath: "items[7]"}}]',
      'v',
      null,
    ],
    [
      'its default, as it is, where the call fails',
      '[{name: v, apiCall: {urlPath: /fails, jmesPath: items, default: {items: 1}}}]',
      'v',
      {items: 1},
    ],
    [
      'the answer of a service',
      '[{name: v, apiCall: {method: POST, data: [{key: a, value: "{{ request.name }}"}], service: {url: "https://svc.default.svc/check"}}}]',
      'v.ok',
      true,
    ],
    ['a global value', '[{name: v, globalReference: {name: quota, jmesPath: limit}}]', 'v', 3],
    ['a projection of a global value', '[{name: v, globalReference: {name: quota.small}}]', 'v', 1],
    ['data of an image', '[{name: v, imageRegistry: {reference: nginx, jmesPath: configData.user}}]', 'v', 'root'],
  ])('%s', (_title, context, query, want) => {
    expect(value(context, query)).toEqual(want);
  });
});

describe('an entry fails', () => {
  it.each<[string, string, string, string]>([
    [
      'without a value',
      '[{name: v, variable: {jmesPath: request.object.spec.zzz}}]',
      'v',
      'failed to load context: failed to add context entry for variable v: Unknown key "zzz" in path',
    ],
    [
      'on null',
      '[{name: v, variable: {jmesPath: "request.object.spec.containers[9]"}}]',
      'v',
      'failed to load context: failed to add context entry for variable v since it evaluated to nil',
    ],
    [
      'on null of a query over its value, default or not',
      '[{name: v, variable: {value: {a: null}, jmesPath: a, default: d}}]',
      'v',
      'since it evaluated to nil',
    ],
    [
      'on a ConfigMap that does not exist',
      '[{name: v, configMap: {name: none, namespace: default}}]',
      'v',
      'failed to load context: failed to load context entry v: failed to get configmap default/none: not found',
    ],
    [
      'on a call that fails',
      '[{name: v, apiCall: {urlPath: /fails}}]',
      'v',
      'failed to load context: failed to load context entry v: failed to GET resource with raw url: /fails: HTTP 403',
    ],
    [
      'on a path that cannot be made, default or not',
      '[{name: v, apiCall: {urlPath: "/{{ nope }}", default: d}}]',
      'v',
      'Unknown key "nope" in path',
    ],
    [
      'on a path that is no text',
      '[{name: v, apiCall: {urlPath: "{{ request.object }}"}}]',
      'v',
      'urlpath value must be a string',
    ],
    [
      'on a query that does not fit the answer',
      '[{name: v, apiCall: {urlPath: /api/v1/namespaces/default/pods, jmesPath: zzz, default: d}}]',
      'v',
      'Unknown key "zzz" in path',
    ],
    ['on a global value that is not there', '[{name: v, globalReference: {name: none}}]', 'v', 'entry none does not exist'],
    ['when asked inside a function', '[{name: v, apiCall: {urlPath: /fails}}]', "length(v) || 'd'", 'HTTP 403'],
    ['in spite of a fallback', '[{name: v, apiCall: {urlPath: /fails}}]', "v || 'd'", 'HTTP 403'],
    ['in a filter', '[{name: v, apiCall: {urlPath: /fails}}]', 'v[?a]', 'HTTP 403'],
  ])('%s', (_title, context, query, want) => {
    expect(fault(context, query)).toContain(want);
  });
});

describe('order', () => {
  it.each<[string, string, string, string]>([
    [
      'an entry sees those before it',
      '[{name: a, variable: {value: 1}}, {name: b, variable: {value: "{{ a }}2"}}]',
      'b',
      '"12"',
    ],
    [
      'an entry does not see those behind it',
      '[{name: a, variable: {value: "{{ b }}"}}, {name: b, variable: {value: 1}}]',
      'a',
      'Unknown key "b" in path',
    ],
    ['nor itself', '[{name: a, variable: {value: "{{ a }}"}}]', 'a', 'Unknown key "a" in path'],
    [
      'a variable replaces one of its name, using it',
      '[{name: a, variable: {value: {x: 1}}}, {name: a, variable: {value: {z: "{{ a.x }}"}}}]',
      'a',
      '{"z":1}',
    ],
    [
      'other entries join one of their name',
      '[{name: a, variable: {value: {x: 1}}}, {name: a, configMap: {name: settings, namespace: default}}]',
      'a.[x, data.mode]',
      '[1,"strict"]',
    ],
    [
      'dotted names join under their root',
      '[{name: a.b, variable: {value: 1}}, {name: a.c, variable: {value: 2}}]',
      'a',
      '{"b":1,"c":2}',
    ],
    ['an entry may stand before a builtin', '[{name: images, variable: {value: mine}}]', 'images', '"mine"'],
  ])('%s', (_title, context, query, want) => {
    expect(fault(context, query).replace('no error: ', '')).toContain(want);
  });
});

describe('laziness', () => {
  const context = yamlObject(`
    - {name: used, configMap: {name: settings, namespace: default}}
    - {name: unused, apiCall: {urlPath: /fails}}
    - {name: broken, variable: {jmesPath: nope}}
  `) as unknown as JsonObject[];

  it('what is not asked for is not loaded and cannot fail', () => {
    const loader = recordingLoader(tables);
    const run = runOf(loader);
    const scope = scopeOf({context, run});
    expect(compileQuery('used.data.mode').evaluate(scope, run)).toBe('strict');
    expect(compileQuery('request.object.metadata.name').evaluate(scope, run)).toBe('p');
    expect(loader.calls).toEqual(['configMap default/settings']);
  });

  it('what was loaded is loaded once', () => {
    const loader = recordingLoader(tables);
    const run = runOf(loader);
    for (let count = 0; count < 3; count++) {
      run.startRule();
      const scope = scopeOf({context, run});
      compileQuery('[used.data, used.metadata]').evaluate(scope, run);
    }
    expect(loader.calls).toEqual(['configMap default/settings']);
  });

  it('a failure is kept too', () => {
    const loader = recordingLoader(tables);
    const run = runOf(loader);
    for (let count = 0; count < 3; count++) {
      expect(() => compileQuery('unused').evaluate(scopeOf({context, run}), run)).toThrow('HTTP 403');
    }
    expect(loader.calls).toEqual(['apiCall /fails']);
  });
});

describe('loops', () => {
  const inner = compileEntries(
    buildContext(
      yamlObject('[{name: e, variable: {value: "{{ element }}-{{ elementIndex }}"}}]') as unknown as JsonObject[],
    ),
    'x',
  );

  it('give each element its own entries and keep the outer ones', () => {
    const loader = recordingLoader(tables);
    const run = runOf(loader);
    const scope = scopeOf({
      context: [yamlObject('{name: outer, configMap: {name: settings, namespace: default}}')],
      run,
    });
    const seen = ['a', 'b'].map((element, index) =>
      compileQuery('[e, outer.data.mode]').evaluate(scope.child(inner, elementVariables(element, index, 0)), run),
    );
    expect(seen).toEqual([
      ['a-0', 'strict'],
      ['b-1', 'strict'],
    ]);
    expect(loader.calls).toHaveLength(1);
  });

  it('number elements by their depth; `element` is the innermost', () => {
    const run = runOf();
    const outer = scopeOf({run}).child([], elementVariables('a', 0, 0));
    const scope = outer.child([], elementVariables('b', 7, 1));
    expect(
      compileQuery('[element, elementIndex, element0, elementIndex0, element1, elementIndex1]').evaluate(scope, run),
    ).toEqual(['b', 7, 'a', 0, 'b', 7]);
    expect(compileQuery('element').evaluate(outer, run)).toBe('a');
    expect(() => compileQuery('element1').evaluate(outer, run)).toThrow('Unknown key');
  });

  it('leave nothing behind', () => {
    const run = runOf();
    const scope = scopeOf({run});
    compileQuery('e').evaluate(scope.child(inner, elementVariables('a', 0, 0)), run);
    for (const name of ['e', 'element', 'elementIndex', 'element0']) {
      expect(() => compileQuery(name).evaluate(scope, run)).toThrow('Unknown key');
    }
  });
});

describe('builtins', () => {
  const account = requestOf({
    object: pod('p'),
    user: {username: 'system:serviceaccount:team:robot', roles: ['team:edit'], clusterRoles: ['view']},
  });
  it.each<[string, ReturnType<typeof requestOf>, string, Json]>([
    ['the service account', account, '[serviceAccountName, serviceAccountNamespace]', ['robot', 'team']],
    ['no service account', requestOf({object: pod('p')}), '[serviceAccountName, serviceAccountNamespace]', ['', '']],
    ['roles', account, '[request.roles, request.clusterRoles]', [['team:edit'], ['view']]],
    ['the requester', account, 'request.userInfo.username', 'system:serviceaccount:team:robot'],
    ['the namespace and operation', account, '[request.namespace, request.operation]', ['default', 'CREATE']],
    [
      'images',
      requestOf({
        object: pod('p', {
          spec: {
            containers: [
              {name: 'a', image: 'reg.io/x/y:1'},
              {name: 'b', image: 'nginx@sha256:abc'},
            ],
          },
        }),
      }),
      'images.containers.a.[registry, path, name, tag, jsonPointer]',
      ['reg.io', 'x/y', 'y', '1', '/spec/containers/0/image'],
    ],
    [
      'images of a CronJob',
      requestOf({
        object: {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          metadata: {name: 'c'},
          spec: {jobTemplate: {spec: {template: {spec: {initContainers: [{name: 'i', image: 'nginx'}]}}}}},
        },
      }),
      'images.initContainers.i.[registry, tag, jsonPointer]',
      ['docker.io', 'latest', '/spec/jobTemplate/spec/template/spec/initContainers/0/image'],
    ],
    [
      'images of the old object on DELETE',
      requestOf({operation: 'DELETE', oldObject: pod('p')}),
      'images.containers.main.tag',
      '1.27',
    ],
  ])('%s', (_title, request, query, want) => {
    const run = runOf();
    expect(compileQuery(query).evaluate(scopeOf({request, run}), run)).toEqual(want);
  });

  it.each(['request.roles', 'request.clusterRoles', 'target', 'image', 'element', '__proto__', 'constructor'])(
    '%s is no key when there is none',
    name => {
      const run = runOf();
      expect(() => compileQuery(`"${name}"`.replace('.', '"."')).evaluate(scopeOf({run}), run)).toThrow('Unknown key');
    },
  );

  it('without a requester there is no service account', () => {
    const run = runOf();
    const scope = scopeOf({request: requestOf({object: pod('p'), user: null}), run});
    expect(() => compileQuery('serviceAccountName').evaluate(scope, run)).toThrow('Unknown key');
  });
});

describe('size', () => {
  it('of all entries of a rule together is limited', () => {
    const run = runOf(recordingLoader(tables), {bytes: 1000});
    const entry = (name: string) => ({name, variable: {value: 'x'.repeat(400)}});
    const scope = scopeOf({context: [entry('a'), entry('b'), entry('c')], run});
    expect(() => compileQuery('[a, b]').evaluate(scope, run)).not.toThrow();
    expect(() => compileQuery('c').evaluate(scope, run)).toThrow('context size limit exceeded');
  });

  it('doubles at most up to the limit', () => {
    const entries: JsonObject[] = [{name: 'v0', variable: {value: 'x'.repeat(1024)}}];
    for (let index = 1; index <= 40; index++) {
      entries.push({name: `v${index}`, variable: {jmesPath: `join('-', [v${index - 1}, v${index - 1}])`}});
    }
    const run = runOf();
    expect(() => compileQuery('v40').evaluate(scopeOf({context: entries, run}), run)).toThrow(
      'context size limit exceeded',
    );
  });
});
