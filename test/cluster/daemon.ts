import {type ChildProcess, spawn} from 'node:child_process';
import {closeSync, openSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {killGroup, type Supervisor} from './supervisor.js';

export interface DaemonOptions {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
}

/** A background program of the control plane; its output goes to `<dir>/<name>.log`. */
export interface Daemon {
  readonly pid: number;
  readonly logFile: string;
  /** Throws with the end of the log when the program is gone. */
  assertRunning(): void;
  signal(signal: NodeJS.Signals): void;
  /** SIGTERM, after `graceMs` SIGKILL; returns when it is gone. */
  stop(graceMs?: number): Promise<void>;
}

export function startDaemon(supervisor: Supervisor, {name, program, args}: DaemonOptions): Daemon {
  const logFile = join(supervisor.dir, `${name}.log`);
  const log = openSync(logFile, 'a');
  // Proxies and a foreign kubeconfig must not leak in: a cluster speaks to loopback only.
  const env = {PATH: process.env['PATH'], HOME: supervisor.dir};
  const child: ChildProcess = spawn(program, args, {
    detached: true,
    stdio: ['ignore', log, log],
    cwd: supervisor.dir,
    env,
  });
  closeSync(log);
  let failure: Error | undefined;
  const ended = new Promise<void>(resolve => {
    child.once('error', error => {
      failure = error;
      resolve();
    });
    child.once('exit', (code, signal) => {
      failure ??= new Error(`${name} ended with ${signal ?? code}`);
      supervisor.remove(child);
      resolve();
    });
  });
  supervisor.add(child);
  return {
    pid: child.pid ?? -1,
    logFile,
    assertRunning() {
      if (failure === undefined) return;
      throw new Error(`${failure.message}; end of ${logFile}:\n${tail(logFile)}`, {cause: failure});
    },
    signal(signal) {
      if (failure === undefined && child.pid !== undefined) killGroup(child.pid, signal);
    },
    async stop(graceMs = 5000) {
      this.signal('SIGTERM');
      const timer = setTimeout(() => this.signal('SIGKILL'), graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').split('\n').slice(-20).join('\n');
}
