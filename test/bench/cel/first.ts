import {own, type Rival, rivals} from '../../cel/rivals.js';
import {deployment, expressions} from './expressions.js';

/**
 * What an expression costs until its first answer, in one evaluator named on the command line: compilation and first
 * evaluation of each, in a fresh process and again when the evaluator is warm. Printed as JSON; CPU microseconds per
 * expression that the evaluator can do.
 */
const name = process.argv[2];
const rival: Rival | undefined = [own, ...rivals].find(candidate => candidate.name === name);
if (rival === undefined) throw new Error(`no evaluator named ${name}`);

const variables = {object: deployment};
const warmRounds = 300;
const able = new Set<string>();

function all(texts: Iterable<string>): number {
  const before = process.cpuUsage();
  for (const text of texts) {
    try {
      rival!.compile(text, variables)();
      able.add(text);
    } catch {
      // Counted below as not able.
    }
  }
  const {user, system} = process.cpuUsage(before);
  return user + system;
}

const texts = expressions.map(({text}) => text);
const cold = all(texts);
const known = [...able];
let warm = Number.POSITIVE_INFINITY;
for (let round = 0; round < warmRounds; round++) warm = Math.min(warm, all(known));
process.stdout.write(JSON.stringify({expressions: known.length, cold: cold / texts.length, warm: warm / known.length}));
