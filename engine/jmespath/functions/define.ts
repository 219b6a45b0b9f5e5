import type {Json, JsonNumber, JsonObject} from '../../json/types.js';
import type {FunctionEnv} from '../types.js';

/** `&expr`, bound to its evaluation. */
export type Reference = (item: Json) => Json;
export type Argument = Json | Reference;

/** What a parameter accepts, and how the handler sees it. */
export interface ParameterTypes {
  any: Json;
  string: string;
  number: JsonNumber;
  array: Json[];
  object: JsonObject;
  'string|number': string | JsonNumber;
  'string|array': string | Json[];
  'string|array|object': string | Json[] | JsonObject;
  'object|array': JsonObject | Json[];
  'array[number]': JsonNumber[];
  'array[string]': string[];
  'array[number]|array[string]': JsonNumber[] | string[];
  expref: Reference;
}
export type ParameterType = keyof ParameterTypes;

type Values<P extends readonly ParameterType[]> = {-readonly [K in keyof P]: ParameterTypes[P[K]]};

export interface FunctionDefinition {
  readonly name: string;
  readonly parameters: readonly ParameterType[];
  /** The last parameter may repeat. */
  readonly variadic: boolean;
  /** Arguments beyond the parameters are accepted and ignored. */
  readonly open: boolean;
  /** The arguments have been checked against the parameters. */
  readonly call: (args: readonly Argument[], env: FunctionEnv) => Json;
}

/** A function of fixed arity. An `EvalError` from `handler` gets the function's prefix. */
export function define<const P extends readonly ParameterType[]>(
  name: string,
  parameters: P,
  handler: (args: Values<P>, env: FunctionEnv) => Json,
): FunctionDefinition {
  const call = handler as unknown as FunctionDefinition['call'];
  return {name, parameters, variadic: false, open: false, call};
}

/** A function of one or more arguments of one type. */
export function defineVariadic<P extends ParameterType>(
  name: string,
  parameter: P,
  handler: (args: ParameterTypes[P][], env: FunctionEnv) => Json,
): FunctionDefinition {
  const call = handler as unknown as FunctionDefinition['call'];
  return {name, parameters: [parameter], variadic: true, open: false, call};
}

/** A function that ignores whatever it is given. */
export function defineOpen(name: string, handler: (env: FunctionEnv) => Json): FunctionDefinition {
  return {name, parameters: [], variadic: false, open: true, call: (_args, env) => handler(env)};
}
