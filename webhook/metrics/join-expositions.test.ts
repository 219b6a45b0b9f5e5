import {describe, expect, it} from 'vitest';
import {joinCounts, joinExpositions} from './join-expositions.js';

async function join(parts: readonly string[], other: string): Promise<string> {
  let text = '';
  for await (const part of joinExpositions(partsOf(parts), other)) text += part;
  return text;
}

async function* partsOf(parts: readonly string[]) {
  yield* parts;
}

const counter = (name: string, ...samples: string[]) => [`# HELP ${name} h`, `# TYPE ${name} counter`, ...samples, ''].join('\n');
const gauge = (name: string, ...samples: string[]) => [`# HELP ${name} h`, `# TYPE ${name} gauge`, ...samples, ''].join('\n');

describe('two expositions as one', () => {
  it('sums counters of equal labels, and keeps each other series in its metric', async () => {
    const own = [`${counter('a_total', 'a_total{kind="x y"} 2', 'a_total{kind="z"} 1')}\n`, `${counter('b_total', 'b_total 5')}\n`];
    expect(await join(own, `${counter('a_total', 'a_total{kind="x y"} 3', 'a_total{kind="w"} 7')}\n`)).toBe(
      `${counter('a_total', 'a_total{kind="x y"} 5', 'a_total{kind="z"} 1', 'a_total{kind="w"} 7')}\n${counter('b_total', 'b_total 5')}\n`,
    );
  });

  it('takes the first of two gauges', async () => {
    expect(await join([`${gauge('g', 'g{of="a"} 1')}\n`], gauge('g', 'g{of="a"} 2', 'g{of="b"} 3'))).toContain('g{of="a"} 1\ng{of="b"} 3\n');
  });

  it('shows metrics that only the other one has', async () => {
    const text = await join([`${counter('a_total', 'a_total 1')}\n`], `${counter('c_total', 'c_total 4')}\n`);
    expect(text).toContain('a_total 1\n');
    expect(text).toContain('# TYPE c_total counter\nc_total 4\n');
  });

  it('does not depend on where parts end', async () => {
    const own = `${counter('a_total', 'a_total{kind="x"} 2', 'a_total{kind="z"} 1')}\n${gauge('g', 'g 1')}\n`;
    const other = `${counter('a_total', 'a_total{kind="z"} 3')}\n${gauge('h', 'h 2')}\n`;
    const whole = await join([own], other);
    for (let at = 1; at < own.length; at += 1) expect(await join([own.slice(0, at), own.slice(at)], other)).toBe(whole);
  });

  it('is the first one where the other is empty', async () => {
    expect(await join(['# HELP a h\n# TYPE a gauge\na 1\n'], '')).toBe('# HELP a h\n# TYPE a gauge\na 1\n');
  });
});

describe('what a thread counted before it ended', () => {
  it('is kept, without its gauges', () => {
    const ended = joinCounts('', `${counter('a_total', 'a_total{kind="x"} 3', 'a_total{kind="y"} 1')}\n${gauge('g', 'g 7')}\n`);
    const both = joinCounts(ended, `${counter('a_total', 'a_total{kind="x"} 2')}\n${gauge('g', 'g 9')}\n`);
    expect(both.trim()).toBe(counter('a_total', 'a_total{kind="x"} 5', 'a_total{kind="y"} 1').trim());
  });
});
