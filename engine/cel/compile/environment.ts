import {check} from '../check/check.js';
import {createScope, extendScope, type Scope} from '../check/scope.js';
import type {CompileOutcome, Environment, EnvironmentOptions} from '../environment.js';
import {issuesText} from '../errors.js';
import type {Library} from '../library/library.js';
import {standardLibrary} from '../standard/index.js';
import {parse} from '../syntax/parse.js';
import {createProgram} from './program.js';
import {trace} from './trace.js';

/** What expressions of one kind may say; see environment.ts of the contracts. */
export function createEnvironment(options: EnvironmentOptions): Environment {
  const {homogeneousLiterals, literalValidators, lenientOrValue, regex, variables} = options;
  const libraries = [standardLibrary, ...options.libraries];
  const scope = createScope({
    libraries,
    variables,
    options: {homogeneousLiterals, literalValidators, lenientOrValue},
    regex,
  });
  return environment(options, scope, addSlots(new Map(), variables, options.libraries));
}

/** Declared variables first, in their order, then those of libraries. */
function addSlots(
  before: ReadonlyMap<string, number>,
  variables: Readonly<Record<string, unknown>>,
  libraries: readonly Library[],
): ReadonlyMap<string, number> {
  const slots = new Map(before);
  const names = [...Object.keys(variables), ...libraries.flatMap(library => Object.keys(library.variables ?? {}))];
  for (const name of names) if (!slots.has(name)) slots.set(name, slots.size);
  return slots;
}

function environment(options: EnvironmentOptions, scope: Scope, slots: ReadonlyMap<string, number>): Environment {
  const {regex, costLimit, twoVariableMacros} = options;
  function slot(variable: string): number {
    const found = slots.get(variable);
    if (found === undefined) throw new Error(`'${variable}' is no variable of the environment`);
    return found;
  }
  return {
    compile(source): CompileOutcome {
      const {expr, issues} = parse(source, {twoVariableMacros});
      if (expr === undefined) return {issues, text: issuesText(source, issues)};
      const checked = check(expr, scope);
      if (checked.issues.length > 0) return {issues: checked.issues, text: issuesText(source, checked.issues)};
      return {program: createProgram(source, checked, {scope, regex, slot, costLimit})};
    },
    trace(source, bindings, host) {
      const {expr} = parse(source, {twoVariableMacros});
      const checked = expr && check(expr, scope);
      if (checked === undefined || checked.issues.length > 0) return undefined;
      return trace(observe => createProgram(source, checked, {scope, regex, slot, costLimit, observe}), bindings, host);
    },
    slot,
    extend({variables = {}, libraries = []}) {
      return environment(options, extendScope(scope, {variables, libraries}), addSlots(slots, variables, libraries));
    },
  };
}
