import {describe, expect, it} from 'vitest';
import {type JsonObject, ownPath} from '../json/types.js';
import {deadline, policyOf, regex} from '../testing/engines.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {pod, requestOf} from '../testing/requests.js';
import {builtinResourceMap} from '../builtin-resources.js';
import {PolicyCache} from '../snapshot/policy-cache.js';
import {createEngine} from '../run/create-engine.js';

const rules = (generate: string) => `[{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, generate: ${generate}}]`;
const data = '{apiVersion: v1, kind: ConfigMap, name: c, namespace: "{{ request.object.metadata.labels.to }}", data: {data: {a: b}}}';
const clone = '{apiVersion: v1, kind: Secret, name: c, namespace: shop, clone: {name: s, namespace: "{{ request.object.metadata.labels.to }}"}}';

async function generated(generate: string, options: {readonly namespace?: string; readonly to: string}) {
  const cache = new PolicyCache({
    resources: () => builtinResourceMap,
    compile: {matchConditions: 'by-api-server', background: 'served'},
    exceptions: {enabled: false, operatorNamespace: 'kyverno', exceptionNamespace: ''},
  });
  const {namespace} = options;
  const state = cache.putPolicy(policyOf('p', rules(generate), namespace === undefined ? {} : {namespace}));
  if (state.status === 'refused') throw new Error(JSON.stringify(state.problems));
  const loader = recordingLoader({api: {'/api/v1/namespaces/other/secrets/s': {apiVersion: 'v1', kind: 'Secret', metadata: {name: 's', namespace: 'other'}}}});
  const request = requestOf({object: pod('p', {metadata: {namespace: 'shop', labels: {to: options.to}}})});
  const {results} = await createEngine({policies: cache, loader, regex}).generate(request, {deadline});
  const [rule] = results.flatMap(result => result.rules);
  return {status: rule?.status, message: rule?.message, calls: loader.calls};
}

describe('a generate rule whose names come from variables', () => {
  it('reaches every namespace in a ClusterPolicy', async () => {
    expect((await generated(data, {to: 'other'})).status).toBe('pass');
    expect((await generated(clone, {to: 'other'})).status).toBe('pass');
  });

  it('must name its namespace as it is in a Policy', async () => {
    for (const generate of [data, clone]) {
      await expect(generated(generate, {namespace: 'shop', to: 'shop'})).rejects.toThrow('cannot generate resources in other namespaces');
    }
  });

  it('makes nothing cluster-wide in a Policy, whatever kind a variable comes to', async () => {
    const kind = '{apiVersion: v1, kind: "{{ request.object.metadata.labels.to }}", name: c, namespace: shop, data: {data: {a: b}}}';
    expect((await generated(kind, {namespace: 'shop', to: 'ConfigMap'})).status).toBe('pass');
    expect(await generated(kind, {namespace: 'shop', to: 'Namespace'})).toMatchObject({
      status: 'error',
      message: 'a policy of namespace shop may not generate cluster-wide objects',
    });
  });
});

describe('a generate rule that clones a list', () => {
  it('has sources selected where they are stored, and takes no others', async () => {
    const secret = (name: string, labels: JsonObject) => ({metadata: {name, namespace: 'from', labels}});
    const items = [secret('a', {share: 'yes'}), secret('b', {share: 'no'})];
    const cache = new PolicyCache({
      resources: () => builtinResourceMap,
      compile: {matchConditions: 'by-api-server', background: 'served'},
      exceptions: {enabled: false, operatorNamespace: 'kyverno', exceptionNamespace: ''},
    });
    cache.putPolicy(policyOf('p', rules('{namespace: to, cloneList: {namespace: from, kinds: [v1/Secret], selector: {matchLabels: {share: "yes"}}}}')));
    const loader = recordingLoader({api: {'/api/v1/namespaces/from/secrets': {items}}});
    const {results} = await createEngine({policies: cache, loader, regex}).generate(requestOf({object: pod('p')}), {deadline});
    const made = results.flatMap(result => result.rules.flatMap(({targets = []}) => targets));
    expect(made.map(object => [object['kind'], ownPath(object, 'metadata', 'name'), ownPath(object, 'metadata', 'namespace')])).toEqual([['Secret', 'a', 'to']]);
    expect(loader.requests).toMatchObject([{urlPath: '/api/v1/namespaces/from/secrets', search: {labelSelector: 'share=yes'}}]);
  });
});
