import type {Bind, Loop} from '../syntax/ast.js';
import {isDynOrError} from '../types/same.js';
import {boolType, dynType, errorType, intType, listOf, mapOf, optionalOf, type Type} from '../types/type.js';
import type {Checker} from './checker.js';
import {shortText} from './report.js';

/** The type that cel-go finds for the unfolded macro. */
export function checkLoop(loop: Loop, checker: Checker): Type {
  if (loop.name === 'optMap' || loop.name === 'optFlatMap') return optional(loop, checker);
  const range = checker.unifier.resolve(checker.check(loop.range));
  const variables = variableTypes(loop, range, checker);
  let type: Type = errorType;
  checker.within(loop, variables, () => {
    type = loopBody(loop, {range, variables}, checker);
  });
  return checker.unifier.resolve(type);
}

function variableTypes(loop: Loop, range: Type, {report, unifier}: Checker): Type[] {
  const two = loop.variables.length === 2;
  switch (range.kind) {
    case 'list':
      return two ? [intType, range.element] : [range.element];
    case 'map':
      return two ? [range.key, range.value] : [range.key];
    case 'param':
      unifier.assignable([dynType], [range]);
      return [dynType, dynType];
    default:
      if (isDynOrError(range)) return [dynType, dynType];
      report.add(
        `expression of type '${shortText(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        loop.range.at,
        () => (range.kind === 'string' ? 'to look at characters, write text.split("")' : undefined),
      );
      return [errorType, errorType];
  }
}

interface Parts {
  readonly range: Type;
  readonly variables: readonly Type[];
}

function loopBody(loop: Loop, {range, variables}: Parts, checker: Checker): Type {
  const {body, filter, at} = loop;
  switch (loop.name) {
    case 'all':
    case 'exists':
      checker.expect(boolType, body);
      return boolType;
    case 'existsOne':
      checker.choose([checker.check(body), intType, intType], at);
      return boolType;
    case 'filter':
      return kept(checker.check(body), listOf(variables[0]!), loop, checker);
    case 'transformMap':
    case 'transformMapEntry': {
      const condition = filter === undefined ? undefined : checker.check(filter);
      return kept(condition, entries(loop, variables[0]!, checker), loop, checker);
    }
    case 'sortBy':
      return sorted(loop, range, checker);
    default: {
      const condition = filter === undefined ? undefined : checker.check(filter);
      return kept(condition, listOf(checker.check(body)), loop, checker);
    }
  }
}

/** Type of what a condition adds to. */
function kept(condition: Type | undefined, result: Type, loop: Loop, checker: Checker): Type {
  if (condition !== undefined) checker.choose([condition, result, result], loop.at);
  return result;
}

function entries(loop: Loop, key: Type, checker: Checker): Type {
  const type = checker.check(loop.body);
  if (loop.name === 'transformMap') return mapOf(key, type);
  const wanted = mapOf(checker.unifier.freshParameter(), checker.unifier.freshParameter());
  if (checker.unifier.assignable([type], [wanted])) return checker.unifier.resolve(wanted);
  const types = [mapOf(dynType, dynType), checker.unifier.settle(type)];
  const call = {name: 'cel.@mapInsert', types, receiver: false};
  checker.report.noOverload(call, loop.at, () => 'the last argument is a map with one entry: {key: value}');
  return errorType;
}

const comparable: ReadonlySet<Type['kind']> = new Set([
  'int',
  'uint',
  'double',
  'bool',
  'duration',
  'timestamp',
  'string',
  'bytes',
  'dyn',
  'any',
  'error',
  'param',
]);

function sorted(loop: Loop, range: Type, checker: Checker): Type {
  const key = checker.unifier.resolve(checker.check(loop.body));
  const isList = range.kind === 'list' || isDynOrError(range) || range.kind === 'param';
  if (isList && comparable.has(key.kind)) return range.kind === 'list' ? range : listOf(dynType);
  const types = [range, listOf(key)].map(type => checker.unifier.settle(type));
  const hint = () => (isList ? 'keys are numbers, texts, bools, bytes, durations or timestamps' : undefined);
  checker.report.noOverload({name: '@sortByAssociatedKeys', types, receiver: true}, loop.at, hint);
  return errorType;
}

/** `x.optMap(v, e)`, `x.optFlatMap(v, e)`. */
function optional(loop: Loop, checker: Checker): Type {
  const {unifier} = checker;
  const value = unifier.freshParameter();
  const range = checker.check(loop.range);
  const fits = unifier.assignable([range], [optionalOf(value)]);
  if (!fits) {
    const call = {name: 'hasValue', types: [unifier.settle(range)], receiver: true};
    checker.report.noOverload(call, loop.at, () => `${loop.name}() is for optionals: write a.?b or optional.of(x)`);
  }
  let result: Type = errorType;
  checker.within(loop, [fits ? unifier.resolve(value) : errorType], () => {
    const body = checker.check(loop.body);
    const none = optionalOf(unifier.freshParameter());
    result = loop.name === 'optMap' ? optionalOf(body) : checker.choose([boolType, body, none], loop.at);
  });
  return unifier.resolve(result);
}

/** `cel.bind(name, init, body)`. */
export function checkBind(expr: Bind, checker: Checker): Type {
  const init = checker.check(expr.init);
  let type: Type = errorType;
  checker.within(expr, [init], () => {
    type = checker.check(expr.body);
  });
  return checker.unifier.resolve(type);
}
