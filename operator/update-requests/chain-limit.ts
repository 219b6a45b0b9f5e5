import type {Clock} from '../../adapters/clock.js';
import type {Logger} from '../../adapters/log/logger.js';
import type {EngineRequest} from '../../engine/types.js';
import type {BackgroundPolicy, BackgroundRule} from './background-policy.js';
import {objectKey, shownObject, triggerOf} from './trigger.js';

const windowMs = 60_000;
const mostInWindow = 10;
const mostKeys = 10_000;

/** Rules that take the operator's own requests for triggers may go in circles: each trigger gets so many turns a minute. */
export function createChainLimit(clock: Clock, log: Logger): (policy: BackgroundPolicy, rule: BackgroundRule, request: EngineRequest) => boolean {
  const seen = new Map<string, number[]>();
  return (policy, rule, request) => {
    const trigger = triggerOf(request);
    const key = `${policy.id}|${rule.name}|${objectKey(trigger)}`;
    const now = clock.monotonic();
    const recent = (seen.get(key) ?? []).filter(at => now - at < windowMs);
    if (recent.length >= mostInWindow) {
      log.warn(`background: policy ${policy.ref.key} rule ${rule.name} goes in circles on ${shownObject(trigger)}; it is left for a minute`);
      return false;
    }
    recent.push(now);
    seen.delete(key);
    seen.set(key, recent);
    if (seen.size > mostKeys) for (const oldest of seen.keys()) {
      seen.delete(oldest);
      if (seen.size <= mostKeys) break;
    }
    return true;
  };
}
