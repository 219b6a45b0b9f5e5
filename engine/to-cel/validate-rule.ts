import type {ClassicRule, ValidateAction, ValidateCheck, ValidateForeach} from '../policy/model.js';
import {hasVariable} from '../variables/scan.js';
import {all, always, any, never, not, one, type Test, Unconvertible} from './code.js';
import {conditionsTest} from './conditions.js';
import {patternCode} from './pattern.js';
import {podSecurityTest} from './pod-security.js';
import {queryValue} from './query.js';
import {RuleNames} from './scope.js';
import {concatenation, templateValue} from './template.js';
import {asListText, atom} from './value.js';

/** A validate rule in CEL: whether it has a say, and whether the object is in order. */
export interface RuleCode {
  readonly name: string;
  readonly path: string;
  /** Preconditions, and anchors that say whether a pattern applies. */
  readonly applies: readonly NamedTest[];
  readonly holds: Test;
  readonly message: string | undefined;
  readonly messageExpression: string | undefined;
  /** What got lost on the way, in words. */
  readonly notes: readonly string[];
}

export interface NamedTest {
  readonly name: string;
  readonly test: Test;
}

/** Throws `Unconvertible`. */
export function validateRuleCode(rule: ClassicRule, action: ValidateAction): RuleCode {
  const scope = new RuleNames().withContext(rule.context, `${rule.path}.context`);
  const preconditions = conditionsTest(rule.preconditions, `${rule.path}.preconditions`, scope);
  const {skips, holds} = checkCode(action.check, `${rule.path}.validate`, {scope, object: 'object', depth: 0});
  const notes: string[] = [];
  return {
    name: rule.name,
    path: rule.path,
    applies: [
      {name: 'preconditions', test: preconditions},
      {name: 'conditions-of-the-pattern', test: not(skips)},
    ],
    holds,
    ...messageOf(action.message, rule, scope, notes),
    notes,
  };
}

interface CheckPlace {
  readonly scope: RuleNames;
  /** What patterns look at. */
  readonly object: string;
  /** Of loops. */
  readonly depth: number;
}

interface CheckCode {
  readonly skips: Test;
  readonly holds: Test;
}

function checkCode(check: ValidateCheck, path: string, place: CheckPlace): CheckCode {
  const {scope, object, depth} = place;
  const options = {
    template: (text: string, at: string) => templateValue(text, at, scope).text,
    name: (level: number) => `${'abcdefgh'[level % 8]}${depth === 0 ? '' : depth}`,
  };
  switch (check.type) {
    case 'pattern':
      return patternCode(check.pattern, object, `${path}.pattern`, options);
    case 'anyPattern': {
      const patterns = check.patterns.map((pattern, index) => patternCode(pattern, object, `${path}.anyPattern[${index}]`, options));
      return {
        skips: all(...patterns.map(({skips}) => skips)),
        holds: any(...patterns.map(({skips, holds}) => all(not(skips), holds))),
      };
    }
    case 'deny':
      return {
        skips: never,
        holds: check.conditions === undefined ? never : not(conditionsTest(check.conditions, `${path}.deny.conditions`, scope)),
      };
    case 'foreach': {
      const loops = check.entries.map((entry, index) => loopCode(entry, `${path}.foreach[${index}]`, place));
      return {skips: not(any(...loops.map(({applies}) => applies))), holds: all(...loops.map(({holds}) => holds))};
    }
    case 'podSecurity':
      return {skips: never, holds: podSecurityTest(check.raw, `${path}.podSecurity`)};
    default:
      throw new Unconvertible(`${path}.${check.type}`, `${check.type} has no counterpart in a ValidatingPolicy`);
  }
}

const elementNames = ['element', 'inner', 'innermost'];

function loopCode(entry: ValidateForeach, path: string, {scope, object, depth}: CheckPlace): {readonly applies: Test; readonly holds: Test} {
  const name = elementNames[depth];
  if (name === undefined) throw new Unconvertible(path, 'loops nested deeper than three levels');
  if (entry.list.includes('{{')) throw new Unconvertible(`${path}.list`, 'a list that is made of variables');
  const list = atom(asListText(queryValue(entry.list, `${path}.list`, scope)));
  const inner = scope.withElement(name, depth).withContext(entry.context, `${path}.context`);
  const judged = conditionsTest(entry.preconditions, `${path}.preconditions`, inner);
  const {skips, holds} = checkCode(entry.check, path, {
    scope: inner,
    object: entry.elementScope === false ? object : name,
    depth: depth + 1,
  });
  const applies = all(judged, not(skips));
  return {
    applies: applies === always ? one(`size(${list}) > 0`) : one(`${list}.exists(${name}, ${applies.text})`),
    holds: one(`${list}.all(${name}, ${any(not(applies), holds).text})`),
  };
}

function messageOf(
  message: string | undefined,
  rule: ClassicRule,
  scope: RuleNames,
  notes: string[],
): Pick<RuleCode, 'message' | 'messageExpression'> {
  if (message === undefined || message === '') return {message: `rule ${rule.name} is not kept`, messageExpression: undefined};
  if (!hasVariable(message)) return {message, messageExpression: undefined};
  try {
    return {message: undefined, messageExpression: concatenation(message, `${rule.path}.validate.message`, scope)};
  } catch (error) {
    if (!(error instanceof Unconvertible)) throw error;
    notes.push(`${error.path}: the message is kept as written, its variables are not filled in: ${error.reason}`);
    return {message, messageExpression: undefined};
  }
}

