import {describe, expect, it} from 'vitest';
import {builtinResourceMap} from '../builtin-resources.js';
import type {ContextLoader} from '../context-loader.js';
import {EvalError} from '../diagnostic.js';
import {isObject, type Json, type JsonObject} from '../json/types.js';
import {createEngine} from '../run/create-engine.js';
import {PolicyCache} from '../snapshot/policy-cache.js';
import {deadline, policyOf, regex} from '../testing/engines.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {pod, requestOf} from '../testing/requests.js';

const object = (name: string, more: {readonly namespace?: string; readonly labels?: JsonObject; readonly data?: JsonObject} = {}): JsonObject => ({
  metadata: {name, namespace: more.namespace ?? 'shop', labels: more.labels ?? {}},
  data: more.data ?? {},
});

interface World {
  readonly api: Readonly<Record<string, Json | Error>>;
  readonly labels?: JsonObject;
  /** Of the policy; a ClusterPolicy when absent. */
  readonly namespace?: string;
}

/** What a rule for this target (in YAML) finds, and what it asked the API server for. */
async function found(target: string, {api, labels = {}, namespace}: World) {
  const cache = new PolicyCache({
    resources: () => builtinResourceMap,
    compile: {matchConditions: 'by-api-server', background: 'served'},
    exceptions: {enabled: false, operatorNamespace: 'kyverno', exceptionNamespace: ''},
  });
  const rules = `[{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, mutate: {targets: [${target}], patchStrategicMerge: {metadata: {labels: {by: us}}}}}]`;
  const state = cache.putPolicy(policyOf('p', rules, namespace === undefined ? {} : {namespace}));
  if (state.status === 'refused') throw new Error(JSON.stringify(state.problems));
  const loader = searching(api);
  const request = requestOf({object: pod('p', {metadata: {namespace: 'shop', labels}})});
  const {results} = await createEngine({policies: cache, loader, regex}).generate(request, {deadline});
  const outcomes = results.flatMap(result => result.rules);
  return {
    names: outcomes.flatMap(({targets = []}) => targets.map(item => `${String(item['apiVersion'])} ${String(item['kind'])} ${String((item['metadata'] as JsonObject)['name'])}`)),
    messages: outcomes.filter(({status}) => status === 'error').map(({message}) => message),
    asked: loader.requests.map(({urlPath = '', search}) => [urlPath, ...(isSearch(search) ? [search.labelSelector, search.fieldSelector] : [])].filter(part => part !== undefined).join(' ')),
  };
}

const isSearch = (search: unknown): search is {labelSelector?: string; fieldSelector?: string} => typeof search === 'object';

/** Asks the search of each object, as a loader of a cluster does. */
function searching(api: Readonly<Record<string, Json | Error>>) {
  const loader = recordingLoader({api});
  const apiCall: ContextLoader['apiCall'] = async (request, load) => {
    const answer = await loader.apiCall(request, load);
    const {search} = request;
    if (typeof search !== 'object' || !isObject(answer)) return answer;
    return {...answer, items: (answer['items'] as JsonObject[]).filter(item => search.keep(item))};
  };
  return {...loader, apiCall};
}

const one = '/api/v1/namespaces/shop/secrets/a';

describe('targets', () => {
  it('with name and namespace are read by name, and nothing is listed', async () => {
    const target = '{apiVersion: v1, kind: Secret, namespace: "{{ request.object.metadata.labels.to }}", name: a}';
    expect(await found(target, {api: {[one]: object('a')}, labels: {to: 'shop'}})).toEqual({names: ['v1 Secret a'], messages: [], asked: [one]});
  });

  it('with name and namespace that do not exist are none; those that may not be read are an error', async () => {
    const target = '{apiVersion: v1, kind: Secret, namespace: shop, name: a}';
    expect(await found(target, {api: {[one]: new EvalError('HTTP 404', 'not-found')}})).toEqual({names: [], messages: [], asked: [one]});
    const {messages} = await found(target, {api: {[one]: new EvalError('permission denied (HTTP 403)')}});
    expect(messages).toEqual([expect.stringContaining('permission denied (HTTP 403)')]);
  });

  it('with name and namespace are no others than their selector and uid select', async () => {
    const selected = '{apiVersion: v1, kind: Secret, namespace: shop, name: a, selector: {matchLabels: {x: "y"}}}';
    expect((await found(selected, {api: {[one]: object('a')}})).names).toEqual([]);
    expect((await found(selected, {api: {[one]: object('a', {labels: {x: 'y'}})}})).names).toEqual(['v1 Secret a']);
    expect((await found('{apiVersion: v1, kind: Secret, namespace: shop, name: a, uid: u}', {api: {[one]: object('a')}})).names).toEqual([]);
  });

  it('of kinds without namespaces are read by name', async () => {
    const target = '{apiVersion: v1, kind: Namespace, name: "{{ request.namespace }}"}';
    expect(await found(target, {api: {'/api/v1/namespaces/shop': {metadata: {name: 'shop'}}}})).toMatchObject({names: ['v1 Namespace shop'], asked: ['/api/v1/namespaces/shop']});
  });

  it('whose name a variable makes impossible are none', async () => {
    const target = '{apiVersion: v1, kind: Secret, namespace: shop, name: "{{ request.object.metadata.annotations.to || \'a/b\' }}"}';
    expect(await found(target, {api: {}})).toEqual({names: [], messages: [], asked: []});
  });

  it('are listed in their namespace by the selector, wildcards judged here', async () => {
    const items = [object('a1', {labels: {app: 'web', v: 'x1'}}), object('a2', {labels: {app: 'web', v: 'y'}}), object('b1', {labels: {app: 'web', v: 'x2'}})];
    const target = '{apiVersion: v1, kind: Secret, namespace: shop, name: "a*", selector: {matchLabels: {app: "{{ request.object.metadata.labels.app }}", v: "x?"}}}';
    expect(await found(target, {api: {'/api/v1/namespaces/shop/secrets': {items}}, labels: {app: 'web'}})).toEqual({
      names: ['v1 Secret a1'],
      messages: [],
      asked: ['/api/v1/namespaces/shop/secrets app=web,v'],
    });
  });

  it('of one name in namespaces by wildcard, or in all, are listed by that name', async () => {
    const items = [object('a', {namespace: 'shop'}), object('a', {namespace: 'team'}), object('b')];
    const api = {'/api/v1/secrets': {items}};
    expect(await found('{apiVersion: v1, kind: Secret, namespace: "s*", name: a}', {api})).toEqual({names: ['v1 Secret a'], messages: [], asked: ['/api/v1/secrets metadata.name=a']});
    expect((await found('{apiVersion: v1, kind: Secret, name: a}', {api})).names).toHaveLength(2);
  });

  it('of a Policy are in its namespace, by name too; none is looked for elsewhere', async () => {
    const api = {[one]: object('a'), '/api/v1/namespaces/shop': {metadata: {name: 'shop'}}};
    expect((await found('{apiVersion: v1, kind: Secret, namespace: shop, name: a}', {api, namespace: 'shop'})).names).toEqual(['v1 Secret a']);
    // It may be left out there.
    expect((await found('{apiVersion: v1, kind: Secret, name: a}', {api, namespace: 'shop'})).names).toEqual(['v1 Secret a']);
    const target = '{apiVersion: v1, kind: "{{ request.object.metadata.labels.kind }}", namespace: shop, name: shop}';
    const refused = await found(target, {api, namespace: 'shop', labels: {kind: 'Namespace'}});
    expect(refused).toEqual({names: [], asked: [], messages: [expect.stringContaining('is not inside namespace shop')]});
  });

  it('may be many among many more; those that would fill the memory are an error that says what helps', async () => {
    const data = {text: 'x'.repeat(10 * 1024)};
    const items = Array.from({length: 9_000}, (_, index) => object(`c${index}`, {data, labels: index % 10 === 0 ? {pick: 'yes'} : {}}));
    const api = {'/api/v1/configmaps': {items: [...items, ...items]}};
    const picked = '{apiVersion: v1, kind: ConfigMap, selector: {matchLabels: {pick: "yes"}}}';
    expect((await found(picked, {api})).names).toHaveLength(1_800);
    expect((await found('{apiVersion: v1, kind: ConfigMap, name: "*"}', {api: {'/api/v1/configmaps': {items}}})).names).toHaveLength(9_000);
    expect((await found('{apiVersion: v1, kind: ConfigMap, name: "*"}', {api})).messages).toEqual([
      expect.stringContaining('the objects of configmaps that the rule means take more than 96 MiB: narrow them by name, namespace or selector'),
    ]);
  });
});
