import type {Budget} from '../budget.js';
import type {Json} from '../json/types.js';
import {isNumber, isObject} from '../json/types.js';
import {compileRangePattern} from '../pattern/string-pattern.js';
import {compileGlob} from '../values/glob.js';
import {goText} from '../values/go-text.js';
import {parseRange} from '../values/range.js';
import type {KeyTest} from './key-test.js';
import type {MemberTest} from './members.js';
import {eitherWay, exactly, jsonStrings} from './members.js';
import {lazy} from './operands.js';

export type SetOperator = 'AnyIn' | 'AllIn' | 'AnyNotIn' | 'AllNotIn' | 'In' | 'NotIn';

/** `undefined`: the value is of a type that the operator does not take, which is false for negative operators too. */
type ScalarJudge = (text: string, budget: Budget | undefined) => boolean | undefined;
type ListJudge = (texts: readonly string[], budget: Budget | undefined) => boolean;

const never: ListJudge = () => false;

/**
 * The set operators. Scalars and elements are compared as text, numbers in plain decimal. A null or map key is never in
 * and never not in anything.
 */
export function prepareMembership(operator: SetOperator, value: Json, reuse: boolean): KeyTest {
  const negative = operator.includes('Not');
  const isOld = operator === 'In' || operator === 'NotIn';
  const scalar = lazy(() => scalarJudge(value, {reuse, ranges: !isOld}));
  const list = lazy(() =>
    operator === 'In' || operator === 'NotIn' ? exactListJudge(operator, value) : listJudge(operator, value, reuse),
  );
  return (key, budget) => {
    if (key === null || isObject(key)) return false;
    if (Array.isArray(key)) return list()(textsOf(key, budget), budget);
    const isMember = scalar()(goText(key), budget);
    return isMember !== undefined && isMember !== negative;
  };
}

function textsOf(list: readonly Json[], budget: Budget | undefined): string[] {
  budget?.step(list.length);
  return list.map(element => goText(element));
}

function scalarJudge(value: Json, options: {readonly reuse: boolean; readonly ranges: boolean}): ScalarJudge {
  if (Array.isArray(value)) {
    const members = eitherWay(textsOf(value, undefined), options.reuse);
    return (text, budget) => members(text, budget);
  }
  if (typeof value !== 'string') return () => undefined;
  const glob = compileGlob(value);
  const range = options.ranges && parseRange(value)?.inside ? compileRangePattern(value) : undefined;
  const strings = lazy(() => jsonStrings(value));
  return text => {
    if (glob(text)) return true;
    if (range) return range(text);
    const members = strings();
    return members === 'invalid' ? undefined : (members?.includes(text) ?? false);
  };
}

function listJudge(operator: Exclude<SetOperator, 'In' | 'NotIn'>, value: Json, reuse: boolean): ListJudge {
  const over = (members: MemberTest): ListJudge => quantify(operator, members);
  if (Array.isArray(value)) return over(eitherWay(textsOf(value, undefined), reuse));
  if (isNumber(value) || typeof value === 'boolean') {
    return operator === 'AnyIn' || operator === 'AnyNotIn' ? over(eitherWay([goText(value)], reuse)) : never;
  }
  if (typeof value !== 'string') return never;
  const judge = textListJudge(operator, value, reuse);
  const isIn = operator === 'AnyIn' || operator === 'AllIn';
  return (texts, budget) => (texts.length === 1 && texts[0] === value ? isIn : judge(texts, budget));
}

function textListJudge(operator: Exclude<SetOperator, 'In' | 'NotIn'>, value: string, reuse: boolean): ListJudge {
  const range = parseRange(value);
  const inside = range?.inside ? compileRangePattern(value) : undefined;
  if (range && inside) {
    // A text that is no amount lies neither inside nor outside.
    if (operator === 'AnyNotIn') {
      const outside = compileRangePattern(`${range.low}!-${range.high}`) ?? inside;
      return texts => texts.some(text => outside(text));
    }
    return quantify(operator, text => inside(text));
  }
  const strings = jsonStrings(value);
  return strings === 'invalid' ? never : quantify(operator, eitherWay(strings ?? [value], reuse));
}

function quantify(operator: Exclude<SetOperator, 'In' | 'NotIn'>, isMember: MemberTest): ListJudge {
  switch (operator) {
    case 'AnyIn':
      return (texts, budget) => texts.some(text => isMember(text, budget));
    case 'AllIn':
      return (texts, budget) => texts.every(text => isMember(text, budget));
    case 'AnyNotIn':
      return (texts, budget) => texts.some(text => !isMember(text, budget));
    case 'AllNotIn':
      return (texts, budget) => texts.every(text => !isMember(text, budget));
  }
}

/** The deprecated pair knows no wildcards in lists. A single key that equals a text value holds for both of them. */
function exactListJudge(operator: 'In' | 'NotIn', value: Json): ListJudge {
  const members = Array.isArray(value)
    ? textsOf(value, undefined)
    : typeof value === 'string'
      ? (jsonStrings(value) ?? [value])
      : 'invalid';
  const isMember = members === 'invalid' ? undefined : exactly(members);
  return texts => {
    if (typeof value === 'string' && texts.length === 1 && texts[0] === value) return true;
    if (!isMember) return false;
    const all = texts.every(text => isMember(text));
    return operator === 'In' ? all : !all;
  };
}
