import {describe, expect, test} from 'vitest';
import type {Value} from '../../../engine/cel/values/value.js';
import {seededRandom} from '../../../engine/json/testing/random.js';
import {randomExpression, randomObject} from '../../cel/random-expressions.js';
import {canonical, canonicalOwn} from '../../cel/rival-values.js';
import {celJs, marcbachmann, own, type Rival} from '../../cel/rivals.js';

const seed = Number(process.env['CEL_SEED'] ?? 20_260);
const count = 1_000;
const variables = {object: randomObject};

function outcome(rival: Rival, text: string): {readonly value: unknown} | {readonly error: string} {
  try {
    return {value: rival.compile(text, variables)()};
  } catch (error) {
    return {error: error instanceof Error ? error.message : String(error)};
  }
}

/** Expressions on which the two differ, of those that the other can do. */
function differences(other: Rival, exact: boolean): {readonly compared: number; readonly differing: readonly string[]} {
  const stream = seededRandom(seed);
  const random = (below: number): number => Math.floor(stream() * below);
  const differing: string[] = [];
  let compared = 0;
  for (let index = 0; index < count; index++) {
    const text = randomExpression(random, (['bool', 'int', 'string', 'list'] as const)[index % 4]!);
    const theirs = outcome(other, text);
    if ('error' in theirs) continue;
    compared++;
    const ours = outcome(own, text);
    if ('error' in ours) differing.push(`${text}: ${ours.error}`);
    else if (canonicalOwn(ours.value as Value, exact) !== canonical(theirs.value, exact)) {
      differing.push(`${text}: ${canonicalOwn(ours.value as Value, exact)}, theirs ${canonical(theirs.value, exact)}`);
    }
  }
  console.log(`seed ${seed}: ${compared} of ${count} random expressions compared with ${other.name}`);
  return {compared, differing};
}

describe('random expressions of plain CEL come out as elsewhere', () => {
  test('cel-js, as far as it can do them', () => {
    const {compared, differing} = differences(celJs, false);
    expect(differing).toEqual([]);
    expect(compared).toBeGreaterThan(count / 2);
  });

  test('@marcbachmann/cel-js', () => {
    const {compared, differing} = differences(marcbachmann, false);
    expect(differing).toEqual([]);
    expect(compared).toBeGreaterThan(count / 2);
  });
});
