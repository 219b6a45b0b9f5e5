import type {JsonObject} from '../json/types.js';
import type {FailureAction, FailurePolicy} from '../types.js';
import {child, flag, integer, objects, stringMap, text} from './access.js';
import {buildOverrides, buildRule} from './build-rule.js';
import type {ClassicPolicy, ClassicSpec} from './model.js';

export interface PolicyParts {
  readonly raw: JsonObject;
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
  readonly rules: readonly JsonObject[];
  readonly rulePaths: readonly string[];
  readonly namespaced: boolean;
}

/** The model of a policy that passed its checks. */
export function buildPolicy(parts: PolicyParts): ClassicPolicy {
  const {raw, metadata, namespaced} = parts;
  const name = text(metadata, 'name') ?? '';
  const namespace = namespaced ? (text(metadata, 'namespace') ?? '') : '';
  return {
    ref: {
      apiVersion: text(raw, 'apiVersion') ?? '',
      kind: text(raw, 'kind') ?? '',
      namespace,
      name,
      key: namespace === '' ? name : `${namespace}/${name}`,
    },
    uid: text(metadata, 'uid') ?? '',
    resourceVersion: text(metadata, 'resourceVersion') ?? '',
    generation: integer(metadata, 'generation') ?? 0,
    annotations: stringMap(metadata, 'annotations') ?? {},
    labels: stringMap(metadata, 'labels') ?? {},
    spec: buildSpec(parts, namespace),
    raw,
  };
}

function buildSpec({spec, rules, rulePaths}: PolicyParts, namespace: string): ClassicSpec {
  const webhook = child(spec, 'webhookConfiguration');
  return {
    applyRules: text(spec, 'applyRules') === 'One' ? 'One' : 'All',
    admission: flag(spec, 'admission') ?? true,
    background: flag(spec, 'background') ?? true,
    emitWarning: flag(spec, 'emitWarning') ?? false,
    failurePolicy: (text(webhook, 'failurePolicy') ?? text(spec, 'failurePolicy') ?? 'Fail') as FailurePolicy,
    timeoutSeconds: integer(webhook, 'timeoutSeconds') ?? integer(spec, 'webhookTimeoutSeconds'),
    matchConditions: objects(webhook, 'matchConditions').map(condition => ({
      name: text(condition, 'name') ?? '',
      expression: text(condition, 'expression') ?? '',
    })),
    failureAction: (text(spec, 'validationFailureAction') ?? 'Audit') as FailureAction,
    failureActionOverrides: buildOverrides(objects(spec, 'validationFailureActionOverrides')),
    useServerSideApply: flag(spec, 'useServerSideApply') ?? false,
    rules: rules.map((rule, index) => buildRule(rule, spec, {path: rulePaths[index]!, namespace})),
  };
}
