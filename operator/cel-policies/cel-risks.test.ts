import {expect, it} from 'vitest';
import {celCache, celPolicy} from '../../engine/cel-policies/testing/cel-engines.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {OwnRights} from '../permissions/own-rights.js';
import {celStatusSource} from './cel-status-source.js';

const rights: OwnRights = {can: () => true, refresh: () => Promise.resolve(false)};
const spec = '{matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]}, matchConditions: [{name: a, expression: "request.userInfo.username != \'x\'"}], validations: [{expression: "true"}]}';
const optIn = {'webhook.kyverno.io/fail-on-system-namespaces': 'true'};

/** The condition on system namespaces; `undefined`: they are left out of what fails closed. */
function riskOf(kind: string, text: string, {annotations = {}, taken = true}: {annotations?: Record<string, string>; taken?: boolean} = {}): JsonObject | undefined {
  const cache = celCache();
  const object = celPolicy(kind, text, {annotations});
  const state = cache.putPolicy(object);
  if (state.status === 'refused') throw new Error(JSON.stringify(state.problems));
  const source = celStatusSource({cache, rights, native: () => undefined, background: () => [], hasOwnConditions: () => taken});
  const status = source.statusOf(state.kind, state.key, {object, readiness: {ready: true}, now: '2026-01-01T00:00:00Z'});
  return (ownPath(status, 'conditions') as JsonObject[]).find(({type}) => type === 'FailsInSystemNamespaces');
}

it.each([
  ['a policy whose own conditions went to the API server', 'ValidatingPolicy', spec, {}, {status: 'Unknown', reason: 'OwnMatchConditions'}],
  ['one whose conditions are judged here keeps the guards', 'ValidatingPolicy', spec, {taken: false}, undefined],
  ['one that fails open', 'ValidatingPolicy', spec.replace('{', '{failurePolicy: Ignore, '), {}, undefined],
  ['one that opted in', 'ValidatingPolicy', spec, {annotations: optIn}, {status: 'True', reason: 'OptedIn'}],
  ['one of a namespace reaches no other', 'NamespacedValidatingPolicy', spec, {annotations: optIn}, undefined],
])('whether system namespaces may stand still is told: %s', (_what, kind, text, options, wanted) => {
  const risk = riskOf(kind, text, options);
  if (wanted === undefined) expect(risk).toBeUndefined();
  else expect(risk).toMatchObject(wanted);
});
