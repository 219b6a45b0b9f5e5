import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import type {ClassicRule} from '../policy/model.js';
import {rendered, Unconvertible} from './code.js';
import {appliesTest} from './match.js';

/** A rule with `validate.cel`: its expressions as they are. */
export function celRule(rule: ClassicRule): JsonObject {
  const {action} = rule;
  if (action.type !== 'validate' || action.check.type !== 'cel') throw new Unconvertible(rule.path, 'no validate.cel');
  const cel = action.check.raw;
  const path = `${rule.path}.validate.cel`;
  for (const field of ['paramKind', 'paramRef']) {
    if (own(cel, field) !== undefined) throw new Unconvertible(`${path}.${field}`, 'policies of policies.kyverno.io have no parameters');
  }
  if (rule.context.length > 0) throw new Unconvertible(`${rule.path}.context`, 'context entries beside validate.cel');
  const match = appliesTest(rule, {kinds: false});
  const conditions: JsonObject[] = [
    ...(match.text === 'true' ? [] : [{name: 'match', expression: rendered(match)}]),
    ...(rule.celPreconditions ?? []).map(({name, expression}) => ({name, expression})),
  ];
  const lists = ['variables', 'auditAnnotations'].flatMap((field): Array<[string, Json]> => {
    const found = own(cel, field);
    return Array.isArray(found) && found.length > 0 ? [[field, found]] : [];
  });
  const expressions = own(cel, 'expressions');
  const {message} = action;
  return {
    matchConditions: conditions,
    ...Object.fromEntries(lists),
    validations: (Array.isArray(expressions) ? expressions : []).filter(isObject).map(entry => {
      const told = own(entry, 'message') !== undefined || own(entry, 'messageExpression') !== undefined;
      return told || message === undefined ? entry : {...entry, message};
    }),
  };
}
