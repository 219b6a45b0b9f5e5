import {existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {eventually} from '../cluster/eventually.js';

export interface Limits {
  readonly memoryMiB: number;
  /** Thousandths of a core. */
  readonly milliCpu: number;
}

/** Control groups of one process tree. */
export interface Confinement {
  /** In front of a command line: the process moves itself into the groups first. */
  readonly prefix: readonly string[];
  /** What the kernel counted: times that memory ran out, processes killed for it, periods cut short for CPU. */
  read(): {readonly memoryFailures: number; readonly killed: number; readonly throttled: number; readonly peakMiB: number};
  remove(): Promise<void>;
}

const root = '/sys/fs/cgroup';

/** Control groups with these limits (version 1 or 2); `undefined` where none can be made. */
export function confine(name: string, limits: Limits): Confinement | undefined {
  try {
    return existsSync(join(root, 'cgroup.controllers')) ? unified(name, limits) : split(name, limits);
  } catch {
    // Not root, or a read-only mount: the caller measures without limits and says so.
    return undefined;
  }
}

const period = 100_000;
const quota = ({milliCpu}: Limits) => Math.round((period * milliCpu) / 1000);
const bytes = ({memoryMiB}: Limits) => memoryMiB * 1024 * 1024;

function unified(name: string, limits: Limits): Confinement {
  const group = join(root, name);
  mkdirSync(group);
  set(group, 'memory.max', bytes(limits));
  set(group, 'cpu.max', `${quota(limits)} ${period}`);
  return confinement([group], () => ({
    memoryFailures: field(group, 'memory.events', 'max'),
    killed: field(group, 'memory.events', 'oom_kill'),
    throttled: field(group, 'cpu.stat', 'nr_throttled'),
    peakMiB: value(group, 'memory.peak') / 1024 / 1024,
  }));
}

function split(name: string, limits: Limits): Confinement {
  const memory = join(root, 'memory', name);
  const cpu = join(root, 'cpu', name);
  for (const group of [memory, cpu]) mkdirSync(group);
  set(memory, 'memory.limit_in_bytes', bytes(limits));
  set(cpu, 'cpu.cfs_period_us', period);
  set(cpu, 'cpu.cfs_quota_us', quota(limits));
  return confinement([memory, cpu], () => ({
    memoryFailures: value(memory, 'memory.failcnt'),
    killed: field(memory, 'memory.oom_control', 'oom_kill'),
    throttled: field(cpu, 'cpu.stat', 'nr_throttled'),
    peakMiB: value(memory, 'memory.max_usage_in_bytes') / 1024 / 1024,
  }));
}

function confinement(groups: readonly string[], read: Confinement['read']): Confinement {
  const moves = groups.map(group => `echo $$ > ${join(group, 'cgroup.procs')}`).join(' && ');
  return {
    prefix: ['/bin/sh', '-c', `${moves} && exec "$@"`, 'confined'],
    read,
    async remove() {
      // Empty only once the kernel has done away with the last process.
      for (const group of groups) await eventually(() => emptied(group), {what: `${group} removed`, timeoutMs: 30_000});
    },
  };
}

function emptied(group: string): boolean {
  rmdirSync(group);
  return true;
}

function set(group: string, file: string, content: string | number): void {
  writeFileSync(join(group, file), String(content));
}

function value(group: string, file: string): number {
  return Number(existsSync(join(group, file)) ? readFileSync(join(group, file), 'utf8') : 0);
}

function field(group: string, file: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(readFileSync(join(group, file), 'utf8'))?.[1] ?? 0);
}
