import {join} from 'node:path';
import {growHeapSlowly} from '../adapters/heap-growth.js';
import {createLogger} from '../adapters/log/logger.js';
import {type LoadedConfig, loadClusterConfig} from '../adapters/kube/config.js';
import {readEnvironment} from './config/environment.js';
import {parseFlags} from './config/flags.js';
import {guardProcess} from './guard-process.js';
import {createProcess} from './process.js';
import {Settings} from './settings/settings.js';
import {readStartConfiguration} from './settings/start-configuration.js';

/** The bundle of `thread/background-main.ts`, beside this one's. */
const backgroundProgram = 'background.cjs';

/** Runs the operator until a signal ends it; the exit code. `argv` without node and script. */
export async function runOperator(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv);
  if ('error' in parsed) {
    process.stderr.write(`${parsed.error}\n`);
    return 2;
  }
  let {flags} = parsed;
  const log = createLogger({format: () => flags.loggingFormat, verbosity: () => flags.v});
  let config: LoadedConfig;
  try {
    config = loadClusterConfig(flags);
  } catch (error) {
    log.error(`no cluster to work in: ${error instanceof Error ? error.message : String(error)}; give --kubeconfig outside of one`);
    return 1;
  }
  growHeapSlowly();
  guardProcess(log);
  const signalled = untilSignal();
  const {kubeConfig} = config;
  const started = await readStartConfiguration({kubeConfig, log, stopped: signalled});
  const settings = new Settings({...parsed, started});
  flags = settings.flags;
  const operator = createProcess({settings, environment: readEnvironment(process.env), kubeConfig, log, program: join(import.meta.dirname, backgroundProgram)});
  try {
    await operator.start(signalled);
  } catch (error) {
    log.error('the operator failed to start', {error: error instanceof Error ? (error.stack ?? error.message) : String(error)});
    await operator.stop();
    return 1;
  }
  await signalled;
  await operator.stop();
  return 0;
}

function untilSignal(): Promise<void> {
  return new Promise(resolve => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
}
