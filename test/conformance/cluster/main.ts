// `npm run conformance:cluster`: chainsaw suites of a folder of external suites on a real control plane with the operator,
// and their table in docs/compatibility.md. See README.md in this folder.
import {existsSync} from 'node:fs';
import {readFile, writeFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {parse} from 'yaml';
import {findPrograms} from '../../cluster/programs.js';
import {conformanceRoot} from '../suites.js';
import {clusterSection, withClusterSection} from './cluster-section.js';
import {isolate} from './isolate.js';
import {type Profile, profileOf} from './profiles.js';
import {chainsaw, kwok, scheduler} from './programs.js';
import {openResults} from './results.js';
import {runSuites} from './run-suites.js';
import {parseSelection, type Selection, select, UsageError, usage} from './selection.js';
import {type ClusterSuite, counts, readClusterSuites} from './suites.js';

const repository = resolve(import.meta.dirname, '../../..');
const page = join(repository, 'docs', 'compatibility.md');
const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(args: readonly string[]): Promise<number> {
  const selection = parseSelection(args);
  const root = conformanceRoot();
  if (root === undefined || !existsSync(join(root, 'oracle-chainsaw.json'))) {
    process.stderr.write(
      'no suites: set CONFORMANCE_DIR to the folder that holds index.json and oracle-chainsaw.json\n',
    );
    return 2;
  }
  const all = readClusterSuites(root);
  const output = resolve(selection.output ?? join(repository, '.cache', 'conformance-cluster'));
  const results = await openResults(output);
  const statuses = new Map([...results.last].map(([id, {status}]) => [id, status]));
  const sample = new Set((await readFile(join(import.meta.dirname, 'sample.txt'), 'utf8')).split('\n').filter(Boolean));
  const suites = selection.report ? [] : select(all, selection, {sample, results: statuses});
  if (selection.list) {
    for (const {id, recorded} of suites) say(`${id}  ${recorded}  ${statuses.get(id) ?? 'not run'}`);
    return 0;
  }
  if (suites.length > 0) {
    await buildAll(suites);
    await isolate(import.meta.filename, args);
    const abort = new AbortController();
    // The second signal ends the program at once; what it started ends with it.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => abort.abort());
    await runSuites(suites, {root, output, results, selection, say, signal: abort.signal});
  }
  const text = await readFile(page, 'utf8').catch(() => '');
  if (selection.output === undefined)
    await writeFile(page, withClusterSection(text, clusterSection(all, results.last, await readCauses())));
  return summary(suites, selection, results.last);
}

/** Why suites that count do not pass, by their ids. */
async function readCauses(): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(join(import.meta.dirname, 'causes.yaml'), 'utf8');
  return new Map(Object.entries((parse(text) ?? {}) as Record<string, string>));
}

/** Programs are built while there is still a network. */
async function buildAll(suites: readonly ClusterSuite[]): Promise<void> {
  const profiles = suites.map(profileOf).filter((profile): profile is Profile => !('unreachable' in profile));
  await chainsaw();
  for (const minor of new Set(profiles.map(profile => profile.minor))) await findPrograms(minor);
  for (const {minor, pods} of profiles) {
    if (!pods) continue;
    await kwok();
    await scheduler(minor);
  }
}

function summary(
  suites: readonly ClusterSuite[],
  {report}: Selection,
  last: ReadonlyMap<string, {readonly status: string}>,
): number {
  if (report) return 0;
  const counted = suites.filter(counts);
  const passed = counted.filter(({id}) => last.get(id)?.status === 'pass');
  say(`${passed.length} of ${counted.length} suites that count pass, ${suites.length} were chosen`);
  return passed.length === counted.length ? 0 : 1;
}

main(process.argv.slice(2)).then(
  code => process.exit(code),
  (error: Error) => {
    process.stderr.write(`${error.message}\n${error instanceof UsageError ? usage : ''}`);
    process.exit(1);
  },
);
