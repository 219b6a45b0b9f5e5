import * as T from './tokens.js';

/** Functions that operators stand for, named as in cel-go. */
export const operators = {
  and: '_&&_',
  or: '_||_',
  conditional: '_?_:_',
  not: '!_',
  negate: '-_',
  in: '@in',
  index: '_[_]',
  optionalIndex: '_[?_]',
} as const;

export interface BinaryOperator {
  readonly name: string;
  readonly symbol: string;
  /** Higher binds closer; all of them group to the left. */
  readonly precedence: number;
}

export const precedences = {
  conditional: 1,
  or: 2,
  and: 3,
  relation: 4,
  sum: 5,
  product: 6,
  unary: 7,
  member: 8,
} as const;

const binary: ReadonlyArray<readonly [kind: number, symbol: string, precedence: number, name?: string]> = [
  [T.OR, '||', precedences.or],
  [T.AND, '&&', precedences.and],
  [T.EQUALS, '==', precedences.relation],
  [T.NOT_EQUALS, '!=', precedences.relation],
  [T.LESS, '<', precedences.relation],
  [T.LESS_EQUALS, '<=', precedences.relation],
  [T.GREATER, '>', precedences.relation],
  [T.GREATER_EQUALS, '>=', precedences.relation],
  [T.IN, 'in', precedences.relation, operators.in],
  [T.PLUS, '+', precedences.sum],
  [T.MINUS, '-', precedences.sum],
  [T.STAR, '*', precedences.product],
  [T.SLASH, '/', precedences.product],
  [T.PERCENT, '%', precedences.product],
];

/** By kind of token; holes for tokens that are no binary operators. */
export const binaryOperators: ReadonlyArray<BinaryOperator | undefined> = (() => {
  const table: (BinaryOperator | undefined)[] = new Array(T.OR + 1).fill(undefined);
  for (const [kind, symbol, precedence, name] of binary) {
    table[kind] = {name: name ?? `_${symbol}_`, symbol, precedence};
  }
  return table;
})();

export const binaryByName: ReadonlyMap<string, BinaryOperator> = new Map(
  binaryOperators.flatMap(operator => (operator === undefined ? [] : [[operator.name, operator] as const])),
);
