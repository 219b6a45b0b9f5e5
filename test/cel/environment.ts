import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {Budget, type BudgetLimits, defaultLimits} from '../../engine/budget.js';
import {createEnvironment} from '../../engine/cel/compile/environment.js';
import type {Environment, EnvironmentOptions, Program} from '../../engine/cel/environment.js';
import {extensionLibraries} from '../../engine/cel/extensions/index.js';

import {kubernetesLibraries} from '../../engine/cel/kubernetes/index.js';

import type {CelHost} from '../../engine/cel/library/library.js';
import type {Value} from '../../engine/cel/values/value.js';

export const regex = createRegexEngine();

/** The environment of a ValidatingPolicy without Kyverno's own functions, or as `options` say. */
export function celEnvironment(options: Partial<EnvironmentOptions> = {}): Environment {
  return createEnvironment({
    libraries: [...extensionLibraries, ...kubernetesLibraries],
    variables: {},
    twoVariableMacros: true,
    homogeneousLiterals: true,
    literalValidators: false,
    lenientOrValue: false,
    regex,
    ...options,
  });
}

/** A host that reaches nothing outside. */
export function celHost(limits: Partial<BudgetLimits> = {}): CelHost {
  const refuse = (): never => {
    throw new Error('the expression reached outside');
  };
  const budget = new Budget({...defaultLimits, ...limits}, () => 0);
  return {budget, regex, loader: undefined as never, settle: refuse};
}

export function bindingsOf(
  environment: Environment,
  values: Readonly<Record<string, Value>>,
): Array<Value | undefined> {
  const bindings: Array<Value | undefined> = [];
  for (const [name, value] of Object.entries(values)) bindings[environment.slot(name)] = value;
  return bindings;
}

/** Compiles what has to be without fault. */
export function programOf(environment: Environment, source: string): Program {
  const outcome = environment.compile(source);
  if (outcome.program === undefined) throw new Error(outcome.text);
  return outcome.program;
}
