import {describe, expect, it} from 'vitest';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {EvalError} from '../../engine/diagnostic.js';
import type {JsonObject} from '../../engine/json/types.js';
import {createMockLoader, type MockLoaderOptions} from './mock-loader.js';

const load = {deadline: Number.POSITIVE_INFINITY};
const configMaps = {group: '', version: 'v1', resource: 'configmaps'};
const configMap = (name: string, namespace: string, labels: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {name, namespace, labels},
});

const loaderOf = (options: Partial<MockLoaderOptions> = {}) =>
  createMockLoader({
    objects: [],
    resources: builtinResourceMap,
    regex: createRegexEngine(),
    values: undefined,
    ...options,
  });

function refusal(ask: () => unknown): string {
  try {
    ask();
  } catch (error) {
    expect(error).toBeInstanceOf(EvalError);
    return (error as EvalError).message;
  }
  throw new Error('nothing was refused');
}

describe('objects for expressions', () => {
  const a = configMap('a', 'one', {x: '1'});
  const b = configMap('b', 'two', {x: '1', y: '2'});
  const loader = loaderOf({objects: [configMap('judged', 'one')], visible: [a, b]});

  it('are those that stand for the cluster, and none that is judged', () => {
    expect(loader.resourceGet({...configMaps, namespace: 'one', name: 'a'}, load)).toBe(a);
    expect(loader.resourceGet({...configMaps, namespace: 'two', name: 'a'}, load)).toBeUndefined();
    expect(loader.resourceGet({...configMaps, namespace: 'one', name: 'judged'}, load)).toBeUndefined();
  });

  for (const [title, namespace, labels, items] of [
    ['of one namespace', 'one', [], [a]],
    ['of all', '', [], [a, b]],
    ['by labels', '', [['y', '2']], [b]],
    ['by labels that none has', '', [['constructor', '2']], []],
    ['of a namespace without any', 'three', [], []],
  ] as const) {
    it(`are listed ${title}`, () => {
      expect(loader.resourceList({...configMaps, namespace, labels}, load)).toMatchObject({
        apiVersion: 'v1',
        kind: 'ConfigMapList',
        items,
      });
    });
  }

  it('of a kind that nobody knows are an error in a list', () => {
    const query = {group: 'x.io', version: 'v1', resource: 'things', namespace: '', labels: []};
    expect(refusal(() => loader.resourceList(query, load))).toBe('things.x.io resource not found');
  });

  it('are not made', () => {
    expect(refusal(() => loader.resourcePost({...configMaps, namespace: 'one', object: {}}, load))).toContain(
      'without a cluster',
    );
  });
});

describe('web servers', () => {
  const url = 'https://a.example/v1';
  const loader = loaderOf({
    apiCalls: [
      {url, method: 'POST', response: {statusCode: 403, body: {ok: false}}},
      {url, response: {body: {ok: true}}},
    ] as never,
  });

  it('answer as the test says, by method or for all of them', () => {
    expect(loader.httpCall({method: 'POST', url, headers: []}, load)).toEqual({
      statusCode: 403,
      body: {ok: false},
      given: true,
    });
    expect(loader.httpCall({method: 'GET', url, headers: []}, load)).toMatchObject({statusCode: 200, body: {ok: true}});
  });

  it('without an answer are not asked', () => {
    expect(refusal(() => loader.httpCall({method: 'GET', url: `${url}/x`, headers: []}, load))).toContain(
      'no answer is given for GET https://a.example/v1/x',
    );
  });
});

describe('images', () => {
  const loader = loaderOf({images: [{image: 'nginx:1', config: {architecture: 'amd64'}}] as never});

  it('are those of the Context file, as they are written there', () => {
    expect(loader.imageData('nginx:1', load)).toEqual({image: 'nginx:1', config: {architecture: 'amd64'}});
    expect(refusal(() => loader.imageData('docker.io/nginx:1', load))).toContain(
      'image data for docker.io/nginx:1 not found in the context',
    );
  });
});

describe('global context entries', () => {
  const loader = loaderOf({
    globalEntries: [
      {name: 'whole', data: [{a: 1}, {a: 2}], projections: []},
      {name: 'parts', data: [{a: 1}, {a: 2}], projections: [{name: 'count', path: 'length(@)'}]},
      {name: 'inner', data: {b: {c: 3}}, fieldPath: 'b', projections: []},
    ],
  });

  for (const [name, projection, want] of [
    ['whole', undefined, [{a: 1}, {a: 2}]],
    ['parts', 'count', 2],
    ['parts', undefined, {count: 2}],
    ['inner', undefined, {c: 3}],
    ['missing', undefined, undefined],
    ['missing', 'count', undefined],
  ] as const) {
    it(`give ${name} ${projection ?? ''}`, () => {
      expect(loader.globalReference(name, projection, load)).toEqual(want);
    });
  }

  it('lack a projection that is not written', () => {
    expect(refusal(() => loader.globalReference('parts', 'size', load))).toBe(
      'projection "size" not found in global context entry "parts"',
    );
    expect(refusal(() => loader.globalReference('whole', 'count', load))).toContain('not found');
  });
});
