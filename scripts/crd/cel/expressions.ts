import {atomic, keyed, list, named, requiring, type SchemaNode, text} from '../schema.js';

const parts = {name: text('Name.'), expression: text('CEL.')};
const namedExpression: SchemaNode = named('NamedExpression', 'A named CEL expression.', parts);
const distinctExpression: SchemaNode = requiring(
  named('DistinctExpression', 'A CEL expression that is told from others by its name.', parts),
  'name',
);

/** A list of named expressions under a description of its own. */
export function namedExpressions(description: string): SchemaNode {
  return list(description, namedExpression);
}

/** A list whose names differ, which the API server checks. */
export function distinctExpressions(description: string): SchemaNode {
  return keyed(list(description, distinctExpression), 'name');
}

const conditionsText = 'CEL that must all be true for the request to be looked at.';
export const matchConditions: SchemaNode = distinctExpressions(conditionsText);

const variablesText = 'Named CEL, usable as variables.NAME further down; worked out when first used.';
export const variables: SchemaNode = keyed(list(variablesText, atomic(distinctExpression)), 'name');

/** ImageValidatingPolicy always had plain lists. */
export const plainConditions: SchemaNode = namedExpressions(conditionsText);
export const plainVariables: SchemaNode = list(variablesText, atomic(namedExpression));

export const validations: SchemaNode = list(
  'CEL that must all be true.',
  named('Validation', 'An expression that must be true.', {
    expression: text('CEL that gives a bool.'),
    message: text('Said on failure.'),
    messageExpression: text('CEL that gives the text said on failure.'),
    reason: text('Reason code; only of use in a generated ValidatingAdmissionPolicy.'),
  }),
);

export const auditAnnotations: SchemaNode = list(
  'Notes that become properties of report results.',
  named('AuditAnnotation', 'A note.', {
    key: text('Key.'),
    valueExpression: text('CEL that gives a string.'),
  }),
);
