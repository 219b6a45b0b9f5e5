import {type ChildProcess, spawn} from 'node:child_process';
import {closeSync, openSync} from 'node:fs';
import {constants} from 'node:os';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {killGroup, type Supervisor} from '../supervisor.js';
import {expand} from './environment.js';
import {runHandler} from './probe.js';
import {runProbes} from './prober.js';
import type {Container, ContainerState, ContainerView, Terminated} from './types.js';

export interface ContainerRunnerOptions {
  readonly container: Container;
  /** When to start it again: never for an init container that succeeded. */
  readonly restart: 'Always' | 'OnFailure' | 'Never';
  /** Command line for the container, without its args; throws when there is none. */
  readonly argvPrefix: (container: Container) => readonly string[];
  readonly environment: () => Promise<Record<string, string>>;
  readonly resolvePort: (port: number | string) => number;
  /** Address of the Pod. */
  readonly host: string;
  /** The command line that runs a command inside the container. */
  readonly wrap: (argv: readonly string[]) => readonly string[];
  readonly cwd: string;
  /** Folder for the logs. */
  readonly dir: string;
  readonly supervisor: Supervisor;
  readonly onChange: () => void;
}

/** Keeps one container of a Pod running as a local process. */
export interface ContainerRunner {
  readonly view: ContainerView;
  /** Log of the running (or last) process and of the one before. */
  readonly logs: {readonly current: string | undefined; readonly previous: string | undefined};
  /** Resolves when it ended for good, with its last exit code. */
  run(): Promise<number>;
  /** preStop hook, SIGTERM, after the grace period SIGKILL. */
  stop(graceMs: number): Promise<void>;
}

const firstBackoffMs = 200;
const longestBackoffMs = 5000;
/** A process that lived this long starts the backoff anew. */
const healthyAfterMs = 10_000;

export function createContainerRunner(options: ContainerRunnerOptions): ContainerRunner {
  const {container, supervisor, onChange, resolvePort, host, wrap, cwd} = options;
  const stopping = new AbortController();
  const logs: string[] = [];
  let state: ContainerState = {waiting: {reason: 'ContainerCreating'}};
  let lastTerminated: Terminated | undefined;
  let child: ChildProcess | undefined;
  let env: Record<string, string> = {};
  let started = false;
  let ready = false;
  let restarts = 0;
  let finished = false;
  let running: Promise<number> | undefined;

  function become(next: ContainerState): void {
    state = next;
    onChange();
  }

  /** One process from start to end. */
  async function runOnce(): Promise<Terminated> {
    env = await options.environment();
    const argv = wrap([...options.argvPrefix(container), ...(container.args ?? []).map(arg => expand(arg, env))]);
    const log = join(options.dir, `${container.name}-${restarts}.log`);
    const output = openSync(log, 'a');
    const startedAt = now();
    const probing = new AbortController();
    const spawned = spawn(argv[0] ?? '', argv.slice(1), {env, cwd, detached: true, stdio: ['ignore', output, output]});
    closeSync(output);
    logs.push(log);
    const ended = new Promise<{code: number | null; signal: NodeJS.Signals | null}>((resolve, reject) => {
      spawned.once('error', reject);
      spawned.once('exit', (code, signal) => resolve({code, signal}));
    });
    supervisor.add(spawned);
    child = spawned;
    if (spawned.pid !== undefined) become({running: {startedAt}});
    void runProbes({
      container,
      context: {resolvePort, host, wrap, env, cwd},
      signal: probing.signal,
      onStarted() {
        started = true;
        onChange();
      },
      onReady(value) {
        ready = value;
        onChange();
      },
      onDead() {
        end(spawned, 'SIGTERM');
        setTimeout(() => spawned === child && end(spawned, 'SIGKILL'), 5000).unref();
      },
    });
    try {
      const {code, signal} = await ended;
      const number = signal === null ? undefined : constants.signals[signal];
      const exitCode = code ?? 128 + (number ?? 0);
      const reason = exitCode === 0 ? 'Completed' : 'Error';
      return {exitCode, ...(number === undefined ? {} : {signal: number}), reason, startedAt, finishedAt: now()};
    } finally {
      probing.abort();
      // What the process left behind in its group goes too.
      end(spawned, 'SIGKILL');
      supervisor.remove(spawned);
      child = undefined;
      started = false;
      ready = false;
    }
  }

  async function run(): Promise<number> {
    let backoff = firstBackoffMs;
    for (;;) {
      const begun = Date.now();
      try {
        lastTerminated = await runOnce();
        const {exitCode} = lastTerminated;
        const again = options.restart === 'Always' || (options.restart === 'OnFailure' && exitCode !== 0);
        if (stopping.signal.aborted || !again) return finish(exitCode, {terminated: lastTerminated});
        become({waiting: {reason: 'CrashLoopBackOff', message: `exit code ${exitCode}`}});
        restarts++;
      } catch (error) {
        const waiting = {reason: 'CreateContainerConfigError', message: (error as Error).message};
        if (stopping.signal.aborted) return finish(1, {waiting});
        become({waiting});
      }
      if (Date.now() - begun > healthyAfterMs) backoff = firstBackoffMs;
      await delay(backoff, undefined, {signal: stopping.signal}).catch(() => undefined);
      if (stopping.signal.aborted) return finish(lastTerminated?.exitCode ?? 0, state);
      backoff = Math.min(2 * backoff, longestBackoffMs);
    }
  }

  function finish(exitCode: number, last: ContainerState): number {
    finished = true;
    become(last);
    return exitCode;
  }

  return {
    get view() {
      const lastState = 'terminated' in state || lastTerminated === undefined ? {} : {terminated: lastTerminated};
      const {name, image} = container;
      return {name, image, state, lastState, restartCount: restarts, started, ready, pid: child?.pid, finished};
    },
    get logs() {
      return {current: logs.at(-1), previous: logs.at(-2)};
    },
    run() {
      running ??= run();
      return running;
    },
    async stop(graceMs) {
      const kill = setTimeout(() => child && end(child, 'SIGKILL'), graceMs);
      stopping.abort();
      const hook = container.lifecycle?.preStop;
      if (hook && child && graceMs > 0) {
        // A failing hook does not keep the container from being ended.
        await runHandler(hook, {timeoutMs: graceMs, resolvePort, host, wrap, env, cwd}).catch(() => undefined);
      }
      // Like a container's first process, only the leader is asked to end.
      child?.kill('SIGTERM');
      await running;
      clearTimeout(kill);
    },
  };
}

function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  if (signal === 'SIGTERM') child.kill('SIGTERM');
  else killGroup(child.pid, 'SIGKILL');
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}
