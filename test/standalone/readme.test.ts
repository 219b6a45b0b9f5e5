import {type ChildProcess, spawn} from 'node:child_process';
import {existsSync, readFileSync, statSync} from 'node:fs';
import {mkdir, readdir, symlink} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {readmeBlocks, readmeCommands, readmePath} from '../guide/readme-blocks.js';
import {repository, temporaryFolder} from './support/serve-process.js';

/** Blocks whose commands run here, and those that test/e2e/readme.test.ts runs on a control plane. */
const here = ['start', 'own folder', 'edit', 'command', 'test'];
const onCluster = ['install', 'first policy', 'denied', 'allowed', 'dry run', 'operator', 'cluster', 'break glass'];

interface Shell {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

const running: ChildProcess[] = [];
/** A folder that looks like a fresh clone; what commands write into it stays out of the repository. */
let clone: string;

beforeAll(async () => {
  clone = join(await temporaryFolder(), 'kyverno-ts');
  await mkdir(clone);
  for (const name of await readdir(repository)) {
    if (name !== '.git') await symlink(join(repository, name), join(clone, name));
  }
});

afterEach(async () => {
  for (const child of running.splice(0)) await end(child);
});

afterAll(() => {
  expect(running).toEqual([]);
});

/** Runs shell commands in the clone. */
function shell(commands: string): Shell {
  const child = spawn('bash', ['-euc', commands], {
    cwd: clone,
    detached: true,
    env: {...process.env, XDG_CACHE_HOME: join(clone, '.home-cache')},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return {child, stdout: () => stdout, stderr: () => stderr};
}

async function finished({child, stdout, stderr}: Shell): Promise<string> {
  const code = child.exitCode ?? (await new Promise(done => child.once('close', done)));
  if (code !== 0) throw new Error(`ended with ${code}: ${stderr()}`);
  return stdout();
}

/** Interrupts the whole group, as Ctrl-C does. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = new Promise(done => child.once('close', done));
  process.kill(-child.pid!, 'SIGINT');
  await closed;
}

async function listening({child, stdout, stderr}: Shell): Promise<Record<'denied' | 'allowed' | 'patched', string>> {
  await eventually(() => /\npatched:\n.*\n/.test(stdout()), {
    what: 'server listens',
    assertPossible() {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${stderr()}`);
    },
  });
  const [denied = '', allowed = '', patched = ''] = [...stdout().matchAll(/^ {2}(curl .*)$/gm)].map(
    ([, line]) => line!,
  );
  return {denied, allowed, patched};
}

async function answer(curl: string): Promise<Record<string, unknown>> {
  const review = JSON.parse(await finished(shell(curl))) as {response: Record<string, unknown>};
  return review.response;
}

/** Free ports in place of the usual ones, which a developer's own server may hold. */
function onFreePorts(commands: string): string {
  return commands.replace(/npm start(?: --)?/, 'npm start -- --port 0 --metrics-port 0');
}

describe('README', () => {
  it('has only shell blocks that a test runs', () => {
    const names = readmeBlocks()
      .filter(block => block.language === 'sh')
      .map(block => block.name);
    expect([...names].sort()).toEqual([...here, ...onCluster].sort());
  });

  it('sets everything up with two commands, which CI runs as they stand', () => {
    expect(readmeCommands('start')).toBe('npm ci && npm start');
    expect(readmeCommands('test')).toBe('npm ci && npm test');
    // Not run again from within a test: this very run was started by them.
    const ci = readFileSync(join(repository, '.ci/run'), 'utf8');
    expect(ci).toMatch(/^npm ci\nnpm test$/m);
  });

  it('shows policies as they are in the samples', () => {
    const block = readmeBlocks().find(({language}) => language === 'yaml');
    expect(`${block?.text}\n`).toBe(
      readFileSync(join(repository, 'docs/samples/policies/require-app-label.yaml'), 'utf8'),
    );
  });

  it('links to files that exist', () => {
    const text = readFileSync(readmePath, 'utf8');
    const links = [...text.matchAll(/\]\((?!https:)([^)#]+)\)/g)].map(([, target]) => target!);
    expect(links.length).toBeGreaterThan(20);
    for (const link of links) expect(existsSync(join(dirname(readmePath), link)), link).toBe(true);
  });
});

describe('the first command of the README', () => {
  it('serves: what it prints is true, the three curls do what they say, editing a file flips the first', async () => {
    const start = shell(onFreePorts(readmeCommands('start').replace('npm ci && ', '')));
    const curls = await listening(start);
    expect(start.stdout()).toMatch(
      /^kyverno \d+\.\d+\.\d+ serves admission on https:\/\/127\.0\.0\.1:\d+, policies of \/.*docs\/samples\/policies$/m,
    );
    await eventually(() => /2 loaded, 0 refused/.test(start.stderr()), {what: 'report'});
    expect(start.stderr()).toContain('loaded ClusterPolicy/require-app-label (3 rules)');
    expect(start.stderr()).toContain('loaded ClusterPolicy/pull-latest-always (3 rules)');

    const denied = await answer(curls.denied);
    expect(denied).toMatchObject({allowed: false});
    const shown = readmeBlocks().find(({text}) => text.startsWith('resource Pod/default/web was blocked'));
    const message = (denied['status'] as {message: string}).message;
    expect(oneLine(message)).toBe(oneLine(shown?.text ?? ''));

    expect(await answer(curls.allowed)).toMatchObject({allowed: true});
    const patched = await answer(curls.patched);
    expect(patched).toMatchObject({allowed: true, patchType: 'JSONPatch'});
    expect(JSON.parse(Buffer.from(String(patched['patch']), 'base64').toString('utf8'))).toEqual([
      {op: 'add', path: '/spec/containers/0/imagePullPolicy', value: 'Always'},
    ]);
  });

  it('prints what the README shows', async () => {
    const start = shell(onFreePorts('npm start'));
    await listening(start);
    const shown = readmeBlocks().find(({text}) => text.startsWith('kyverno '))?.text ?? '';
    const real = start
      .stdout()
      .slice(start.stdout().search(/^kyverno \d/m))
      .trimEnd()
      .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:9443')
      .replace(/policies of .*\/docs/, 'policies of …/docs')
      .replaceAll(/--cacert \S+ -H 'Content-Type: application\/json'/g, '--cacert …');
    expect(real).toBe(shown);
  });

  it('serves a folder of one’s own, and sees it change', async () => {
    const start = shell(onFreePorts(readmeCommands('own folder')));
    const curls = await listening(start);
    expect(statSync(join(clone, 'my-policies')).isDirectory()).toBe(true);
    expect(await answer(curls.denied)).toMatchObject({allowed: false});
    const before = start.stderr().length;
    await finished(shell(readmeCommands('edit')));
    await eventually(() => start.stderr().slice(before).includes('2 loaded, 0 refused'), {what: 'reload'});
    expect(await answer(curls.denied)).toMatchObject({allowed: true});
    await finished(shell(readmeCommands('edit').replace('Enforce/Audit', 'Audit/Enforce')));
    await eventually(async () => (await answer(curls.denied))['allowed'] === false, {what: 'refused again'});
  });
});

describe('the command of the README', () => {
  it('tests and explains', async () => {
    const output = await finished(shell(readmeCommands('command')));
    expect(output).toContain('2 tests passed and 0 tests failed');
    expect(output).toContain('=> fail (Enforce): validation error: label app is required.');
  });
});

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
