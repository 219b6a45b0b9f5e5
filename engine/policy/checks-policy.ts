import type {JsonObject} from '../json/types.js';
import {child, flag, has, integer, list, objects, text} from './access.js';
import type {Scope} from './check-scope.js';
import {at} from './faults.js';
import {checkOverrides} from './checks-overrides.js';

const longestName = 63;
const autogenAnnotation = 'pod-policies.kyverno.io/autogen-controllers';
const controllers = ['DaemonSet', 'Deployment', 'Job', 'StatefulSet', 'ReplicaSet', 'ReplicationController', 'CronJob'];

/** Checks of the policy as a whole (its metadata and the fields of `spec` beside the rules). */
export function checkPolicy(metadata: JsonObject, spec: JsonObject, rules: readonly JsonObject[], scope: Scope): void {
  checkName(metadata, scope);
  checkAutogenAnnotation(metadata, scope);
  checkDeprecatedPairs(spec, scope);
  checkProcessing(spec, rules, scope);
  checkRuleNames(rules, scope);
  checkMatchConditions(spec, scope);
  checkSpecOverrides(spec, scope);
  if (rules.length === 0) scope.faults.warn('no-rules', 'spec.rules', 'the policy has no rules and does nothing');
}

function checkName(metadata: JsonObject, {faults, namespaced}: Scope): void {
  const name = text(metadata, 'name') ?? '';
  if (name === '' && !text(metadata, 'generateName')) faults.error('name-missing', 'metadata.name', 'name is required');
  if (name.length > longestName) {
    faults.error(
      'name-too-long',
      'metadata.name',
      `the policy name is too long: must be no more than ${longestName} characters`,
    );
  }
  if (!namespaced && text(metadata, 'namespace')) {
    faults.compat('metadata.namespace', 'ignored: a ClusterPolicy has no namespace');
  }
}

function checkAutogenAnnotation(metadata: JsonObject, {faults}: Scope): void {
  const value = text(child(metadata, 'annotations'), autogenAnnotation);
  if (value === undefined || value === 'none' || value === '') return;
  const path = at('metadata.annotations', autogenAnnotation);
  const names = value.split(',');
  if (names.some(name => name.trim() === 'all')) {
    faults.error(
      'autogen-all',
      path,
      "Autogen annotation does not support 'all' anymore, remove the annotation or set it to a valid value",
    );
    return;
  }
  for (const name of names) {
    if (!controllers.includes(name))
      faults.warn('autogen-unknown', path, `${JSON.stringify(name)} is no controller that rules can be derived for`);
  }
  const missing = controllers.filter(name => !names.includes(name));
  if (missing.length > 0) {
    faults.warn(
      'autogen-subset',
      path,
      `Policies that match Pods apply to all Pods including those created and managed by controllers excluded from autogen. Excluded: ${missing.join(', ')}`,
    );
  }
}

/** Fields with a successor, and what that is. */
const deprecated: Readonly<Record<string, string>> = {
  failurePolicy: 'use spec.webhookConfiguration.failurePolicy instead',
  webhookTimeoutSeconds: 'use spec.webhookConfiguration.timeoutSeconds instead',
  schemaValidation: 'it has no effect',
  validationFailureAction: 'use spec.rules[*].validate.failureAction instead',
  validationFailureActionOverrides: 'use spec.rules[*].validate.failureActionOverrides instead',
  mutateExistingOnPolicyUpdate: 'use spec.rules[*].mutate.mutateExistingOnPolicyUpdate instead',
  generateExisting: 'use spec.rules[*].generate.generateExisting instead',
};

function checkDeprecatedPairs(spec: JsonObject, {faults}: Scope): void {
  for (const field of Object.keys(deprecated)) {
    if (has(spec, field))
      faults.warn('deprecated-field', `spec.${field}`, `spec.${field} is deprecated: ${deprecated[field]}`);
  }
  const webhook = child(spec, 'webhookConfiguration');
  if (text(spec, 'failurePolicy') && has(webhook, 'failurePolicy')) {
    faults.error(
      'deprecated-pair',
      'spec.failurePolicy',
      'remove the deprecated field and use spec.webhookConfiguration.failurePolicy instead',
    );
  }
  if (integer(spec, 'webhookTimeoutSeconds') !== undefined && has(webhook, 'timeoutSeconds')) {
    faults.error(
      'deprecated-pair',
      'spec.webhookTimeoutSeconds',
      'remove the deprecated field and use spec.webhookConfiguration.timeoutSeconds instead',
    );
  }
  if (flag(spec, 'generateExistingOnPolicyUpdate') !== undefined) {
    faults.error(
      'removed-field',
      'spec.generateExistingOnPolicyUpdate',
      'remove the deprecated field and use spec.generate[*].generateExisting instead',
    );
  }
}

function checkProcessing(spec: JsonObject, rules: readonly JsonObject[], {faults, rulePaths}: Scope): void {
  if (flag(spec, 'admission') !== false) return;
  if (flag(spec, 'background') === false) {
    faults.error('processing-disabled', 'spec', 'disabling both admission and background processing is not allowed');
  }
  rules.forEach((rule, index) => {
    if (has(rule, 'mutate') || has(rule, 'generate') || has(rule, 'verifyImages')) {
      faults.error(
        'admission-disabled',
        rulePaths[index]!,
        'disabling admission processing is only allowed with validation policies',
      );
    }
  });
}

function checkRuleNames(rules: readonly JsonObject[], {faults, rulePaths}: Scope): void {
  const seen = new Set<string>();
  rules.forEach((rule, index) => {
    const path = at(rulePaths[index]!, 'name');
    const name = text(rule, 'name') ?? '';
    if (name === '') faults.error('rule-name-missing', path, 'rule name is required');
    else if (seen.has(name)) faults.error('rule-name-duplicate', path, `Duplicate rule name: '${name}'`);
    if (name.length > longestName) {
      faults.error('rule-name-too-long', path, `Too long: must be no more than ${longestName} characters`);
    }
    seen.add(name);
  });
}

function checkMatchConditions(spec: JsonObject, {faults}: Scope): void {
  const path = 'spec.webhookConfiguration.matchConditions';
  const seen = new Set<string>();
  objects(child(spec, 'webhookConfiguration'), 'matchConditions').forEach((condition, index) => {
    const name = text(condition, 'name') ?? '';
    if (name === '') faults.error('match-condition-name', at(at(path, index), 'name'), 'name is required');
    else if (seen.has(name))
      faults.error('match-condition-name', at(at(path, index), 'name'), `Duplicate value: "${name}"`);
    if (!text(condition, 'expression'))
      faults.error('match-condition-expression', at(at(path, index), 'expression'), 'expression is required');
    seen.add(name);
  });
}

function checkSpecOverrides(spec: JsonObject, scope: Scope): void {
  const path = 'spec.validationFailureActionOverrides';
  if (list(spec, 'validationFailureActionOverrides').length === 0) return;
  if (scope.namespaced) {
    scope.faults.error(
      'overrides-namespaced',
      path,
      'Use of validationFailureActionOverrides is supported only with ClusterPolicy',
    );
  }
  checkOverrides(objects(spec, 'validationFailureActionOverrides'), path, scope);
}
