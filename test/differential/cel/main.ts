import {spawnSync} from 'node:child_process';
import {extensionLibraries} from '../../../engine/cel/extensions/index.js';
import {kubernetesLibraries, mutationLibraries} from '../../../engine/cel/kubernetes/index.js';
import {dynType} from '../../../engine/cel/types/type.js';
import {EvalError} from '../../../engine/diagnostic.js';
import {seededRandom} from '../../../engine/json/testing/random.js';
import type {JsonObject} from '../../../engine/json/types.js';
import {bindingsOf, celEnvironment, celHost} from '../../cel/environment.js';
import {tagged} from '../../cel/probes.js';
import {requireGo} from '../../cluster/go-toolchain.js';
import {families} from './families.js';
import type {Case} from './random.js';

/** Random expressions of every library, here and in cel-go with the API server's libraries: values and errors agree. */

const environment = celEnvironment({
  libraries: [...extensionLibraries, ...kubernetesLibraries, ...mutationLibraries],
  variables: {x: dynType, y: dynType, z: dynType, m: dynType, n: dynType},
  literalValidators: true,
});

interface Outcome {
  readonly value?: unknown;
  readonly error?: string;
  readonly message?: string;
}

function ours({expr, vars}: Case): Outcome {
  const outcome = environment.compile(expr);
  if (outcome.program === undefined) return {error: 'compile', message: outcome.issues[0]!.message};
  try {
    return {value: tagged(outcome.program.evaluate(bindingsOf(environment, vars as JsonObject), celHost()))};
  } catch (error) {
    if (error instanceof EvalError) return {error: 'eval', message: error.message};
    throw error;
  }
}

function theirs(cases: readonly Case[]): Outcome[] {
  const input = cases.map(given => `${JSON.stringify(given)}\n`).join('');
  const {stdout, stderr, status} = spawnSync('go', ['run', '.'], {
    cwd: import.meta.dirname,
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`go run failed: ${stderr}`);
  return stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Outcome);
}

/** Doubles by amount, maps by sorted entries. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const {double, map} = value as {double?: string; map?: unknown[]};
  if (double !== undefined) return {double: String(Number(double.replace('Inf', 'Infinity')))};
  if (map !== undefined) return {map: map.map(entry => JSON.stringify(comparable(entry))).sort()};
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, comparable(item)]));
}

function agrees(a: Outcome, b: Outcome): boolean {
  return a.error === b.error && JSON.stringify(comparable(a.value)) === JSON.stringify(comparable(b.value));
}

const [count = '2000', seedText = String(Math.floor(Math.random() * 2 ** 31))] = process.argv.slice(2);
await requireGo('1.26.0');
let failed = 0;
for (const [name, make] of Object.entries(families)) {
  const random = seededRandom(Number(seedText));
  const cases = Array.from({length: Number(count)}, () => make(random));
  const expected = theirs(cases);
  let wording = 0;
  for (const [index, given] of cases.entries()) {
    const found = ours(given);
    const wanted = expected[index]!;
    if (!agrees(found, wanted)) {
      failed++;
      console.log(`${JSON.stringify(given)}\n  cel-go ${JSON.stringify(wanted)}\n  here   ${JSON.stringify(found)}`);
    } else if (found.message !== wanted.message) wording++;
  }
  console.log(`${name.padEnd(9)} ${cases.length} cases, seed ${seedText}; ${wording} errors worded differently`);
}
console.log(failed === 0 ? 'all outcomes agree' : `${failed} outcomes differ`);
process.exitCode = failed === 0 ? 0 : 1;
