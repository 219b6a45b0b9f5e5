import {replicas, runSeeds, shownDifferences} from './property/run-seeds.js';
import {type Soak, withOperator} from './set-up.js';

/** As many as one control plane carries beside each other. */
const seedsOfRound = 15;

/** Seeded sequences of changes, the leader killed in half of them: each has to end as a fresh run does. */
export async function soakProperty({seeds, first}: {readonly seeds: number; readonly first: number}, say: Soak['say']): Promise<void> {
  await withOperator([], say, async ({cluster, operator}) => {
    let wrong = 0;
    for (let from = first; from < first + seeds; from += seedsOfRound) {
      const round = Array.from({length: Math.min(seedsOfRound, first + seeds - from)}, (_, index) => from + index);
      const started = performance.now();
      const differences = await runSeeds({cluster, agent: operator.agent}, round);
      wrong += differences.length;
      say(`seeds ${round[0]} to ${round.at(-1)}: ${differences.length} end otherwise than a fresh run; ${((performance.now() - started) / 1000).toFixed(0)} s`);
      if (differences.length > 0) say(shownDifferences(differences));
    }
    say(`${seeds} seeds from ${first}: ${wrong} end otherwise than a fresh run`);
    if (wrong > 0) process.exitCode = 1;
  }, {replicas});
}
