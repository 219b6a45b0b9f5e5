import {isNumber, isObject, type Json} from '../../json/types.js';
import {QueryError} from '../errors.js';
import type {FunctionEnv} from '../types.js';
import {shown} from '../values.js';
import type {Argument, FunctionDefinition, ParameterType} from './define.js';

const isText = (value: Json) => typeof value === 'string';
const isList = (value: Json) => Array.isArray(value);
const isListOf = (item: (value: Json) => boolean) => (value: Json, env: FunctionEnv) => {
  if (!Array.isArray(value)) return false;
  env.budget.step(value.length);
  return value.every(item);
};
const isNumbers = isListOf(isNumber);
const isTexts = isListOf(isText);

const checks: Readonly<Record<Exclude<ParameterType, 'expref'>, (value: Json, env: FunctionEnv) => boolean>> = {
  any: () => true,
  string: isText,
  number: isNumber,
  array: isList,
  object: isObject,
  'string|number': value => isText(value) || isNumber(value),
  'string|array': value => isText(value) || isList(value),
  'string|array|object': value => isText(value) || isList(value) || isObject(value),
  'object|array': value => isObject(value) || isList(value),
  'array[number]': isNumbers,
  'array[string]': isTexts,
  'array[number]|array[string]': (value, env) => isNumbers(value, env) || isTexts(value, env),
};

/** `undefined` when the number of arguments fits. */
export function arityFault(definition: FunctionDefinition, count: number): string | undefined {
  const {parameters, variadic, open} = definition;
  const fits = open || (variadic ? count >= parameters.length : count === parameters.length);
  return fits ? undefined : 'incorrect number of args';
}

export function parameterAt(definition: FunctionDefinition, index: number): ParameterType {
  if (definition.open) return 'any';
  return definition.parameters[Math.min(index, definition.parameters.length - 1)]!;
}

/** Throws `QueryError` (`Invalid type for: V, expected: […]`) for the first argument of a wrong type. */
export function checkArguments(types: readonly ParameterType[], args: readonly Argument[], env: FunctionEnv): void {
  for (let index = 0; index < args.length; index++) {
    const type = types[index]!;
    const value = args[index]!;
    // References are told apart when the query is compiled.
    if (type === 'expref' || typeof value === 'function') continue;
    if (!checks[type](value, env)) throw typeFault(shown(value), type);
  }
}

export function typeText(text: string, type: ParameterType): string {
  return `Invalid type for: ${text}, expected: [${type.split('|').join(', ')}]`;
}

function typeFault(text: string, type: ParameterType): QueryError {
  return new QueryError(typeText(text, type));
}
