import {describe, expect, it} from 'vitest';
import {createLogger, type LogFormat} from './logger.js';

function capture(format: LogFormat, verbosity: number) {
  const lines: string[] = [];
  return {lines, log: createLogger({format, verbosity, write: line => lines.push(line)})};
}

describe('the log', () => {
  it('writes one JSON object per line with level, time and message', () => {
    const {lines, log} = capture('json', 2);
    log.info('policy cached', {policy: 'a', count: 2});
    expect(lines).toHaveLength(1);
    expect(lines[0]!.endsWith('\n')).toBe(true);
    const entry = JSON.parse(lines[0]!) as Record<string, unknown>;
    expect(entry).toMatchObject({level: 'info', message: 'policy cached', policy: 'a', count: 2});
    expect(Number.isNaN(Date.parse(String(entry['time'])))).toBe(false);
  });

  it('writes text as TIME LEVEL message key=value', () => {
    const {lines, log} = capture('text', 2);
    log.warn('policy refused', {policy: 'a', reason: 'two words', list: [1]});
    expect(lines[0]).toMatch(/^\S+Z WARN policy refused policy=a reason="two words" list=\[1\]\n$/);
  });

  it('keeps a message with line ends on one line', () => {
    const {lines, log} = capture('text', 2);
    log.info('one\ntwo');
    expect(lines[0]).toMatch(/INFO one two\n$/);
    log.info('a\u001b[2Kb\u2028c', {name: 'x\u001b[1A'});
    expect(lines[1]).toMatch(/INFO a \[2Kb c name="x\\u001b\[1A"\n$/);
  });

  it('only adds lines as verbosity rises', () => {
    const at = (verbosity: number) => {
      const {lines, log} = capture('text', verbosity);
      log.error('e');
      log.warn('w');
      log.info('i');
      for (const level of [1, 2, 3, 4, 5]) log.v(level, `v${level}`);
      return lines.map(line => line.split(' ')[2]!.trim());
    };
    expect(at(0)).toEqual(['e', 'w', 'i']);
    for (const verbosity of [1, 2, 3, 4, 5]) {
      expect(at(verbosity)).toEqual([...at(verbosity - 1), `v${verbosity}`]);
    }
  });

  it('carries a child’s fields on all its lines', () => {
    const {lines, log} = capture('json', 4);
    log.child({replica: 'r1'}).debug('step', {n: 1});
    expect(JSON.parse(lines[0]!)).toMatchObject({level: 'debug', replica: 'r1', n: 1, v: 4, message: 'step'});
  });

  it('shows an error by its text', () => {
    const {lines, log} = capture('json', 0);
    log.error('watch failed', {error: new Error('gone')});
    expect(JSON.parse(lines[0]!)).toMatchObject({error: 'gone'});
  });
});
