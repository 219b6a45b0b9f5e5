import {describe, expect, it} from 'vitest';
import {RequestContext} from '../context/request-context.js';
import {EvalError} from '../diagnostic.js';
import type {JsonObject} from '../json/types.js';
import {buildOverrides} from '../policy/build-rule.js';
import type {ClassicSpec, ValidateAction} from '../policy/model.js';
import {yamlObject} from '../policy/testing/build.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {pod, requestOf} from '../testing/requests.js';
import {runOf} from '../testing/scopes.js';
import type {FailureAction} from '../types.js';
import {compileFailureAction} from './failure-action.js';

interface Settings {
  readonly rule?: FailureAction;
  readonly spec?: FailureAction;
  readonly ruleOverrides?: string;
  readonly specOverrides?: string;
}

const namespaces = {prod: {tier: 'gold', env: 'prod'}, dev: {env: 'dev'}};
const overrides = (text = '[]') => buildOverrides(yamlObject(text) as unknown as JsonObject[]);

function compiled(settings: Settings) {
  const action: ValidateAction = {
    type: 'validate',
    failureAction: settings.rule,
    failureActionOverrides: overrides(settings.ruleOverrides),
    allowExistingViolations: true,
    message: undefined,
    check: {type: 'pattern', pattern: {}},
  };
  return compileFailureAction(action, {
    failureAction: settings.spec ?? 'Audit',
    failureActionOverrides: overrides(settings.specOverrides),
  } as ClassicSpec);
}

function actionFor(settings: Settings, namespace: string): FailureAction {
  const object =
    namespace === '' ? {apiVersion: 'v1', kind: 'Node', metadata: {name: 'n'}} : pod('p', {metadata: {namespace}});
  const request = requestOf({object, namespace});
  return compiled(settings).action(new RequestContext(request), runOf(recordingLoader({namespaces})));
}

describe('a failure', () => {
  it.each<[string, Settings, string, FailureAction]>([
    ['follows the policy', {spec: 'Enforce'}, 'prod', 'Enforce'],
    ['follows the rule before the policy', {rule: 'Audit', spec: 'Enforce'}, 'prod', 'Audit'],
    [
      'follows the policy’s overrides before the policy',
      {spec: 'Audit', specOverrides: '[{action: Enforce, namespaces: [prod]}]'},
      'prod',
      'Enforce',
    ],
    [
      'of another namespace does not',
      {spec: 'Audit', specOverrides: '[{action: Enforce, namespaces: [prod]}]'},
      'dev',
      'Audit',
    ],
    [
      'follows the rule before the policy’s overrides',
      {rule: 'Audit', specOverrides: '[{action: Enforce, namespaces: [prod]}]'},
      'prod',
      'Audit',
    ],
    [
      'follows the rule’s overrides before the rule',
      {rule: 'Audit', ruleOverrides: '[{action: Enforce, namespaces: ["pr*"]}]'},
      'prod',
      'Enforce',
    ],
    [
      'follows the rule where no override of it holds',
      {rule: 'Audit', spec: 'Enforce', ruleOverrides: '[{action: Enforce, namespaces: [x]}]'},
      'prod',
      'Audit',
    ],
    [
      'follows the first override that holds',
      {
        spec: 'Audit',
        specOverrides:
          '[{action: Audit, namespaces: [dev]}, {action: Enforce, namespaces: ["*"]}, {action: Audit, namespaces: [prod]}]',
      },
      'prod',
      'Enforce',
    ],
    ['follows an override for everything', {spec: 'Audit', specOverrides: '[{action: Enforce}]'}, 'prod', 'Enforce'],
    [
      'follows an override by labels',
      {spec: 'Audit', specOverrides: '[{action: Enforce, namespaceSelector: {matchLabels: {tier: "g*"}}}]'},
      'prod',
      'Enforce',
    ],
    [
      'not of other labels',
      {spec: 'Audit', specOverrides: '[{action: Enforce, namespaceSelector: {matchLabels: {tier: gold}}}]'},
      'dev',
      'Audit',
    ],
    [
      'needs namespaces and labels where both are given',
      {
        spec: 'Audit',
        specOverrides: '[{action: Enforce, namespaces: [dev], namespaceSelector: {matchLabels: {tier: gold}}}]',
      },
      'dev',
      'Audit',
    ],
    [
      'and follows where both hold',
      {
        spec: 'Audit',
        specOverrides: '[{action: Enforce, namespaces: [prod], namespaceSelector: {matchLabels: {tier: gold}}}]',
      },
      'prod',
      'Enforce',
    ],
    [
      'of a cluster-scoped object follows overrides for everything only',
      {spec: 'Audit', specOverrides: '[{action: Enforce, namespaces: ["*"]}]'},
      '',
      'Audit',
    ],
    ['of a cluster-scoped object follows those', {spec: 'Audit', specOverrides: '[{action: Enforce}]'}, '', 'Enforce'],
  ])('%s', (_title, settings, namespace, want) => {
    expect(actionFor(settings, namespace)).toBe(want);
  });

  it('of a Namespace object is that of a cluster-scoped one', () => {
    const settings: Settings = {spec: 'Audit', specOverrides: '[{action: Enforce, namespaces: [prod]}]'};
    const request = requestOf({object: {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'prod'}}});
    expect(request.namespace).toBe('prod');
    expect(compiled(settings).action(new RequestContext(request), runOf(recordingLoader({namespaces})))).toBe('Audit');
  });

  it('is known beforehand where nothing depends on the namespace', () => {
    expect(compiled({rule: 'Enforce'}).fixed).toBe('Enforce');
    expect(compiled({rule: 'Enforce', specOverrides: '[{action: Audit}]'}).fixed).toBe('Enforce');
    expect(compiled({spec: 'Enforce', specOverrides: '[{action: Audit, namespaces: [x]}]'}).fixed).toBeUndefined();
  });

  it('cannot be told where the labels cannot be read', () => {
    const {action} = compiled({
      spec: 'Audit',
      specOverrides: '[{action: Enforce, namespaceSelector: {matchLabels: {a: b}}}]',
    });
    const run = runOf(recordingLoader({namespaces: {prod: new EvalError('HTTP 500')}}));
    expect(() =>
      action(new RequestContext(requestOf({object: pod('p', {metadata: {namespace: 'prod'}})})), run),
    ).toThrow('HTTP 500');
  });
});
