// Runs every offline CLI suite of a folder of external suites through the bundled command, holds rows and verdicts
// against the recorded ones, and writes docs/compatibility.md. Exit status 1 when a suite differs without a known reason.
// With `--pairs [count]` it compares the command with an admission server instead: every policy on every object of its
// own suite, then a seeded sample of cross pairs, or all of them without a count.
import {spawn} from 'node:child_process';
import {cp, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import {availableParallelism, tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {discoverTests} from '../cli/test/discover.js';
import {clusterSectionOf} from '../test/conformance/cluster/cluster-section.js';
import {compatibilityText} from '../test/conformance/compatibility-text.js';
import {compareCross, compareOwn, readPairs} from '../test/conformance/pairs.js';
import {conformanceRoot, readSuites, type Suite} from '../test/conformance/suites.js';
import {judgeSuite, type SuiteRun, type SuiteVerdict} from '../test/conformance/verdict.js';

const repository = resolve(import.meta.dirname, '..');

/** One process per suite, as the recorded verdicts were made. */
function runSuite(command: string, root: string, suite: Suite): Promise<SuiteRun> {
  return new Promise((done, fail) => {
    const args = [command, 'test', join(root, dirname(suite.path)), '-o', 'json', '--detailed-results', ...suite.flags];
    const child = spawn(process.execPath, args, {stdio: ['ignore', 'pipe', 'pipe']});
    const output = {out: '', err: ''};
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output.out += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (output.err += chunk));
    child.on('error', fail);
    child.on('close', code => done({exit: code ?? 1, ...output}));
  });
}

async function runAll(root: string, suites: readonly Suite[]): Promise<readonly SuiteVerdict[]> {
  const verdicts: SuiteVerdict[] = [];
  // A copy: a build that happens meanwhile must not change what is measured.
  const folder = await mkdtemp(join(tmpdir(), 'kyverno-conformance-'));
  await cp(join(repository, 'dist'), folder, {recursive: true});
  const command = join(folder, 'kyverno.cjs');
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < suites.length; index = next++) {
      const suite = suites[index]!;
      verdicts[index] = judgeSuite(suite, await runSuite(command, root, suite));
    }
  };
  try {
    await Promise.all(Array.from({length: availableParallelism()}, worker));
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
  return verdicts;
}

/** The exit status. */
async function runPairs(root: string, count: number | undefined): Promise<number> {
  const found = await Promise.all(
    ['cli', 'policies-cli'].map(name => discoverTests(join(root, name), 'kyverno-test.yaml')),
  );
  const pairs = await readPairs(found.flatMap(({tests}) => tests));
  const own = await compareOwn(pairs);
  const cross = await compareCross(pairs, count === undefined ? undefined : {count, seed: 4});
  for (const [what, {pairs: number, results, differences}] of Object.entries({own, cross})) {
    process.stdout.write(`${what} pairs: ${number}, results of rules: ${results}, different: ${differences.length}\n`);
  }
  const faults = [...pairs.disagreements, ...own.differences, ...cross.differences];
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  return faults.length === 0 ? 0 : 1;
}

const root = conformanceRoot();
const pairsFlag = process.argv.indexOf('--pairs');
if (root === undefined) {
  process.stderr.write('no suites: set CONFORMANCE_DIR to the folder that holds index.json and oracle-cli.json\n');
  process.exitCode = 2;
} else if (pairsFlag !== -1) {
  const count = process.argv[pairsFlag + 1];
  process.exitCode = await runPairs(root, count === undefined ? undefined : Number(count));
} else {
  const suites = readSuites(root);
  const verdicts = await runAll(
    root,
    suites.filter(suite => suite.waitsFor === undefined),
  );
  const {text, differing} = compatibilityText(suites, verdicts);
  const page = join(repository, 'docs', 'compatibility.md');
  // The other half of the page is made by `npm run conformance:cluster`.
  const cluster = clusterSectionOf(await readFile(page, 'utf8').catch(() => ''));
  await writeFile(page, cluster === '' ? text : `${text}\n${cluster}\n`);
  process.stdout.write(text);
  for (const verdict of differing) process.stderr.write(`${verdict.suite.id}: ${verdict.difference ?? ''}\n`);
  if (differing.length > 0) process.exitCode = 1;
}
