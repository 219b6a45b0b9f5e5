import type {EnvironmentOptions} from '../../engine/cel/environment.js';
import {dynType, type Type} from '../../engine/cel/types/type.js';
import {valueText} from '../../engine/cel/values/index.js';
import type {Value} from '../../engine/cel/values/value.js';
import {EvalError} from '../../engine/diagnostic.js';
import {bindingsOf, celEnvironment, celHost} from './environment.js';

const environments = new Map<string, ReturnType<typeof celEnvironment>>();

/** An expression's value in CEL's notation, `error: …` of its evaluation or `fault: …` of its text. */
export function evaluated(
  source: string,
  values: Readonly<Record<string, Value>> = {},
  options: Partial<EnvironmentOptions> = {},
): string {
  const names = Object.keys(values);
  const key = names.join();
  const declared: Record<string, Type> = Object.fromEntries(names.map(name => [name, dynType]));
  const isCommon = Object.keys(options).length === 0;
  const environment =
    (isCommon ? environments.get(key) : undefined) ??
    celEnvironment({variables: declared, literalValidators: true, ...options});
  if (isCommon) environments.set(key, environment);
  const {program, issues} = environment.compile(source);
  if (program === undefined) return `fault: ${issues[0]!.message}`;
  try {
    return valueText(program.evaluate(bindingsOf(environment, values), celHost()));
  } catch (error) {
    if (error instanceof EvalError) return `error: ${error.message}`;
    throw error;
  }
}
