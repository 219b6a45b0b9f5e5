import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Cluster} from '../cluster/cluster.js';

/** A control plane is on machines of its own: one core for it and for what measures, the other one for the replica and for whoever asks it. */
export const cores = {controlPlane: '0', replica: '1'} as const;

export function pin(pid: number, core: string): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', core, String(pid)], {stdio: 'ignore'});
}

/** Keeps the control plane and this process off the replica's core. */
export function keepApart({dir}: Pick<Cluster, 'dir'>): void {
  const {children} = JSON.parse(readFileSync(join(dir, 'pids.json'), 'utf8')) as {readonly children: ReadonlyArray<{readonly pid: number}>};
  for (const {pid} of children) pin(pid, cores.controlPlane);
  pin(process.pid, cores.controlPlane);
}
