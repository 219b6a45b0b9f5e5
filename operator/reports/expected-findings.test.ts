import {describe, expect, it} from 'vitest';
import {ExpectedFindings} from './expected-findings.js';

describe('findings that are expected', () => {
  it('are so until the last work on the object is over', () => {
    const expected = new ExpectedFindings();
    const ended: string[] = [];
    expected.subscribe(uid => ended.push(uid));
    expected.expect('a', 'one');
    expected.expect('a', 'two');
    expected.expect('b', 'three');
    expected.over('one');
    expect([expected.has('a'), ended]).toEqual([true, []]);
    expected.over('two');
    expected.over('two');
    expect([expected.has('a'), expected.has('b'), ended]).toEqual([false, true, ['a']]);
    expected.clear();
    expect([expected.has('b'), ended]).toEqual([false, ['a', 'b']]);
  });

  it('are forgotten when there are too many, the oldest first', () => {
    const expected = new ExpectedFindings();
    for (let index = 0; index <= 10_000; index += 1) expected.expect(`uid-${index}`, `work-${index}`);
    expect([expected.has('uid-0'), expected.has('uid-1'), expected.has('uid-10000')]).toEqual([false, true, true]);
  });
});
