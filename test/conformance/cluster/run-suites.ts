import {createHash} from 'node:crypto';
import {existsSync} from 'node:fs';
import {cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {chainsawConfig, suiteSettings} from './chainsaw-config.js';
import {gistOf} from './chainsaw-report.js';
import {type Environment, startEnvironment} from './environment.js';
import {suiteNamespacePrefix} from './leftovers.js';
import {type Profile, profileOf} from './profiles.js';
import {chainsaw} from './programs.js';
import type {Results, SuiteResult} from './results.js';
import {runChainsaw} from './run-chainsaw.js';
import type {Selection} from './selection.js';
import type {ClusterSuite} from './suites.js';
import {addScripts, copySuites} from './workspace.js';

export interface SuiteRunner {
  readonly root: string;
  /** Folder of results and logs. */
  readonly output: string;
  readonly results: Results;
  readonly selection: Selection;
  readonly say: (line: string) => void;
  /** Stops after the suite that runs. */
  readonly signal: AbortSignal;
}

const dist = resolve(import.meta.dirname, '../../../dist');

/** Runs the suites, those of a profile one after the other on one control plane. */
export async function runSuites(suites: readonly ClusterSuite[], runner: SuiteRunner): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'kyverno-suites-'));
  try {
    // A copy: a build that happens meanwhile must not change what is measured.
    await cp(dist, join(scratch, 'dist'), {recursive: true});
    const bundle = join(scratch, 'dist', 'kyverno.cjs');
    const build = createHash('sha256')
      .update(await readFile(bundle))
      .digest('hex')
      .slice(0, 12);
    const workspace = join(scratch, 'suites');
    await copySuites(runner.root, [...new Set(suites.map(({kind}) => kind))], workspace);
    const context = {...runner, scratch, bundle, build, workspace, chainsaw: await chainsaw()};
    const groups = new Map<string, {profile: Profile; suites: ClusterSuite[]}>();
    for (const suite of suites) {
      const profile = suite.skips ? {unreachable: 'the suite asks to be left out'} : profileOf(suite);
      if ('unreachable' in profile) {
        await report(context, suite, {
          status: 'skip',
          seconds: 0,
          attempts: 0,
          profile: '',
          reason: profile.unreachable,
        });
        continue;
      }
      const group = groups.get(profile.name);
      if (group === undefined) groups.set(profile.name, {profile, suites: [suite]});
      else group.suites.push(suite);
    }
    for (const group of groups.values()) {
      if (runner.signal.aborted) return;
      await runGroup(context, group.profile, group.suites);
    }
  } finally {
    await rm(scratch, {recursive: true, force: true});
  }
}

interface Context extends SuiteRunner {
  readonly scratch: string;
  readonly bundle: string;
  readonly build: string;
  readonly workspace: string;
  readonly chainsaw: string;
}

async function runGroup(context: Context, profile: Profile, suites: readonly ClusterSuite[]): Promise<void> {
  const {say, signal, selection} = context;
  let environment: Environment | undefined;
  try {
    for (const suite of suites) {
      if (signal.aborted) return;
      if (environment === undefined) {
        say(`-- ${profile.name}, Kubernetes ${profile.minor}: ${suites.length} suites`);
        environment = await startEnvironment(profile, context).catch((error: Error) => {
          say(`   ${error.message.split('\n')[0]}; once more`);
          return startEnvironment(profile, context);
        });
      }
      await runOne(context, environment, suite);
      const problem = await environment.baseline.restore().then(
        () => undefined,
        (error: Error) => error.message,
      );
      if (problem !== undefined) {
        say(`   ${problem}; a new control plane`);
        await environment.stop();
        environment = undefined;
      }
    }
    if (selection.hold && environment !== undefined && !signal.aborted) {
      say(`export KUBECONFIG=${environment.kubeconfig} PATH=${environment.programs}:$PATH  # Ctrl-C ends it`);
      await new Promise(done => signal.addEventListener('abort', done, {once: true}));
    }
  } finally {
    await environment?.stop();
  }
}

let namespaces = 0;

async function runOne(context: Context, environment: Environment, suite: ClusterSuite): Promise<void> {
  const {selection, workspace, output} = context;
  await addScripts(suite, workspace);
  const folder = join(workspace, suite.folder);
  const settings = await suiteSettings(join(workspace, suite.kind), folder);
  const logs = join(output, 'logs');
  await mkdir(logs, {recursive: true});
  const name = suite.id.replace(/[^\w.-]+/g, '_');
  const log = join(logs, `${name}.log`);
  const operatorLog = join(logs, `${name}.operator.log`);
  await writeFile(log, '');
  const from = await sizeOf(environment.operatorLog());
  const text = await textOf(folder);
  const attempt = async (patience: number) => {
    await environment.baseline.settle(text);
    const scratch = await mkdtemp(join(context.scratch, 'run-'));
    const namespace = `${suiteNamespacePrefix}${++namespaces}`;
    await environment.createNamespace(namespace);
    return runChainsaw({
      program: context.chainsaw,
      folder,
      config: chainsawConfig(settings, join(scratch, 'report.json'), patience),
      scratch,
      namespace,
      kubeconfig: environment.kubeconfig,
      path: environment.programs,
      log,
      limit: 300,
    });
  };
  const started = Date.now();
  let verdict = await attempt(selection.patience);
  let attempts = 1;
  if (verdict.status === 'fail' && selection.retry) {
    await environment.baseline.restore();
    attempts = 2;
    verdict = await attempt(Number.POSITIVE_INFINITY);
  }
  await writeFile(operatorLog, await endOf(environment.operatorLog(), from));
  await report(context, suite, {
    ...verdict,
    seconds: Math.round((Date.now() - started) / 100) / 10,
    attempts,
    profile: environment.profile.name,
  });
}

async function report(
  context: Context,
  {id, recorded}: ClusterSuite,
  result: Omit<SuiteResult, 'id' | 'build' | 'at'>,
): Promise<void> {
  await context.results.add({id, ...result, build: context.build, at: new Date().toISOString()});
  const failure =
    result.failure === undefined ? '' : `  ${result.failure.operation}: ${gistOf(result.failure.message)}`;
  const differs = recorded === result.status ? '' : ` (recorded: ${recorded})`;
  context.say(`${result.status.padEnd(7)} ${String(result.seconds).padStart(5)} s  ${id}${differs}${failure}`);
}

/** What a suite's files say, those of the policy beside it too. */
async function textOf(folder: string): Promise<string> {
  const texts = [folder, dirname(folder)].map(async place => {
    const files = (await readdir(place, {withFileTypes: true})).filter(entry => entry.isFile());
    return Promise.all(files.map(({name}) => readFile(join(place, name), 'utf8')));
  });
  return (await Promise.all(texts)).flat().join('\n');
}

async function sizeOf(file: string | undefined): Promise<number> {
  return file !== undefined && existsSync(file) ? (await readFile(file)).byteLength : 0;
}

async function endOf(file: string | undefined, from: number): Promise<Buffer> {
  if (file === undefined || !existsSync(file)) return Buffer.alloc(0);
  const content = await readFile(file);
  // A replica that was restarted writes a new file.
  return content.subarray(content.byteLength >= from ? from : 0);
}
