import type {Check, Outcome} from '../compile/types.js';
import {CompileError} from '../diagnostic.js';
import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {compileExclusion} from './exclusion.js';
import {podPath, viewPod} from './pod-view.js';
import type {Level} from './registry.js';
import {describeViolations, violationProperties} from './report.js';
import {compileStandard, reduceViolations, type Violation, violationsOf} from './standard.js';
import {textOf} from '../json/text.js';

export interface PodSecurityOptions {
  readonly rule: string;
  /** `spec.rules[0].validate.podSecurity`. */
  readonly path: string;
}

/** `validate.podSecurity`: the Pod of an object against a level of the Pod Security Standards. */
export function compilePodSecurity(raw: JsonObject, {rule, path}: PodSecurityOptions): Check {
  const level = own(raw, 'level');
  if (!isLevel(level)) {
    throw new CompileError({
      code: 'pod-security-level',
      message: 'level must be privileged, baseline or restricted',
      path: `${path}.level`,
    });
  }
  const version = textOf(own(raw, 'version'));
  const standard = compileStandard(level, version);
  const exclusions = objectsOf(own(raw, 'exclude')).map(compileExclusion);
  const passed: Outcome = {
    status: 'pass',
    message: `Validation rule '${rule}' passed.`,
    properties: {standard: level, version},
  };
  const fail = (violations: readonly Violation[], place: readonly string[]): Outcome => ({
    status: 'fail',
    message: `Validation rule '${rule}' failed. It violates PodSecurity "${level}:${version}": ${describeViolations(violations, place)}`,
    properties: violationProperties({level, version}, violations),
  });
  return (subject, scope, exemptions) => {
    if (scope.deleting || !isObject(subject)) return undefined;
    const place = podPath(subject, scope.context.request.kind);
    const found = violationsOf(standard, viewPod(subject, place, scope.env.budget));
    const violations = found === undefined ? [] : reduceViolations(found, exclusions);
    if (violations.length === 0) return passed;
    if (exemptions === undefined) return fail(violations, place);
    const exempt = exemptions.flatMap(exemption => exemption.exclusions);
    const left = reduceViolations(violations, exempt);
    return left.length === 0 ? exempted(exemptions.map(({key}) => key)) : fail(left, place);
  };
}

/** The whole rule is set aside by these exceptions, `namespace/name`. */
export function exempted(keys: readonly string[]): Outcome {
  return {status: 'skip', message: `rule is skipped due to policy exception ${keys.join(', ')}`};
}

function isLevel(level: Json | undefined): level is Level {
  return level === 'privileged' || level === 'baseline' || level === 'restricted';
}

function objectsOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
