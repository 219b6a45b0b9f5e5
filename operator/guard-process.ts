import type {Logger} from '../adapters/log/logger.js';

/** No stray error of one part may take the others of its thread down; each is a bug and says so. */
export function guardProcess(log: Logger): void {
  process.on('unhandledRejection', error => log.error('unhandled rejection', {error: describe(error)}));
  process.on('uncaughtException', error => log.error('uncaught exception', {error: describe(error)}));
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
