import {spawn} from 'node:child_process';
import {dirname, join} from 'node:path';
import type {Cluster} from '../../cluster/cluster.js';
import {eventually} from '../../cluster/eventually.js';

export interface ShellResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** Commands as a person types them, with the cluster's kubectl and kubeconfig. */
export interface Shell {
  run(command: string, env?: Readonly<Record<string, string>>): Promise<ShellResult>;
  /** Starts a command that does not end by itself, runs `meanwhile`, and ends it once `done` holds of its output. */
  watch(command: string, meanwhile: () => Promise<void>, done: (output: string) => boolean): Promise<ShellResult>;
}

export function createShell(cluster: Cluster): Shell {
  const base = {
    PATH: `${dirname(cluster.programs.kubectl)}:${process.env['PATH']}`,
    HOME: join(cluster.dir, 'home'),
    KUBECONFIG: cluster.kubeconfig,
  };
  function start(command: string, env: Readonly<Record<string, string>>) {
    // Through a pipe grep would hold its lines back, which it does not on a terminal.
    const child = spawn('stdbuf', ['-oL', 'bash', '-c', command], {
      env: {...base, ...env},
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const output = {stdout: '', stderr: ''};
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8');
      child[stream].on('data', (chunk: string) => {
        output[stream] += chunk;
      });
    }
    const ended = new Promise<ShellResult>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', code => resolve({...output, code: code ?? 128}));
    });
    return {child, output, ended};
  }
  return {
    run: (command, env = {}) => start(command, env).ended,
    async watch(command, meanwhile, done) {
      const {child, output, ended} = start(command, {});
      try {
        await meanwhile();
        await eventually(() => done(output.stdout), {what: `output of: ${command}`});
      } finally {
        if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
        await ended;
      }
      return {...output, code: 0};
    },
  };
}
