import {describe, expect, it} from 'vitest';
import {builtinResourceMap} from '../builtin-resources.js';
import type {ContextLoader, ObjectSearch} from '../context-loader.js';
import {EvalError} from '../diagnostic.js';
import type {JsonObject} from '../json/types.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {pod, requestOf} from '../testing/requests.js';
import {applies, mutatingEngine, mutatingPolicy, type TestPolicy} from './testing/engine.js';

const deadline = Number.POSITIVE_INFINITY;

const configMap = (name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {name, namespace: 'default', ...more},
});

const listed = {'configmaps/': {items: [configMap('a'), configMap('b', {labels: {mark: 'x'}})]}};
const rules = "{resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [configmaps], operations: ['*']}]";
const marks = applies('Object{metadata: Object.metadata{labels: {"trigger": string(request.object.metadata.name)}}}');

function policy(spec: string, more: TestPolicy = {}): JsonObject {
  return mutatingPolicy(marks, {...more, spec: `{evaluation: {mutateExisting: {enabled: true}}, ${spec}}`});
}

async function changes(
  policies: readonly JsonObject[],
  tables: Parameters<typeof recordingLoader>[0] = {lists: listed},
): Promise<string[]> {
  const engine = mutatingEngine(policies, {loader: recordingLoader(tables)});
  const {results} = await engine.mutateExisting(requestOf({object: pod('t')}), {phase: 'admission', deadline});
  return results.flatMap(({rules: found}) =>
    found.map(({status, message, targets = []}) => {
      const objects = targets.map(target => {
        const {name, labels = {}} = target['metadata'] as JsonObject;
        return `${String(target['kind'])}/${String(name)} ${JSON.stringify(labels)}`;
      });
      return [status, message, ...objects].join(' ');
    }),
  );
}

describe('existing objects', () => {
  it('are those that the rules for targets select', async () => {
    expect(await changes([policy(`targetMatchConstraints: ${rules}}`)])).toEqual([
      'pass success ConfigMap/a {"trigger":"t"}',
      'pass success ConfigMap/b {"mark":"x","trigger":"t"}',
    ]);
  });

  it('are searched by what the rules say of labels and names, whatever other objects take', async () => {
    const loader = recordingLoader({lists: {'configmaps/': {items: []}}});
    const searches: Array<ObjectSearch | undefined> = [];
    const resourceList: ContextLoader['resourceList'] = (query, load) => {
      searches.push(query.search);
      return loader.resourceList(query, load);
    };
    const byName = rules.replace('operations', 'resourceNames: [a], operations');
    const engine = mutatingEngine([policy(`targetMatchConstraints: ${byName}, objectSelector: {matchLabels: {mark: x}}}`)], {loader: {...loader, resourceList}});
    await engine.mutateExisting(requestOf({object: pod('t')}), {phase: 'admission', deadline});
    expect(searches).toMatchObject([{labelSelector: 'mark=x', fieldSelector: 'metadata.name=a'}]);
    const [search] = searches;
    expect([configMap('a', {labels: {mark: 'x'}}), configMap('a'), configMap('b', {labels: {mark: 'x'}})].map(object => search?.keep(object))).toEqual([true, false, false]);
  });

  it('are chosen by labels, by names and by conditions', async () => {
    const byLabel = policy(`targetMatchConstraints: ${rules}, objectSelector: {matchLabels: {mark: x}}}`);
    expect(await changes([byLabel])).toEqual(['pass success ConfigMap/b {"mark":"x","trigger":"t"}']);
    const byName = rules.replace('operations', 'resourceNames: [a], operations');
    expect(await changes([policy(`targetMatchConstraints: ${byName}}`)])).toEqual([
      'pass success ConfigMap/a {"trigger":"t"}',
    ]);
    const condition = `targetMatchConditions: [{name: c, expression: "object.metadata.name == 'b'"}]`;
    expect(await changes([policy(`targetMatchConstraints: ${rules}}, ${condition}`)])).toEqual([
      'skip skip ConfigMap/a {}',
      'pass success ConfigMap/b {"mark":"x","trigger":"t"}',
    ]);
  });

  it('are what an expression comes to, of the trigger', async () => {
    const expression = `resource.Get("v1", "configmaps", object.metadata.namespace, object.metadata.name)`;
    const spec = `targetMatchConstraints: {expression: '${expression}'}`;
    const objects = {'configmaps/default/t': configMap('t')};
    expect(await changes([policy(spec)], {objects})).toEqual(['pass success ConfigMap/t {"trigger":"t"}']);
    expect(await changes([policy(spec)], {})).toEqual([]);
  });

  it('are the items of a list that an expression comes to', async () => {
    const spec = `targetMatchConstraints: {expression: 'resource.List("v1", "configmaps", "")'}`;
    const {items} = listed['configmaps/'];
    const lists = {
      'configmaps/': {
        kind: 'ConfigMapList',
        apiVersion: 'v1',
        items: items.map(({metadata}) => ({metadata: metadata!})),
      },
    };
    expect(await changes([policy(spec)], {lists})).toEqual([
      'pass success ConfigMap/a {"trigger":"t"}',
      'pass success ConfigMap/b {"mark":"x","trigger":"t"}',
    ]);
  });

  it('are the triggers themselves without any word on targets', async () => {
    const lists = {'pods/': {items: [pod('one')]}};
    expect(await changes([policy('')], {lists})).toEqual(['pass success Pod/one {"trigger":"t"}']);
  });

  it('are those of its namespace for a policy of a namespace', async () => {
    const lists = {'configmaps/default': {items: [configMap('own')]}};
    const own = policy(`targetMatchConstraints: ${rules}}`, {namespace: 'default'});
    expect(await changes([own], {lists})).toEqual(['pass success ConfigMap/own {"trigger":"t"}']);
  });

  it('stay when the conditions of the trigger do not hold', async () => {
    const spec = `targetMatchConstraints: ${rules}}, matchConditions: [{name: c, expression: "object.metadata.name == 'other'"}]`;
    expect(await changes([policy(spec)])).toEqual(['skip skip']);
  });

  it('that cannot be had are an error', async () => {
    const [told] = await changes([policy(`targetMatchConstraints: ${rules}}`)], {});
    expect(told).toBe('error failed to fetch targets: configmaps/ not found');
  });

  it('are passed over by a star when there is no list of them', async () => {
    const all = rules.replace('[configmaps]', "['*']");
    const names = builtinResourceMap.all().filter(({group, version}) => group === '' && version === 'v1');
    const none = names.map(({resource}) => [`${resource}/`, new EvalError(`${resource}: HTTP 405 MethodNotAllowed`)]);
    const lists = {...Object.fromEntries(none), ...listed};
    expect(await changes([policy(`targetMatchConstraints: ${all}}`)], {lists})).toHaveLength(2);
    expect(await changes([policy(`targetMatchConstraints: ${rules}}`)], {lists: Object.fromEntries(none)})).toEqual([
      'error failed to fetch targets: configmaps: HTTP 405 MethodNotAllowed',
    ]);
  });

  it('leave the trigger alone', async () => {
    const engine = mutatingEngine([policy(`targetMatchConstraints: ${rules}}`)]);
    const {patch, results} = await engine.mutate(requestOf({object: pod('t')}), {phase: 'admission', deadline});
    expect([patch, results]).toEqual([[], []]);
  });
});
