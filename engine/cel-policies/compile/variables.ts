import type {Program} from '../../cel/environment.js';
import type {VariableTypes} from '../environment/variables-object.js';
import type {NamedExpression} from '../model.js';
import type {CompileTools} from '../types.js';

/** Compiles variables in order; each one's type is known from there on. */
export function compileVariables(
  variables: readonly NamedExpression[],
  types: VariableTypes,
  tools: CompileTools,
  path = 'spec.variables',
): ReadonlyMap<string, Program> {
  const programs = new Map<string, Program>();
  variables.forEach(({name, expression}, index) => {
    const program = tools.compile(expression, `${path}[${index}].expression`);
    if (program === undefined) return;
    types.add(name, program.type);
    programs.set(name, program);
  });
  return programs;
}
