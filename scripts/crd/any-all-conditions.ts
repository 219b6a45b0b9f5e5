import {free, list, named, type SchemaNode, text, word} from './schema.js';

const operators = [
  'Equals',
  'NotEquals',
  'AnyIn',
  'AllIn',
  'AnyNotIn',
  'AllNotIn',
  'GreaterThan',
  'GreaterThanOrEquals',
  'LessThan',
  'LessThanOrEquals',
  'DurationGreaterThan',
  'DurationGreaterThanOrEquals',
  'DurationLessThan',
  'DurationLessThanOrEquals',
  'In',
  'NotIn',
];

const condition: SchemaNode = named('PolicyCondition', 'Compares a key with a value.', {
  key: free('Left side, usually a variable.'),
  operator: word('How to compare.', operators),
  value: free('Right side.'),
  message: text('Said when this condition decides.'),
});

export const anyAllConditions: SchemaNode = named(
  'AnyAllConditions',
  'Conditions: any needs one true, all needs every one.',
  {
    any: list('One true condition is enough.', condition),
    all: list('Every condition must be true.', condition),
  },
);

/** Conditions as an any/all object or as a bare list: the place is free, types know both forms. */
export function freeConditions(description: string): SchemaNode {
  return {...free(description, 'AnyAllConditions | PolicyCondition[]'), uses: [anyAllConditions]};
}
