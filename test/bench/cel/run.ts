import type {JsonObject} from '../../../engine/json/types.js';
import {own, type Rival, rivals} from '../../cel/rivals.js';
import {deployment, expressions} from './expressions.js';

/**
 * Time of one evaluation of each expression in each evaluator, all compiled beforehand, in turns in one process; printed
 * as JSON. CPU nanoseconds; `undefined` where the evaluator refuses the expression or fails on it.
 */
interface Row {
  readonly name: string;
  readonly nanos: Readonly<Record<string, number | undefined>>;
}

const rounds = Number(process.argv[2] ?? 15);
const sliceMs = Number(process.argv[3] ?? 15);
const variables: JsonObject = {object: deployment};
const all: readonly Rival[] = [own, ...rivals];

type Run = () => unknown;

/** `undefined` when the evaluator cannot do it. */
function prepared(rival: Rival, text: string): Run | undefined {
  try {
    const run = rival.compile(text, variables);
    run();
    return run;
  } catch {
    return undefined;
  }
}

function slice(run: Run, count: number): number {
  const before = process.cpuUsage();
  for (let index = 0; index < count; index++) run();
  const {user, system} = process.cpuUsage(before);
  return ((user + system) * 1000) / count;
}

const programs = expressions.map(({name, text}) => ({
  name,
  runs: all.map(rival => ({rival: rival.name, run: prepared(rival, text)})),
}));
const counts = new Map<Run, number>();
const best = new Map<Run, number>();
for (const {runs} of programs) {
  for (const {run} of runs) {
    if (!run) continue;
    slice(run, 2000);
    counts.set(run, Math.max(100, Math.round((sliceMs * 1e6) / slice(run, 2000))));
  }
}
for (let round = 0; round < rounds; round++) {
  for (const {runs} of programs) {
    for (const {run} of runs) {
      if (run) best.set(run, Math.min(best.get(run) ?? Number.POSITIVE_INFINITY, slice(run, counts.get(run)!)));
    }
  }
}
const rows: Row[] = programs.map(({name, runs}) => ({
  name,
  nanos: Object.fromEntries(runs.map(({rival, run}) => [rival, run && best.get(run)])),
}));
process.stdout.write(JSON.stringify(rows));
