import {describe, expect, it} from 'vitest';
import {Budget, defaultLimits} from '../budget.js';
import {seededRandom} from '../json/testing/random.js';
import type {Json, JsonObject} from '../json/types.js';
import {compilePattern} from '../pattern/index.js';
import {tracePattern} from './trace-pattern.js';
import type {ExplainNode} from './types.js';

const names = ['a', 'b', 'metadata', 'labels', 'list'];
const scalars: readonly Json[] = ['x', 'y', '', 0, 1, true, false, null];
const patterns: readonly Json[] = ['x', '?*', '*', '!x', '>0', 'x | y', '', 1, true, null, 'null'];
const wraps = ['k', 'k', 'k', '(k)', '=(k)', 'X(k)', '^(k)', '<(k)', '+(k)'];

class Source {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#random() * list.length)]!;
  }

  value(depth: number): Json {
    const kind = depth === 0 ? 0 : this.#random();
    if (kind < 0.3) return this.pick(scalars);
    if (kind < 0.55) return Array.from({length: Math.floor(this.#random() * 3)}, () => this.value(depth - 1));
    return this.#map(
      depth,
      () => this.pick(names),
      () => this.value(depth - 1),
    );
  }

  pattern(depth: number): Json {
    const kind = depth === 0 ? 0 : this.#random();
    if (kind < 0.3) return this.pick(patterns);
    if (kind < 0.55) return Array.from({length: 1 + Math.floor(this.#random() * 2)}, () => this.pattern(depth - 1));
    return this.#map(
      depth,
      () => this.pick(wraps).replace('k', this.pick([...names, 'l*'])),
      () => this.pattern(depth - 1),
    );
  }

  #map(_depth: number, key: () => string, value: () => Json): JsonObject {
    return Object.fromEntries(Array.from({length: Math.floor(this.#random() * 4)}, () => [key(), value()]));
  }
}

function flat(nodes: readonly ExplainNode[]): ExplainNode[] {
  return nodes.flatMap(node => [node, ...flat(node.children ?? [])]);
}

const budget = () => new Budget(defaultLimits, () => 0);

describe('a watched pattern', () => {
  const seen = new Set<string>();
  for (let group = 0; group < 8; group++) {
    it(`comes to what the unwatched one comes to, and shows where: random cases ${group}`, () => {
      for (let index = 0; index < 600; index++) {
        const source = new Source(group * 10_000 + index);
        const pattern = source.pattern(3);
        const resource = source.value(3);
        const wanted = compilePattern(pattern, 'p').match(resource, budget());
        const {result, children} = tracePattern(pattern, 'p', {resource, budget: budget()});
        expect(result, JSON.stringify({pattern, resource})).toEqual(wanted);
        seen.add(result.status);
        for (const {path} of flat(children)) expect(path.startsWith('p')).toBe(true);
      }
    });
  }

  it('which were of every outcome', () => expect([...seen].sort()).toEqual(['error', 'fail', 'pass', 'skip']));

  it('gives each element of a list its own place, equal ones too', () => {
    const {children} = tracePattern([{a: 'x'}], 'p', {resource: [{a: 'x'}, {a: 'x'}, {a: 'y'}], budget: budget()});
    expect(flat(children).map(({path, at, verdict}) => `${path} ${at} ${verdict}`)).toEqual([
      'p[0] /0 pass',
      'p[0].a /0/a pass',
      'p[0] /1 pass',
      'p[0].a /1/a pass',
      'p[0] /2 fail',
      'p[0].a /2/a fail',
    ]);
  });
});
