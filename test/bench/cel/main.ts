import {execFileSync} from 'node:child_process';
import {join} from 'node:path';
import {build} from 'esbuild';
import {markdown} from '../report.js';
import type {Ability} from './conformance.js';
import type {Block} from './hostile.js';

interface Row {
  readonly name: string;
  readonly nanos: Readonly<Record<string, number | undefined>>;
}

interface First {
  readonly expressions: number;
  readonly cold: number;
  readonly warm: number;
}

const rivalNames = ['@marcbachmann/cel-js', '@bufbuild/cel', 'cel-js'];
/** Goals, as factors of the geometric mean. */
const goals: Readonly<Record<string, number>> = {'@marcbachmann/cel-js': 2.5, '@bufbuild/cel': 10};

async function bundle(root: string): Promise<string> {
  const out = join(root, 'dist', 'bench');
  await build({
    absWorkingDir: root,
    entryPoints: {
      cel: 'test/bench/cel/run.ts',
      'cel-first': 'test/bench/cel/first.ts',
      'cel-conformance': 'test/bench/cel/conformance.ts',
      'cel-hostile': 'test/bench/cel/hostile.ts',
    },
    outdir: out,
    outExtension: {'.js': '.mjs'},
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: {js: "import {createRequire} from 'node:module'; const require = createRequire(import.meta.url);"},
    logLevel: 'warning',
  });
  return out;
}

function node<T>(file: string, ...args: readonly string[]): T {
  return JSON.parse(execFileSync(process.execPath, [file, ...args], {encoding: 'utf8'})) as T;
}

/** Geometric mean of how many times longer a rival takes, over the expressions that it can do. */
export function meanFactor(rows: readonly Row[], rival: string): {readonly factor: number; readonly of: number} {
  const factors = rows.flatMap(({nanos}) => (nanos[rival] === undefined ? [] : [nanos[rival] / nanos['own']!]));
  const factor = Math.exp(factors.reduce((total, each) => total + Math.log(each), 0) / factors.length);
  return {factor, of: factors.length};
}

const figure = (nanos: number | undefined): string => (nanos === undefined ? 'no' : nanos.toFixed(0));

/** CEL's part of the bench: one evaluation of each expression here and in the evaluators of the registry. */
export async function benchCel(root: string, quick: boolean, say: (line: string) => void): Promise<void> {
  const out = await bundle(root);
  const rows = node<readonly Row[]>(join(out, 'cel.mjs'), quick ? '5' : '25', quick ? '5' : '15');
  say(
    '\nOne evaluation of a CEL expression on a Deployment, CPU ns, all compiled beforehand; own with budget and exact integers:',
  );
  say(
    markdown(
      ['expression', 'own', ...rivalNames],
      rows.map(({name, nanos}) => [
        name.replaceAll('|', '\\|'),
        figure(nanos['own']),
        ...rivalNames.map(rival => figure(nanos[rival])),
      ]),
    ),
  );
  for (const rival of rivalNames) {
    const {factor, of} = meanFactor(rows, rival);
    const goal = goals[rival] === undefined ? '' : `, goal ${goals[rival]}`;
    const faster = rows.filter(({nanos}) => (nanos[rival] ?? Number.POSITIVE_INFINITY) < nanos['own']!);
    const where = faster.length === 0 ? 'nowhere faster' : `faster in: ${faster.map(({name}) => name).join(', ')}`;
    say(`${rival}: geometric mean ${factor.toFixed(2)} times own over ${of} expressions${goal}; ${where}`);
  }
  say('\nCompilation and first evaluation, CPU µs per expression:');
  const first = ['own', ...rivalNames].map(rival => {
    const {expressions, cold, warm} = node<First>(join(out, 'cel-first.mjs'), rival);
    return [rival, String(expressions), cold.toFixed(0), warm.toFixed(0)];
  });
  say(markdown(['evaluator', 'expressions', 'fresh process', 'warm'], first));
  const blocks = node<readonly Block[]>(join(out, 'cel-hostile.mjs'));
  say('\nLongest single evaluations of expressions made to take long, CPU ms until the budget ends them:');
  say(
    markdown(
      ['expression', 'limit of a program, 1,000,000 units', 'limit of a rule, 5,000,000 steps'],
      blocks.map(({name, limited, unlimited}) => [name, limited.toFixed(0), unlimited.toFixed(0)]),
    ),
  );
  say('\nWhat each can do, in this run:');
  const abilities = node<readonly Ability[]>(join(out, 'cel-conformance.mjs'));
  say(
    markdown(
      ['evaluator', 'expressions of policies read', 'public conformance cases right'],
      abilities.map(({name, policies, cases}) => [
        name,
        policies === undefined ? 'not at hand' : `${policies.read} of ${policies.of}`,
        `${cases.right} of ${cases.of} (${((100 * cases.right) / cases.of).toFixed(1)} %)`,
      ]),
    ),
  );
}
