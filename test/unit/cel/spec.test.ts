import {expect, test} from 'vitest';
import type {Program} from '../../../engine/cel/environment.js';
import {extensionLibraries} from '../../../engine/cel/extensions/index.js';
import {typeText} from '../../../engine/cel/types/type.js';
import {valueText} from '../../../engine/cel/values/index.js';
import type {Value} from '../../../engine/cel/values/value.js';
import {EvalError} from '../../../engine/diagnostic.js';
import {celEnvironment, celHost} from '../../cel/environment.js';
import {readSpec, type SpecCase, same} from '../../cel/spec.js';
import {exceptions} from '../../cel/spec-exceptions.js';
import {uncheckedProgram} from '../../cel/unchecked.js';

// Literals may mix types, as where generating policies are written: the data takes that for granted.
const base = celEnvironment({homogeneousLiterals: false});

/** `undefined` when the case comes out as it is to, else what it came to. */
function fault(spec: SpecCase): string | undefined {
  const names = Object.keys(spec.variables);
  const environment = base.extend({variables: spec.variables, libraries: [{name: 'case', functions: spec.functions}]});
  let program: Program | undefined;
  if (spec.checked) {
    const outcome = environment.compile(spec.expr);
    if (outcome.program === undefined) return 'error' in spec.expected ? undefined : outcome.text;
    program = outcome.program;
    if (spec.type && typeText(spec.type) !== typeText(program.type)) return `type ${typeText(program.type)}`;
    if ('type' in spec.expected) return undefined;
  } else
    program = uncheckedProgram(spec.expr, extensionLibraries, names, name => slotOf(environment.slot, names, name));
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

function slotOf(slot: (name: string) => number, names: readonly string[], name: string): number {
  return names.includes(name) ? slot(name) : 10_000;
}

test('the public conformance data: every case as it is to come out, but for the known exceptions', () => {
  const {cases, needProtobuf} = readSpec();
  const sections = new Map<string, {passed: number; of: number}>();
  const faults = new Map<string, string>();
  for (const spec of cases) {
    const section = sections.get(spec.section) ?? {passed: 0, of: 0};
    sections.set(spec.section, section);
    section.of++;
    const found = fault(spec);
    if (found === undefined) section.passed++;
    else faults.set(spec.id, `${spec.expr} → ${found}`);
  }
  const lines = [...sections].map(([name, {passed, of}]) => `${name.padEnd(16)} ${passed}/${of}`);
  const passed = cases.length - faults.size;
  const share = ((100 * passed) / cases.length).toFixed(2);
  const left = [...needProtobuf].map(([name, count]) => `${name} ${count}`).join(', ');
  console.log(`${lines.join('\n')}\nall ${passed}/${cases.length} (${share} %); need protobuf messages: ${left}`);

  const unexpected = [...faults].filter(([id]) => !Object.hasOwn(exceptions, id));
  expect(unexpected).toEqual([]);
  const healed = Object.keys(exceptions).filter(id => !faults.has(id));
  expect(healed, 'listed as an exception, but passes').toEqual([]);
  expect(passed / cases.length).toBeGreaterThanOrEqual(0.98);
});
