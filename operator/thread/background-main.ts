import {readlinkSync, writeSync} from 'node:fs';
import {setPriority} from 'node:os';
import {parentPort, workerData} from 'node:worker_threads';
import {createLogger, type Logger} from '../../adapters/log/logger.js';
import {loadClusterConfig} from '../../adapters/kube/config.js';
import {createThreadPort} from '../../adapters/thread-port.js';
import {parseJson} from '../../engine/json/parse.js';
import type {JsonObject} from '../../engine/json/types.js';
import {guardProcess} from '../guard-process.js';
import {Settings} from '../settings/settings.js';
import {runBackgroundProcess} from './background-process.js';
import type {ToAdmission, ToBackground} from './calls.js';
import type {ThreadStart} from './thread-start.js';

/** Of nice values: admission, and whatever else the node has to do, goes first. */
const priority = 10;

/** The thread of scans, generation and reports, from its start to its end. */
async function run({settings: {flags, sources, started}, environment, memory}: ThreadStart): Promise<void> {
  const end = parentPort;
  if (end === null) throw new Error('there is no main thread');
  const settings = new Settings({flags, sources, started: started === undefined ? undefined : (parseJson(started) as JsonObject)});
  const log = createLogger({format: () => settings.flags.loggingFormat, verbosity: () => settings.flags.v});
  guardProcess(log);
  goLast(log);
  const {kubeConfig} = loadClusterConfig(flags);
  await runBackgroundProcess({
    ...{settings, environment, kubeConfig, log, memory},
    connect: handlers => createThreadPort<ToAdmission, ToBackground>(end, handlers),
  });
}

/** Linux has a priority for each thread; elsewhere pauses alone keep background work from being felt. */
function goLast(log: Logger): void {
  try {
    const [, id] = /\/task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? [];
    if (id !== undefined) setPriority(Number(id), priority);
  } catch (error) {
    log.v(1, 'background work has no priority of its own', {error: String(error)});
  }
}

run(workerData as ThreadStart).catch((error: unknown) => {
  // What is written by way of the main thread would be lost.
  writeSync(2, `the thread of background work cannot run: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  // Ends this thread alone; the main one starts it anew.
  process.exit(1);
});
