import {describe, expect, it} from 'vitest';
import {defaultLimits} from '../../budget.js';
import {builtinResourceMap} from '../../builtin-resources.js';
import {RuleRun} from '../../context/rule-run.js';
import {EvalError} from '../../diagnostic.js';
import type {JsonObject} from '../../json/types.js';
import {yamlObject} from '../../policy/testing/build.js';
import {regex} from '../../testing/engines.js';
import {recordingLoader} from '../../testing/recording-loader.js';
import {pod, requestOf, type TestRequest} from '../../testing/requests.js';
import {matchConstraints} from '../load/read-parts.js';
import {compileConstraints} from './match-constraints.js';

const loader = recordingLoader({
  namespaces: {shop: {env: 'prod'}, lab: {env: 'test'}, broken: new EvalError('no answer')},
});

function matches(text: string, request: TestRequest): boolean {
  const run = new RuleRun({
    loader,
    regex,
    resources: builtinResourceMap,
    operatorNamespace: 'kyverno',
    limits: defaultLimits,
  });
  return compileConstraints(matchConstraints(yamlObject(text)))(requestOf(request), run);
}

const rule = (more: string) =>
  `resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods], ${more}}]`;
const inNamespace = (namespace: string, labels: JsonObject = {}) => ({
  object: pod('a', {metadata: {namespace, labels}}),
});

describe('rules', () => {
  it.each<[text: string, request: TestRequest, matches: boolean]>([
    [rule(''), {object: pod('a')}, true],
    [rule(''), {oldObject: pod('a'), operation: 'DELETE'}, false],
    [rule('operations: ["*"]'), {oldObject: pod('a'), operation: 'DELETE'}, true],
    [rule('apiGroups: [apps]'), {object: pod('a')}, false],
    [rule('apiGroups: ["*"], apiVersions: ["*"], resources: ["*"]'), {object: pod('a')}, true],
    [rule('resources: ["*"]'), {object: pod('a'), subResource: 'exec'}, false],
    [rule('resources: ["*/*"]'), {object: pod('a'), subResource: 'exec'}, true],
    [rule('resources: ["pods/*"]'), {object: pod('a')}, true],
    [rule('resources: ["pods/exec"]'), {object: pod('a'), subResource: 'exec'}, true],
    [rule('resources: ["*/exec"]'), {object: pod('a'), subResource: 'log'}, false],
    [rule('scope: Cluster'), {object: pod('a')}, false],
    [rule('scope: Namespaced'), {object: pod('a')}, true],
    [rule('resourceNames: [b]'), {object: pod('a')}, false],
    [rule('resourceNames: [a]'), {object: pod('a')}, true],
    [
      rule('resourceNames: [web]'),
      {object: {...pod('a'), metadata: {generateName: 'web-', namespace: 'shop'}}, name: ''},
      true,
    ],
    [
      rule('resourceNames: [web]'),
      {object: {...pod('a'), metadata: {generateName: 'api-', namespace: 'shop'}}, name: ''},
      false,
    ],
    [
      `${rule('')}\nexcludeResourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods], resourceNames: [a]}]`,
      {object: pod('a')},
      false,
    ],
    ['{}', {object: pod('a')}, true],
  ])('%s', (text, request, wanted) => {
    expect(matches(text, request)).toBe(wanted);
  });

  it('no constraints select nothing', () => {
    expect(compileConstraints(undefined)(requestOf({object: pod('a')}), {} as RuleRun)).toBe(false);
  });
});

describe('selectors', () => {
  const prod = `${rule('')}\nnamespaceSelector: {matchLabels: {env: prod}}`;
  const own = `${rule('operations: ["*"]')}\nobjectSelector: {matchLabels: {app: web}}`;
  const namespaces =
    'resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [namespaces]}]\nnamespaceSelector: {matchLabels: {env: prod}}';
  const namespace = (labels: JsonObject): JsonObject => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {name: 'shop', labels},
  });

  it.each<[what: string, text: string, request: TestRequest, matches: boolean]>([
    ['of the namespace', prod, inNamespace('shop'), true],
    ['of another namespace', prod, inNamespace('lab'), false],
    ['of a namespace that is not there yet', prod, inNamespace('new'), false],
    [
      'every namespace has its name as label',
      `${rule('')}\nnamespaceSelector: {matchLabels: {kubernetes.io/metadata.name: new}}`,
      inNamespace('new'),
      true,
    ],
    ['of the object', own, inNamespace('shop', {app: 'web'}), true],
    ['of the object as it was', own, {object: pod('a'), oldObject: pod('a', {metadata: {labels: {app: 'web'}}})}, true],
    ['of neither', own, {object: pod('a'), oldObject: pod('a')}, false],
    ['a Namespace has its own labels', namespaces, {object: namespace({env: 'prod'})}, true],
    ['also when it goes', namespaces, {oldObject: namespace({env: 'lab'}), operation: 'DELETE'}, false],
  ])('%s', (_what, text, request, wanted) => {
    expect(matches(text, request)).toBe(wanted);
  });

  it('labels that cannot be had are an error, but only for what the rules select', () => {
    expect(() => matches(prod, inNamespace('broken'))).toThrow('failed to get labels of namespace broken: no answer');
    expect(
      matches(`${rule('resources: [services]')}\nnamespaceSelector: {matchLabels: {env: prod}}`, inNamespace('broken')),
    ).toBe(false);
  });
});
