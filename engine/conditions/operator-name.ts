/** Canonical operator names; `Equal` and `NotEqual` are old spellings of the plural ones. */
export const operatorNames = [
  'Equals',
  'NotEquals',
  'AnyIn',
  'AllIn',
  'AnyNotIn',
  'AllNotIn',
  'In',
  'NotIn',
  'GreaterThan',
  'GreaterThanOrEquals',
  'LessThan',
  'LessThanOrEquals',
  'DurationGreaterThan',
  'DurationGreaterThanOrEquals',
  'DurationLessThan',
  'DurationLessThanOrEquals',
] as const;

export type OperatorName = (typeof operatorNames)[number];

const byLowerCase: ReadonlyMap<string, OperatorName> = new Map([
  ...operatorNames.map(name => [name.toLowerCase(), name] as const),
  ['equal', 'Equals'],
  ['notequal', 'NotEquals'],
]);

/** The canonical name of an operator in any spelling of case; `undefined` when there is none. */
export function normalizeOperator(text: string): OperatorName | undefined {
  return byLowerCase.get(text.toLowerCase());
}

/** Operators that compare by order; they hold only in their exact spelling. */
export function isOrderOperator(name: OperatorName): boolean {
  return name.includes('Greater') || name.includes('Less');
}
