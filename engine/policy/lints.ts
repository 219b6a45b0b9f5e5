import {rewriteQuantities} from '../classic-cel/rewrite-quantities.js';
import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {child, has, objects, text} from './access.js';
import {bareKey} from './checks-metadata.js';
import {at, type Faults} from './faults.js';
import {matchedKinds} from './filters.js';

const otherChecks = ['pattern', 'anyPattern', 'deny', 'foreach', 'podSecurity', 'cel', 'manifests'];

function checkBesides(validate: JsonObject | undefined): boolean {
  return otherChecks.some(check => has(validate, check));
}

/** Doubtful but legal: told once the policy is known to be sound. */
export function lintRule(rule: JsonObject, path: string, faults: Faults): void {
  const kinds = matchedKinds(rule);
  const validate = child(rule, 'validate');
  const mutate = child(rule, 'mutate');
  if (has(validate, 'assert')) {
    const place = at(at(path, 'validate'), 'assert');
    if (checkBesides(validate)) faults.warn('assert', place, 'validate.assert beside another check is not judged');
    else
      faults.warn(
        'assert',
        place,
        'validate.assert is judged here, but has no effect in other current releases of the policy language',
      );
  }
  lintCel(child(validate, 'cel'), at(at(path, 'validate'), 'cel'), faults);
  const body = own(validate ?? {}, 'pattern') ?? own(mutate ?? {}, 'patchStrategicMerge');
  if (body === undefined) return;
  if (hasKey(body, 'replicas') && !kinds.some(kind => /scale$/i.test(kind) || kind.includes('*'))) {
    faults.warn(
      'replicas-without-scale',
      path,
      'You are matching on replicas but not including the scale subresource in the policy.',
    );
  }
  if (
    isObject(body) &&
    Object.keys(body).some(key => bareKey(key) === 'status') &&
    !kinds.some(kind => /[/.]status$/.test(kind) || kind.includes('*'))
  ) {
    faults.warn(
      'status-without-subresource',
      path,
      'You are matching on status but not including the status subresource in the policy.',
    );
  }
}

/** By amount is what authors mean; other readers of the policy, Kubernetes among them, compare text. */
function lintCel(cel: JsonObject | undefined, path: string, faults: Faults): void {
  objects(cel, 'expressions').forEach((entry, index) => {
    const expression = text(entry, 'expression');
    if (expression === undefined || rewriteQuantities(expression) === expression) return;
    faults.warn(
      'cel-quantities',
      at(at(at(path, 'expressions'), index), 'expression'),
      'quantity fields are ordered and multiplied by amount here, as text elsewhere',
      {
        expression,
        hint: 'quantity(a).isLessThan(quantity(b)) means the same everywhere; the annotation policies.kyverno.io/cel-quantities: text turns this off',
      },
    );
  });
}

/** A key of the first two levels: `spec.replicas` and the like. */
function hasKey(body: Json, name: string): boolean {
  if (!isObject(body)) return false;
  return Object.keys(body).some(key => {
    const inner = own(body, key)!;
    return bareKey(key) === 'spec' && isObject(inner) && Object.keys(inner).some(field => bareKey(field) === name);
  });
}
