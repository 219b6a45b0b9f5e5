import {Registry} from 'prom-client';
import {describe, expect, it} from 'vitest';
import {createManualClock} from '../../adapters/clock/manual-clock.js';
import {createContests, maxEdits, restMs, windowMs} from './contests.js';

function setUp() {
  const clock = createManualClock();
  const registry = new Registry();
  const told: string[] = [];
  let changes = 0;
  const contests = createContests({clock, registry, onStart: name => void told.push(name), onChange: () => void (changes += 1)});
  return {clock, registry, told, contests, changes: () => changes};
}

describe('contests over webhook configurations', () => {
  it('answers a stated number of edits within a minute at once, and each later one after a rest', () => {
    const {clock, told, contests, changes} = setUp();
    for (let edit = 0; edit < maxEdits; edit += 1) expect(contests.edited('a')).toBe(0);
    expect([told, contests.contested, contests.conditions()]).toEqual([[], [], []]);
    expect(contests.edited('a')).toBe(0);
    expect([told, contests.contested, changes()]).toEqual([['a'], ['a'], 1]);
    expect(contests.conditions()).toMatchObject([{type: 'WebhookContested', status: 'True'}]);
    expect(contests.edited('a')).toBe(restMs);
    clock.advance(restMs);
    expect(contests.edited('a')).toBe(0);
    expect(told).toEqual(['a']);
  });

  it('forgets edits that are a minute old, and says when it is over', () => {
    const {clock, told, contests, changes} = setUp();
    for (let edit = 0; edit <= maxEdits; edit += 1) contests.edited('a');
    clock.advance(windowMs);
    expect([contests.contested, changes()]).toEqual([[], 2]);
    for (let edit = 0; edit < maxEdits; edit += 1) expect(contests.edited('a')).toBe(0);
    expect(told).toEqual(['a']);
  });

  it('counts each configuration by itself, and shows it in metrics', async () => {
    const {registry, contests} = setUp();
    for (let edit = 0; edit <= maxEdits; edit += 1) contests.edited('a');
    expect(contests.edited('b')).toBe(0);
    const text = await registry.metrics();
    expect(text).toContain(`kyverno_webhook_foreign_edits_total{configuration="a"} ${maxEdits + 1}`);
    expect(text).toContain('kyverno_webhook_contested{configuration="a"} 1');
    expect(text).not.toContain('kyverno_webhook_contested{configuration="b"}');
  });
});
