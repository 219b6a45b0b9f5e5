export interface Figures {
  /** Nanoseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** p50 in units of the calibration that ran beside it, the median over rounds: what is compared across machines. */
  readonly ratio: number;
  readonly samples: number;
}

export interface MeasureOptions {
  /** Calls before the first that counts. */
  readonly warmup: number;
  /** Calls that count, over all rounds. */
  readonly iterations: number;
  /** Each has its own calibration, so that a machine that slows down for a while slows both. */
  readonly rounds: number;
  /** Monotonic nanoseconds. */
  readonly now: () => bigint;
}

/** Times `body` call by call. A call that has to wait counts with its waiting. */
export async function measure(body: () => unknown, options: MeasureOptions): Promise<Figures> {
  const {warmup, iterations, rounds, now} = options;
  for (let call = 0; call < warmup; call++) await settle(body());
  const all: number[] = [];
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const before = calibrate(now);
    const samples: number[] = [];
    const calls = Math.max(1, Math.ceil(iterations / rounds));
    for (let call = 0; call < calls; call++) {
      const started = now();
      const answer = body();
      if (answer instanceof Promise) await answer;
      samples.push(Number(now() - started));
    }
    const unit = Math.max(1, Math.min(before, calibrate(now)));
    ratios.push(percentile(samples, 0.5) / unit);
    all.push(...samples);
  }
  return {
    p50: percentile(all, 0.5),
    p95: percentile(all, 0.95),
    p99: percentile(all, 0.99),
    ratio: percentile(ratios, 0.5),
    samples: all.length,
  };
}

function settle(answer: unknown): unknown {
  return answer instanceof Promise ? answer : undefined;
}

/** Nearest rank. */
export function percentile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}

const calibrations = 25;
const document = {
  kind: 'Pod',
  metadata: {labels: {app: 'a', tier: 'b'}},
  list: Array.from({length: 40}, (_, index) => ({name: `c${index}`, value: index})),
};

/** Nanoseconds of a fixed piece of work of the engine's kind: objects, texts, small calls. The median of several. */
function calibrate(now: () => bigint): number {
  const samples: number[] = [];
  let kept = 0;
  for (let index = 0; index < calibrations; index++) {
    const started = now();
    const copy = JSON.parse(JSON.stringify(document)) as typeof document;
    for (const {name, value} of copy.list) if (name.endsWith('7') || value > index) kept += name.length;
    samples.push(Number(now() - started));
  }
  return kept < 0 ? 0 : percentile(samples, 0.5);
}
