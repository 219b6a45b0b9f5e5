import {growHeapSlowly} from '../adapters/heap-growth.js';
import {createLogger, type Logger} from '../adapters/log/logger.js';
import {loadInClusterConfig, loadKubeconfig} from '../adapters/kube/config.js';
import {readEnvironment} from './config/environment.js';
import {parseFlags} from './config/flags.js';
import {createProcess} from './process.js';
import {Settings} from './settings/settings.js';
import {readStartConfiguration} from './settings/start-configuration.js';

/** Runs the operator until a signal ends it; the exit code. `argv` without node and script. */
export async function runOperator(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv);
  if ('error' in parsed) {
    process.stderr.write(`${parsed.error}\n`);
    return 2;
  }
  let {flags} = parsed;
  const log = createLogger({format: () => flags.loggingFormat, verbosity: () => flags.v});
  let config: ReturnType<typeof loadInClusterConfig>;
  try {
    config = flags.kubeconfig === '' ? loadInClusterConfig() : loadKubeconfig(flags.kubeconfig);
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
  const operator = createProcess({settings, environment: readEnvironment(process.env), kubeConfig, log});
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

/** No stray error of one part may take admission down; each is a bug and says so. */
function guardProcess(log: Logger): void {
  process.on('unhandledRejection', error => log.error('unhandled rejection', {error: describe(error)}));
  process.on('uncaughtException', error => log.error('uncaught exception', {error: describe(error)}));
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
