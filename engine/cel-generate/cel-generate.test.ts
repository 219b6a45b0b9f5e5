import {describe, expect, it} from 'vitest';
import {builtinResourceMap} from '../builtin-resources.js';
import {createCelEngine} from '../cel-policies/run/create-cel-engine.js';
import {CelPolicyCache} from '../cel-policies/snapshot/cel-policy-cache.js';
import {formatDiagnostic} from '../diagnostic.js';
import type {JsonObject} from '../json/types.js';
import {yamlObject} from '../policy/testing/build.js';
import {regex} from '../testing/engines.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {requestOf} from '../testing/requests.js';
import {splitPlaceholders} from './placeholders.js';

const namespace: JsonObject = {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'shop', labels: {port: '80'}}};

function policy(generate: string, {namespaced = false, variables = '[]'}: {namespaced?: boolean; variables?: string} = {}): JsonObject {
  return yamlObject(`
apiVersion: policies.kyverno.io/v1beta1
kind: ${namespaced ? 'NamespacedGeneratingPolicy' : 'GeneratingPolicy'}
metadata: {name: make${namespaced ? ', namespace: shop' : ''}}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [namespaces, configmaps]}]
  variables: ${variables}
  generate:
${generate.replace(/^/gm, '    ')}
`);
}

async function generated(raw: JsonObject, object: JsonObject = namespace) {
  const cache = new CelPolicyCache({
    resources: () => builtinResourceMap,
    compile: {regex},
    exceptions: {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: ''},
  });
  const state = cache.putPolicy(raw);
  if (state.status === 'refused') return state.problems.map(formatDiagnostic);
  const engine = createCelEngine({policies: cache, loader: recordingLoader(), regex});
  const {results} = await engine.generate(requestOf({object}), {phase: 'admission', deadline: Number.POSITIVE_INFINITY});
  const rule = results[0]?.rules[0];
  return rule?.status === 'pass' ? rule.targets : `${rule?.status}: ${rule?.message}`;
}

describe('placeholders', () => {
  it.each([
    ['plain', ['plain']],
    ['(( a ))', [{expression: 'a'}]],
    ['x-(( f(a, (b)) ))-y', ['x-', {expression: 'f(a, (b))'}, '-y']],
    ['(( "))" ))', [{expression: '"))"'}]],
    [String.raw`(( 'it\'s ))' ))`, [{expression: String.raw`'it\'s ))'`}]],
    [String.raw`(( r'\' + ")" ))`, [{expression: String.raw`r'\' + ")"`}]],
    ['(( {"a": [1]}["a"] ))', [{expression: '{"a": [1]}["a"]'}]],
    [String.raw`\(( a ))`, ['(( a ))']],
  ])('%s', (text, parts) => {
    expect(splitPlaceholders(text)).toEqual({parts});
  });

  it.each(['(( a', '(( a )', '((  ))'])('%s is a fault', text => {
    expect(splitPlaceholders(text)).toHaveProperty('error');
  });
});

describe('templates', () => {
  it('become one object per document, placeholders filled in with what they come to', async () => {
    const template = `
- template:
    interpolate: cel
    value: |
      apiVersion: v1
      kind: ConfigMap
      metadata:
        name: (( object.metadata.name ))-config
        namespace: (( object.metadata.name ))
        labels: (( variables.all ))
      data:
        port: "(( string(int(object.metadata.labels.port) + 1) ))/tcp"
        literal: \\(( not me ))
      ---
      ---
      apiVersion: v1
      kind: Namespace
      metadata: {name: other, namespace: gone}
      spec: {count: (( 2.0 ))}
`;
    expect(await generated(policy(template, {variables: '[{name: all, expression: "{\'a\': \'b\'}"}]'}))).toEqual([
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {name: 'shop-config', namespace: 'shop', labels: {a: 'b'}},
        data: {port: '81/tcp', literal: '(( not me ))'},
      },
      {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'other'}, spec: {count: 2}},
    ]);
  });

  it('are left as they are without interpolation', async () => {
    const value = '- template: {value: "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: a, namespace: b}\\ndata: {x: (( y ))}"}';
    expect(await generated(policy(value))).toEqual([
      {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'a', namespace: 'b'}, data: {x: '(( y ))'}},
    ]);
  });

  it('are told all their faults before they run, and by place when they fail', async () => {
    const faulty = `
- template:
    interpolate: cel
    value: |
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: (( nope )), namespace: "x-(( "}
`;
    const faults = (await generated(policy(faulty))) as string[];
    expect(faults.join('\n')).toContain("undeclared reference to 'nope'");
    expect(faults.join('\n')).toContain('is not closed by "))"');
    const failing = `
- template:
    interpolate: cel
    value: |
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: "x-(( object.metadata.labels ))", namespace: b}
`;
    expect(await generated(policy(failing))).toBe(
      'error: failed to evaluate policy: failed to render generation template: document 1: field "metadata.name": placeholder "object.metadata.labels" embedded in a string must evaluate to a scalar, got map; use a whole-value placeholder for structured results',
    );
    expect(await generated(policy(failing.replace('object.metadata.labels', 'object.metadata.nope')))).toContain('no such key: nope');
  });
});

describe('generator.Apply', () => {
  const made = `[{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a", "resourceVersion": "7", "uid": "u", "namespace": "from", "ownerReferences": [{"name": "o"}]}}]`;

  it('says where to; what belongs to a stored object stays behind', async () => {
    expect(await generated(policy(`- expression: >-
    generator.Apply("to", ${made})`))).toEqual([
      {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'a', namespace: 'to'}},
    ]);
  });

  it('takes lists apart, and clears the namespace of cluster-scoped kinds', async () => {
    const list = `[{"apiVersion": "v1", "kind": "NamespaceList", "items": [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}]}]`;
    expect(await generated(policy(`- expression: >-
    generator.apply("to", ${list})`))).toEqual([
      {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'a'}},
      {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'b'}},
    ]);
  });

  it('of a namespace reaches no other and nothing of the cluster', async () => {
    const trigger = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 't', namespace: 'shop'}};
    const at = (entry: string) => generated(policy(entry, {namespaced: true}), trigger);
    expect(await at(`- expression: >-
    generator.Apply(${made})`)).toEqual([{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'a', namespace: 'shop'}}]);
    expect(await at('- template: {value: "apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: a, namespace: other}"}')).toContain('cross-namespace generation denied');
    expect(await at('- template: {value: "apiVersion: v1\\nkind: Namespace\\nmetadata: {name: a}"}')).toContain('cross-scope generation denied');
  });

  it('must come to a bool', async () => {
    expect(await generated(policy('- expression: "1"'))).toEqual([expect.stringContaining('output is expected to be of type bool')]);
  });
});
