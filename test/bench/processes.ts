import {type ChildProcess, execFileSync, fork, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import type {LoadOrder, LoadResult} from './client.js';

/** Clock ticks of /proc per second; Linux has 100 on every architecture that Node runs on. */
const ticks = 100;

/** CPU seconds (user and system, all threads) that a process has used. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticks;
}

export function rssMiB(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(match?.[1]) / 1024;
}

export interface BenchServer {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts a server and waits for the line that says where it listens. */
export async function startServer(args: readonly string[]): Promise<BenchServer> {
  const child = spawn(process.execPath, args, {stdio: ['ignore', 'pipe', 'pipe']});
  const {stdout, stderr} = child;
  if (stdout === null || stderr === null || child.pid === undefined) throw new Error(`cannot start ${args.join(' ')}`);
  let errors = '';
  stderr.on('data', chunk => {
    errors = (errors + chunk).slice(-4000);
  });
  const port = await new Promise<number>((resolve, reject) => {
    let text = '';
    stdout.on('data', chunk => {
      if (text.length > 100_000) return;
      text += chunk;
      const match = /https:\/\/127\.0\.0\.1:(\d+)/.exec(text);
      if (match !== null) resolve(Number(match[1]));
    });
    child.once('exit', code => reject(new Error(`${args.join(' ')} ended with ${code}: ${errors}`)));
  });
  return {pid: child.pid, port, stop: () => end(child)};
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
  await exit;
  clearTimeout(timer);
}

export interface LoadClient {
  run(order: LoadOrder): Promise<LoadResult>;
  stop(): void;
}

export function startClient(file: string): LoadClient {
  const child = fork(file, [], {execArgv: []});
  return {
    async run(order) {
      const answer = once(child, 'message') as Promise<[{result?: LoadResult; error?: string}]>;
      child.send(order);
      const [{result, error}] = await answer;
      if (result === undefined) throw new Error(`load failed: ${error}`);
      return result;
    },
    stop: () => child.disconnect(),
  };
}

/** CPU seconds of one start of Node that does nothing: the mean over `times` of them in one shell. */
export function emptyNodeCpu(times: number): number {
  const script = `TIMEFORMAT='%3U %3S'; time for i in $(seq ${times}); do ${JSON.stringify(process.execPath)} -e 0; done`;
  const text = execFileSync('bash', ['-c', `{ ${script}; } 2>&1`], {encoding: 'utf8'});
  const [user = 0, system = 0] = text.trim().split(' ').map(Number);
  return (user + system) / times;
}
