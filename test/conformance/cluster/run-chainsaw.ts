import {spawn} from 'node:child_process';
import {existsSync} from 'node:fs';
import {mkdir, open, readFile, rm, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {killGroup} from '../../cluster/supervisor.js';
import {type ChainsawVerdict, readReport} from './chainsaw-report.js';

export interface ChainsawRun {
  readonly program: string;
  /** Folder of the suite, absolute. */
  readonly folder: string;
  /** Text of the configuration, which names `report.json` in the folder `scratch`. */
  readonly config: string;
  readonly scratch: string;
  readonly namespace: string;
  readonly kubeconfig: string;
  /** Folders of programs that come first on PATH. */
  readonly path: string;
  /** Output is added to this file. */
  readonly log: string;
  /** Seconds until the run is ended. */
  readonly limit: number;
}

/** Runs one suite; `timeout` when it had to be ended. Nothing that it started outlives it. */
export async function runChainsaw(run: ChainsawRun): Promise<ChainsawVerdict | {readonly status: 'timeout'}> {
  const report = join(run.scratch, 'report.json');
  const config = join(run.scratch, 'config.yaml');
  await mkdir(run.scratch, {recursive: true});
  await rm(report, {force: true});
  await writeFile(config, run.config);
  const log = await open(run.log, 'a');
  try {
    const args = ['test', '--config', config, '--test-dir', run.folder, '--namespace', run.namespace, '--no-color'];
    const child = spawn(run.program, args, {
      cwd: run.folder,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
      env: {
        PATH: `${run.path}:${process.env['PATH'] ?? ''}`,
        HOME: join(run.scratch, 'home'),
        KUBECONFIG: run.kubeconfig,
      },
    });
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      if (child.pid !== undefined) killGroup(child.pid, 'SIGKILL');
    }, run.limit * 1000);
    const exit = await new Promise<number>((done, fail) => {
      child.once('error', fail);
      child.once('exit', code => done(code ?? 1));
    });
    clearTimeout(timer);
    // Scripts leave proxies and port forwards running.
    if (child.pid !== undefined) killGroup(child.pid, 'SIGKILL');
    if (late) return {status: 'timeout'};
    if (existsSync(report)) return readReport(await readFile(report, 'utf8'), exit);
    const end = (await readFile(run.log, 'utf8')).trim().split('\n').slice(-3).join(' ');
    return {status: 'fail', failure: {step: '', operation: '', message: `chainsaw wrote no report: ${end}`}};
  } finally {
    await log.close();
  }
}
