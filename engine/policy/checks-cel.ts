import type {JsonObject} from '../json/types.js';
import {child, has, list, objects, text} from './access.js';
import type {Scope} from './check-scope.js';
import {at} from './faults.js';

/** The form of `validate.cel`; what its expressions say is not looked at. */
export function checkCel(rule: JsonObject, cel: JsonObject, path: string, {faults}: Scope): void {
  if (list(rule, 'context').length > 0) {
    faults.error('cel-context', path, 'context variables are not supported for CEL expressions in validate rules');
  }
  const expressions = objects(cel, 'expressions');
  if (expressions.length === 0) faults.error('cel-expression', at(path, 'expressions'), 'cel.expressions is required');
  expressions.forEach((entry, index) => {
    if (!text(entry, 'expression')?.trim()) {
      faults.error(
        'cel-expression',
        at(at(at(path, 'expressions'), index), 'expression'),
        'cel.expressions.expression is required',
      );
    }
  });
  objects(cel, 'auditAnnotations').forEach((entry, index) => {
    const place = at(at(path, 'auditAnnotations'), index);
    for (const key of ['key', 'valueExpression']) {
      if (!text(entry, key))
        faults.error('cel-audit-annotation', at(place, key), `cel.auditAnnotations.${key} is required`);
    }
  });
  objects(cel, 'variables').forEach((entry, index) => {
    const place = at(at(path, 'variables'), index);
    for (const key of ['name', 'expression']) {
      if (!text(entry, key)) faults.error('cel-variable', at(place, key), `cel.variables.${key} is required`);
    }
  });
  checkParams(cel, path, faults);
}

function checkParams(cel: JsonObject, path: string, faults: Scope['faults']): void {
  const kind = child(cel, 'paramKind');
  const ref = child(cel, 'paramRef');
  if (kind) {
    for (const key of ['apiVersion', 'kind']) {
      if (!text(kind, key))
        faults.error('cel-param-kind', at(at(path, 'paramKind'), key), `cel.paramKind.${key} is required`);
    }
    if (!ref) faults.error('cel-param-ref', at(path, 'paramRef'), 'cel.paramRef is required');
  }
  if (!ref) return;
  if (!kind) faults.error('cel-param-kind', at(path, 'paramKind'), 'cel.paramKind is required');
  const place = at(path, 'paramRef');
  if (has(ref, 'name') === has(ref, 'selector')) {
    faults.error('cel-param-ref', place, 'one of cel.paramRef.name or cel.paramRef.selector must be set');
  }
  if (!text(ref, 'parameterNotFoundAction')) {
    faults.error(
      'cel-param-ref',
      at(place, 'parameterNotFoundAction'),
      'cel.paramRef.parameterNotFoundAction is required',
    );
  }
}
