import type {PolicyResult} from '../../engine/types.js';

/**
 * Whether verdicts refuse a request: a failed rule that enforces, or a rule in error while any evaluated policy has
 * failure policy Fail.
 */
export function blocks(results: readonly PolicyResult[]): boolean {
  let errors = false;
  let failClosed = false;
  for (const result of results) {
    if (result.failurePolicy === 'Fail') failClosed = true;
    for (const rule of result.rules) {
      if (rule.status === 'fail' && rule.action === 'Enforce') return true;
      if (rule.status === 'error') errors = true;
    }
  }
  return errors && failClosed;
}
