import {mkdtemp, readFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {repository, run} from './support/serve-process.js';

async function kyverno(...words: readonly string[]) {
  const {code, ...written} = await run(words, {...process.env, NO_COLOR: '1'});
  return {status: code, ...written};
}

const golden = 'test/golden/explain';
const bench = ['--resource', 'cli/bench/testdata/pod.yaml', '--iterations', '300', '--warmup', '100', '--rounds', '3'];

describe('explain, in the bundle', () => {
  it('writes what the golden file says, and ends with 0 although the rule fails', async () => {
    const {status, stdout} = await kyverno(
      'explain',
      `${golden}/pattern-anchors/policy.yaml`,
      `${golden}/pattern-anchors/resource.yaml`,
    );
    expect(status).toBe(0);
    expect(stdout).toBe(await readFile(join(repository, golden, 'pattern-anchors', 'want.txt'), 'utf8'));
  });

  it.each([
    [['explain', 'absent.yaml', `${golden}/generate/resource.yaml`], 'no such file'],
    [['explain', `${golden}/generate/policy.yaml`, 'absent.yaml'], 'no such file'],
    [['explain', `${golden}/generate/policy.yaml`, `${golden}/generate/resource.yaml`, '--rule', 'x'], 'no rule x'],
    [['explain', `${golden}/generate/resource.yaml`, `${golden}/generate/resource.yaml`], 'policy type not supported'],
  ])('%j ends with 1', async (words, why) => {
    const {status, stderr} = await kyverno(...words);
    expect(status).toBe(1);
    expect(stderr).toContain(why);
  });
});

describe('test --coverage, in the bundle', () => {
  it.each([
    [['--coverage'], 0],
    [['--coverage', '--coverage-min', '85'], 0],
    [['--coverage-min', '86%'], 1],
    [['--coverage-min', 'most'], 1],
  ])('%j ends with %i', async (flags, status) => {
    expect((await kyverno('test', 'cli/coverage/testdata', ...flags)).status).toBe(status);
  });
});

describe('bench, in the bundle', () => {
  it('ends with 1 on a planted slow-down and with 0 on the way back', async () => {
    const baseline = join(await mkdtemp(join(tmpdir(), 'bench-')), 'baseline.json');
    expect((await kyverno('bench', 'cli/bench/testdata/policy.yaml', ...bench, '--save', baseline)).status).toBe(0);
    const slower = await kyverno(
      'bench',
      'cli/bench/testdata/heavier.yaml',
      ...bench,
      '--compare',
      baseline,
      '--threshold',
      '20%',
    );
    expect(slower.status).toBe(1);
    expect(slower.stderr).toContain('slower than the baseline');
    expect((await kyverno('bench', 'cli/bench/testdata/heavier.yaml', ...bench, '--save', baseline)).status).toBe(0);
    expect((await kyverno('bench', 'cli/bench/testdata/policy.yaml', ...bench, '--compare', baseline)).status).toBe(0);
  });

  it('ends with 1 without a resource', async () =>
    expect((await kyverno('bench', 'cli/bench/testdata/policy.yaml')).status).toBe(1));
});

describe('lint, in the bundle', () => {
  it.each([
    [['faulty.yaml'], 1],
    [['doubtful.yaml'], 0],
    [['doubtful.yaml', '--fail-on', 'warning'], 1],
    [['clean.yaml', '--fail-on', 'info'], 0],
    [['absent.yaml'], 1],
    [['faulty.yaml', '--fail-on', 'never', '-o', 'sarif'], 0],
  ])('%j ends with %i', async ([file = '', ...flags], status) => {
    expect((await kyverno('lint', `cli/lint/testdata/${file}`, ...flags)).status).toBe(status);
  });
});
