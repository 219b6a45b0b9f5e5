import {type Comparison, holds} from '../pattern/comparison.js';
import {parseDuration} from '../values/duration.js';
import {hasWildcard} from '../values/glob.js';
import {compareQuantities, parseQuantity, type Quantity} from '../values/quantity.js';
import {parseRange} from '../values/range.js';
import {all, any, globTest, never, not, one, quoted, relation, type Test} from './code.js';

/** What a piece of a pattern asks of a value, and of one that is not there. */
export interface ScalarCode {
  readonly present: (value: string) => Test;
  readonly missing: boolean;
}

/** A text of a pattern: alternatives of conjunctions of pieces with operators, ranges and wildcards. */
export function stringPattern(pattern: string): ScalarCode {
  const alternatives = pattern.split('|').map(text => conjunction(text.split('&').map(pieceOf)));
  const [only] = alternatives;
  if (alternatives.length === 1 && only !== undefined) return only;
  const plain = pattern.split('|').map(text => text.trim());
  if (plain.every(isPlainText)) {
    return {present: value => relation(`${value} in [${plain.map(quoted).join(', ')}]`), missing: false};
  }
  return {
    present: value => any(...alternatives.map(({present}) => present(value))),
    missing: alternatives.some(({missing}) => missing),
  };
}

function conjunction(pieces: readonly ScalarCode[]): ScalarCode {
  return {
    present: value => all(...pieces.map(({present}) => present(value))),
    missing: pieces.every(({missing}) => missing),
  };
}

/** A text that only equal texts match. */
function isPlainText(text: string): boolean {
  return (
    /^[A-Za-z]/.test(text) &&
    !hasWildcard(text) &&
    !/^(?:true|false)$/.test(text) &&
    parseQuantity(text) === undefined &&
    parseDuration(text) === undefined &&
    parseRange(text) === undefined
  );
}

function pieceOf(text: string): ScalarCode {
  const piece = text.trim();
  if (piece.length < 2) return comparison('=', piece);
  const two = piece.slice(0, 2);
  if (two === '>=' || two === '<=') return comparison(two, piece.slice(2).trim());
  const first = piece.charAt(0);
  if (first === '>' || first === '<' || first === '!') return comparison(first, piece.slice(1).trim());
  const range = parseRange(piece);
  if (range === undefined) return comparison('=', piece);
  const low = comparison(range.inside ? '>=' : '<', range.low);
  const high = comparison(range.inside ? '<=' : '>', range.high);
  return range.inside
    ? conjunction([low, high])
    : {present: value => any(low.present(value), high.present(value)), missing: low.missing || high.missing};
}

const zero: Quantity = {digits: 0n, scale: 0, format: 'DecimalSI'};

export function comparison(operator: Comparison, literal: string): ScalarCode {
  const quantity = parseQuantity(literal);
  if (quantity !== undefined) {
    const order = compareQuantities(zero, quantity);
    return {present: value => quantityTest(value, operator, literal), missing: holds(operator, order)};
  }
  const duration = parseDuration(literal);
  if (duration !== undefined) {
    const order = duration === 0n ? 0 : duration > 0n ? -1 : 1;
    return {present: value => durationTest(value, operator, literal), missing: holds(operator, order)};
  }
  const text = textTest(literal);
  if (operator === '=') return {present: text, missing: false};
  if (operator === '!') return {present: value => not(text(value)), missing: false};
  return {present: () => never, missing: false};
}

function textTest(literal: string): (value: string) => Test {
  if (literal === '*') return value => relation(`${value} != null`);
  if (literal === '?*') return value => all(relation(`${value} != ''`), relation(`${value} != {}`), relation(`${value} != []`), relation(`${value} != null`));
  if (hasWildcard(literal)) return value => globTest(`string(${value})`, literal);
  if (literal === 'true' || literal === 'false') return value => relation(`string(${value}) == ${quoted(literal)}`);
  return value => relation(`${value} == ${quoted(literal)}`);
}

const celOperators: Readonly<Record<Comparison, string>> = {
  '=': '==',
  '!': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

/** Amounts compare as amounts, whether they are written as numbers or as texts; what is no amount is only unequal. */
export function quantityTest(value: string, operator: Comparison, literal: string): Test {
  const text = `string(${value})`;
  const order = relation(`quantity(${text}).compareTo(quantity(${quoted(literal)})) ${celOperators[operator]} 0`);
  return operator === '!' ? any(not(one(`isQuantity(${text})`)), order) : all(one(`isQuantity(${text})`), order);
}

export function durationTest(value: string, operator: Comparison, literal: string): Test {
  return relation(`duration(string(${value})) ${celOperators[operator]} duration(${quoted(literal)})`);
}
