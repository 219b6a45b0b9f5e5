import type {JsonObject} from '../../json/types.js';
import {child, flag, list, objects, stringMap, strings, text} from '../../policy/access.js';
import type {LabelSelector} from '../../policy/model.js';
import type {
  AuditAnnotation,
  MatchConstraints,
  Mutation,
  NamedExpression,
  ResourceRule,
  Validation,
  ValidationAction,
} from '../model.js';

/** Parts that several kinds share, from data whose form was checked. */
export function namedExpressions(spec: JsonObject, field: string): NamedExpression[] {
  return objects(spec, field).map(entry => ({
    name: text(entry, 'name') ?? '',
    expression: text(entry, 'expression') ?? '',
  }));
}

export function auditAnnotations(spec: JsonObject): AuditAnnotation[] {
  return objects(spec, 'auditAnnotations').map(entry => ({
    key: text(entry, 'key') ?? '',
    valueExpression: text(entry, 'valueExpression') ?? '',
  }));
}

export function validations(spec: JsonObject): Validation[] {
  return objects(spec, 'validations').map(entry => ({
    expression: text(entry, 'expression') ?? '',
    message: text(entry, 'message') || undefined,
    messageExpression: text(entry, 'messageExpression') || undefined,
    reason: text(entry, 'reason'),
  }));
}

export function mutations(spec: JsonObject): Mutation[] {
  return objects(spec, 'mutations').map(entry => ({
    patchType: text(entry, 'patchType') ?? '',
    applyConfiguration: text(child(entry, 'applyConfiguration'), 'expression'),
    jsonPatch: text(child(entry, 'jsonPatch'), 'expression'),
  }));
}

/** Every action once; `Deny` when there is none. */
export function validationActions(spec: JsonObject): ValidationAction[] {
  const given = [...new Set(strings(spec, 'validationActions'))] as ValidationAction[];
  return given.length === 0 ? ['Deny'] : given;
}

export function matchConstraints(block: JsonObject | undefined): MatchConstraints | undefined {
  if (block === undefined) return undefined;
  return {
    resourceRules: resourceRules(block, 'resourceRules'),
    excludeResourceRules: resourceRules(block, 'excludeResourceRules'),
    namespaceSelector: labelSelector(child(block, 'namespaceSelector')),
    objectSelector: labelSelector(child(block, 'objectSelector')),
    matchPolicy: text(block, 'matchPolicy') as 'Exact' | 'Equivalent' | undefined,
  };
}

function resourceRules(block: JsonObject, field: string): ResourceRule[] {
  return objects(block, field).map(rule => ({
    apiGroups: strings(rule, 'apiGroups'),
    apiVersions: strings(rule, 'apiVersions'),
    resources: strings(rule, 'resources'),
    operations: strings(rule, 'operations'),
    scope: (text(rule, 'scope') ?? '*') as ResourceRule['scope'],
    resourceNames: strings(rule, 'resourceNames'),
  }));
}

export function labelSelector(selector: JsonObject | undefined): LabelSelector | undefined {
  if (selector === undefined) return undefined;
  const labels = stringMap(selector, 'matchLabels');
  const requirements = list(selector, 'matchExpressions').length;
  return {
    ...(labels !== undefined && {matchLabels: labels}),
    ...(requirements > 0 && {
      matchExpressions: objects(selector, 'matchExpressions').map(entry => ({
        key: text(entry, 'key') ?? '',
        operator: (text(entry, 'operator') ?? '') as 'In',
        values: strings(entry, 'values'),
      })),
    }),
  };
}

/** `{enabled: …}` below `evaluation`, `autogen` and the like. */
export function isEnabled(block: JsonObject | undefined, field: string, fallback: boolean): boolean {
  return flag(child(block, field), 'enabled') ?? fallback;
}
