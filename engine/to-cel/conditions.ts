import {readConditions} from '../conditions/index.js';
import {normalizeOperator, type OperatorName} from '../conditions/operator-name.js';
import {isNumber, type Json} from '../json/types.js';
import {parseDuration} from '../values/duration.js';
import {hasWildcard} from '../values/glob.js';
import {numberText} from '../values/number-text.js';
import {parseQuantity} from '../values/quantity.js';
import {parseRange} from '../values/range.js';
import {all, always, any, globTest, not, one, quoted, relation, takesEmpty, type Test, Unconvertible} from './code.js';
import {durationTest, quantityTest, stringPattern} from './scalar-test.js';
import type {QueryScope} from './query.js';
import {templateValue} from './template.js';
import {asListText, atom, literalValue, orElse, textOf, type Value} from './value.js';

/** `preconditions` or `deny.conditions`: whether they hold. Throws `Unconvertible`. */
export function conditionsTest(raw: Json | undefined, path: string, scope: QueryScope): Test {
  const {conditions, faults} = readConditions(raw, path);
  if (faults[0] !== undefined) throw new Unconvertible(faults[0].path, faults[0].message);
  const test = (condition: {readonly key: Json; readonly operator: string; readonly value: Json; readonly path: string}): Test => {
    const operator = normalizeOperator(condition.operator);
    if (operator === undefined) throw new Unconvertible(condition.path, `the operator ${condition.operator}`);
    const [key, value] = [operand(condition.key, `${condition.path}.key`, scope), operand(condition.value, `${condition.path}.value`, scope)];
    return operatorTest({operator, key, value, path: condition.path});
  };
  return all(
    conditions.any === undefined ? always : any(...conditions.any.map(test)),
    ...(conditions.all ?? []).map(test),
  );
}

function operand(raw: Json, path: string, scope: QueryScope): Value {
  if (typeof raw === 'string') return templateValue(raw, path, scope);
  const literal = literalValue(isNumber(raw) && typeof raw !== 'number' ? Number(numberText(raw)) : raw);
  if (literal === undefined) throw new Unconvertible(path, 'a map, or a list of other things than texts, numbers and booleans');
  if (Array.isArray(raw) && raw.some(item => typeof item === 'string' && item.includes('{{'))) {
    const items = raw.map(item => templateValue(String(item), path, scope));
    return {text: `[${items.map(textOf).join(', ')}]`, kind: 'list', nullable: false, elements: 'text'};
  }
  return literal;
}

interface Condition {
  readonly operator: OperatorName;
  readonly key: Value;
  readonly value: Value;
  readonly path: string;
}

function operatorTest(condition: Condition): Test {
  const {operator} = condition;
  switch (operator) {
    case 'Equals':
      return equals(condition);
    case 'NotEquals':
      return all(isThere(condition.key), not(equals(condition)));
    case 'AnyIn':
    case 'AllIn':
    case 'AnyNotIn':
    case 'AllNotIn':
    case 'In':
    case 'NotIn':
      return membership({...condition, operator});
    default:
      return ordering(condition);
  }
}

/** No key is unequal to, or not in, anything when it is null. */
function isThere(key: Value): Test {
  return key.nullable ? relation(`${key.text} != null`) : always;
}

function equals({key, value, path}: Condition): Test {
  if (typeof key.literal === 'string' && value.literal === undefined) return equals({operator: 'Equals', key: value, value: key, path});
  const {literal} = value;
  if (typeof literal !== 'string') return relation(`${operandText(key)} == ${operandText(value)}`);
  if (key.kind === 'int') return /^-?\d+$/.test(literal) ? relation(`${key.text} == ${literal}`) : relation('false == true');
  if (key.kind === 'bool') return relation('false == true');
  if (hasWildcard(literal)) {
    return all(takesEmpty(literal) ? isThere(key) : always, globTest(atom(textOf(key)), literal));
  }
  if (literal !== '' && (parseQuantity(literal) !== undefined || parseDuration(literal) !== undefined)) {
    const text = orElse(key, "''");
    if (parseQuantity(literal) === undefined) throw new Unconvertible(path, 'equality of durations');
    return any(relation(`string(${text}) == ${quoted(literal)}`), quantityTest(text, '=', literal));
  }
  return relation(`${key.kind === 'text' ? textOf(key) : key.text} == ${quoted(literal)}`);
}

function operandText(from: Value): string {
  return from.test === undefined ? from.text : `(${from.text})`;
}

type SetOperator = 'AnyIn' | 'AllIn' | 'AnyNotIn' | 'AllNotIn' | 'In' | 'NotIn';

function membership({operator, key, value, path}: Condition & {readonly operator: SetOperator}): Test {
  const negative = operator.includes('Not');
  const member = memberTest(value, path);
  if (key.kind === 'text' || key.kind === 'bool' || key.kind === 'int') {
    const found = member(key.kind === 'text' ? textOf(key) : operandText(key), key.literal);
    return all(negative ? isThere(key) : always, negative ? not(found) : found);
  }
  const list = asListText(key);
  const over = (method: 'exists' | 'all', test: Test): Test => one(`${atom(list)}.${method}(k, ${test.text})`);
  // A single literal key is asked for directly.
  const keys = Array.isArray(key.literal) ? key.literal : undefined;
  const single = keys?.length === 1 ? literalValue(keys[0]) : undefined;
  if (single !== undefined) return negative ? not(member(single.text, single.literal)) : member(single.text, single.literal);
  switch (operator) {
    case 'AnyIn':
      return over('exists', member('k'));
    case 'AnyNotIn':
    case 'NotIn':
      return over('exists', not(member('k')));
    case 'AllIn':
    case 'In':
      return key.kind === 'list' ? over('all', member('k')) : all(isThere(key), over('all', member('k')));
    case 'AllNotIn':
      return key.kind === 'list' ? over('all', not(member('k'))) : all(isThere(key), over('all', not(member('k'))));
  }
}

/** Whether one text is among the values. */
function memberTest(value: Value, path: string): (key: string, literal?: unknown) => Test {
  const {literal} = value;
  if (Array.isArray(literal)) {
    const globs = literal.filter((item): item is string => typeof item === 'string' && hasWildcard(item));
    const exact = literal.filter(item => !(typeof item === 'string' && hasWildcard(item)));
    const list = literalValue(exact)!;
    return key =>
      any(
        ...(exact.length === 0 ? [] : [relation(`${key} in ${list.text}`)]),
        ...globs.map(glob => globTest(`string(${key})`, glob)),
      );
  }
  if (typeof literal === 'string') {
    if (parseRange(literal) !== undefined) return key => stringPattern(literal).present(key);
    if (literal.trim().startsWith('[')) throw new Unconvertible(path, 'a list as text');
    return key => (hasWildcard(literal) ? globTest(`string(${key})`, literal) : relation(`${key} == ${quoted(literal)}`));
  }
  if (literal !== undefined) return key => relation(`${key} == ${value.text}`);
  return (key, keyLiteral) => {
    const list = atom(asListText(value));
    if (typeof keyLiteral === 'string' && hasWildcard(keyLiteral)) return one(`${list}.exists(m, ${globTest('string(m)', keyLiteral).text})`);
    return relation(`${key} in ${list}`);
  };
}

const signs: Readonly<Record<string, '>' | '>=' | '<' | '<='>> = {
  GreaterThan: '>',
  GreaterThanOrEquals: '>=',
  LessThan: '<',
  LessThanOrEquals: '<=',
};
const turned = {'>': '<', '>=': '<=', '<': '>', '<=': '>='} as const;

function ordering({operator, key, value, path}: Condition): Test {
  const sign = signs[operator.replace('Duration', '')]!;
  if (key.literal !== undefined && value.literal === undefined) return order(value, turned[sign], key.literal, path);
  if (value.literal !== undefined) return order(key, sign, value.literal, path);
  if (key.kind === 'int' && value.kind === 'int') return relation(`${key.text} ${sign} ${value.text}`);
  const [left, right] = [`string(${orElse(key, "''")})`, `string(${orElse(value, "''")})`];
  return all(
    one(`isQuantity(${left})`),
    one(`isQuantity(${right})`),
    relation(`quantity(${left}).compareTo(quantity(${right})) ${sign} 0`),
  );
}

function order(key: Value, sign: '>' | '>=' | '<' | '<=', literal: unknown, path: string): Test {
  const text = String(literal);
  if (key.kind === 'int' && /^-?\d+$/.test(text)) return relation(`${key.text} ${sign} ${text}`);
  if (parseQuantity(text) !== undefined) return quantityTest(orElse(key, "''"), sign, text);
  if (parseDuration(text) !== undefined) return all(isThere(key), durationTest(key.text, sign, text));
  throw new Unconvertible(path, `an order of ${JSON.stringify(literal)}`);
}
