import {findRoute, type Route} from './routes.js';

export interface Target {
  readonly route: Route | undefined;
  /** The caller's `timeout` in milliseconds; `undefined` when absent or not a duration. */
  readonly timeoutMs: number | undefined;
}

const rememberedTargets = 512;

/** Reads request targets; a webhook configuration names a handful, so they are remembered whole. */
export function createTargetReader(): (url: string) => Target {
  const known = new Map<string, Target>();
  return url => {
    let target = known.get(url);
    if (target === undefined) {
      target = readTarget(url);
      if (known.size < rememberedTargets && target.route !== undefined) known.set(url, target);
    }
    return target;
  };
}

function readTarget(url: string): Target {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const timeout = mark < 0 ? null : new URLSearchParams(url.slice(mark + 1)).get('timeout');
  return {route: findRoute(path), timeoutMs: timeout === null ? undefined : parseTimeout(timeout)};
}

const units: Readonly<Record<string, number>> = {ms: 1, s: 1000, m: 60_000, h: 3_600_000};

/** Go durations as the API server writes them, e.g. `10s`, `1m0s`; zero and nonsense count as absent. */
export function parseTimeout(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)) total += Number(amount) * units[unit!]!;
  return total > 0 ? total : undefined;
}
