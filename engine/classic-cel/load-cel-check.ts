import {paramRef} from '../admission-policies/load.js';
import type {ParamKind, ParamRef} from '../admission-policies/model.js';
import {namedExpressions} from '../cel-policies/load/read-parts.js';
import type {NamedExpression, Validation} from '../cel-policies/model.js';
import type {JsonObject} from '../json/types.js';
import {child, objects, text} from '../policy/access.js';

/** `validate.cel` of a classic rule. */
export interface CelCheckModel {
  readonly variables: readonly NamedExpression[];
  readonly validations: readonly Validation[];
  readonly paramKind: ParamKind | undefined;
  readonly paramRef: ParamRef | undefined;
}

/** From a block whose form was checked; validations without message have the rule's. */
export function readCelCheck(raw: JsonObject, message: string | undefined): CelCheckModel {
  const kind = child(raw, 'paramKind');
  return {
    variables: namedExpressions(raw, 'variables'),
    validations: objects(raw, 'expressions').map(entry => ({
      expression: text(entry, 'expression') ?? '',
      message: text(entry, 'message') || message,
      messageExpression: text(entry, 'messageExpression') || undefined,
      reason: text(entry, 'reason'),
    })),
    paramKind:
      kind === undefined ? undefined : {apiVersion: text(kind, 'apiVersion') ?? '', kind: text(kind, 'kind') ?? ''},
    paramRef: paramRef(child(raw, 'paramRef')),
  };
}
