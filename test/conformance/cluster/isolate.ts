import {spawn, spawnSync} from 'node:child_process';

const mark = 'KYVERNO_CONFORMANCE_ISOLATED';

/**
 * Runs this program once more in a network namespace of its own, where port 443 is free and nothing leads outside, and
 * ends with its status. Returns at once inside one, or where the machine allows none: then the port must be free.
 */
export async function isolate(entry: string, args: readonly string[]): Promise<void> {
  if (process.env[mark] !== undefined) return;
  const flags = process.getuid?.() === 0 ? ['-n'] : ['-rn'];
  if (spawnSync('unshare', [...flags, 'ip', 'link', 'set', 'lo', 'up'], {stdio: 'ignore'}).status !== 0) return;
  const script = 'ip link set lo up && exec "$@"';
  const command = ['sh', '-c', script, 'sh', process.execPath, '--import', 'tsx', entry, ...args];
  const child = spawn('unshare', [...flags, ...command], {stdio: 'inherit', env: {...process.env, [mark]: '1'}});
  // The terminal signals both; what is sent to this process alone is passed on.
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => pass(signal));
  const code = await new Promise<number>((done, fail) => {
    child.once('error', fail);
    child.once('exit', (status, signal) => done(status ?? (signal === null ? 1 : 128)));
  });
  process.exit(code);
}
