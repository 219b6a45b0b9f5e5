import type {Program} from '../../engine/cel/environment.js';
import {extensionLibraries} from '../../engine/cel/extensions/index.js';
import {typeText} from '../../engine/cel/types/type.js';
import {valueText} from '../../engine/cel/values/index.js';
import type {Value} from '../../engine/cel/values/value.js';
import {EvalError} from '../../engine/diagnostic.js';
import {celEnvironment, celHost} from './environment.js';
import {type SpecCase, same} from './spec.js';
import {uncheckedProgram} from './unchecked.js';

// Literals may mix types, as where generating policies are written: the data takes that for granted.
const base = celEnvironment({homogeneousLiterals: false});
const unbound = 10_000;

/** `undefined` when the case comes out as it is to, else what it came to. */
export function faultOf(spec: SpecCase): string | undefined {
  const names = Object.keys(spec.variables);
  const environment = base.extend({variables: spec.variables, libraries: [{name: 'case', functions: spec.functions}]});
  let program: Program;
  if (spec.checked) {
    const outcome = environment.compile(spec.expr);
    if (outcome.program === undefined) return 'error' in spec.expected ? undefined : outcome.text;
    program = outcome.program;
    if (spec.type && typeText(spec.type) !== typeText(program.type)) return `type ${typeText(program.type)}`;
    if ('type' in spec.expected) return undefined;
  } else {
    const slot = (name: string): number => (names.includes(name) ? environment.slot(name) : unbound);
    program = uncheckedProgram(spec.expr, extensionLibraries, names, slot);
  }
  const bindings: Array<Value | undefined> = [];
  for (const [name, value] of Object.entries(spec.bindings)) bindings[environment.slot(name)] = value;
  try {
    const value = program.evaluate(bindings, celHost());
    return 'value' in spec.expected && same(value, spec.expected.value) ? undefined : valueText(value);
  } catch (error) {
    if (error instanceof EvalError) return 'error' in spec.expected ? undefined : error.message;
    throw error;
  }
}
