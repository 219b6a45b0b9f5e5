import {describe, expect, it} from 'vitest';
import {policy, podReview, rule, scriptedEngine, settle, startHarness, type HarnessOptions} from './testing/harness.js';

async function linesOf(options: HarnessOptions, path = '/validate/fail', body = podReview()): Promise<string[]> {
  const harness = await startHarness(options);
  await harness.review(path, body);
  await settle();
  await harness.close();
  return harness.lines;
}
const engineWith = (...results: Parameters<typeof policy>[]) =>
  scriptedEngine({
    validate: (_request, {bucket}) => ({results: bucket === 'enforce' ? results.map(given => policy(...given)) : []}),
  });

describe('log lines', () => {
  it('a refusal is one line with the request, the requester, and every policy, rule and message', async () => {
    const engine = engineWith(
      ['require-labels', [rule('check', {status: 'fail', message: 'no app'})]],
      ['limits', [rule('cpu', {status: 'error', message: 'no such key'}), rule('memory')]],
    );
    const lines = (await linesOf({engine})).filter(line => /webhook denied/.test(line));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(
      'webhook denied the request: CREATE Pod shop/web failed: require-labels/check fail: no app; limits/cpu error: no such key',
    );
    expect(lines[0]).toContain('user=alice');
    expect(lines[0]).not.toContain('memory');
  });

  it('a refusal by a layer is one line too', async () => {
    const filters = () => ({excludesUser: () => false, excludesResource: () => false, protects: () => true});
    const lines = await linesOf({filters});
    expect(lines.filter(line => /failed/.test(line))).toHaveLength(1);
  });

  it('a healthy quiet server prints no line with failed or error', async () => {
    const lines = await linesOf({engine: engineWith(['p', [rule('r')]]), verbosity: 2});
    expect(lines.filter(line => /failed|error/i.test(line))).toEqual([]);
  });

  it('from verbosity 4 on every rule’s verdict is a line', async () => {
    const engine = engineWith(['p', [rule('r'), rule('s', {status: 'skip'})]]);
    const lines = await linesOf({engine, verbosity: 4});
    expect(lines.some(line => line.includes('rule p/r pass on CREATE Pod shop/web'))).toBe(true);
    expect(lines.some(line => line.includes('rule p/s skip on CREATE Pod shop/web'))).toBe(true);
    expect((await linesOf({engine, verbosity: 3})).some(line => line.includes('rule p/r'))).toBe(false);
  });

  it('a long message is cut', async () => {
    const engine = engineWith(['p', [rule('r', {status: 'fail', message: 'x'.repeat(5000)})]]);
    const line = (await linesOf({engine})).find(text => text.includes('webhook denied'))!;
    expect(line.length).toBeLessThan(2300);
  });
});
