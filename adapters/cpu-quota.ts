import {readFileSync} from 'node:fs';

/** Cores that the process may use in the long run, as its control group (version 2) has it; `undefined`: no limit is known. */
export function cpuQuota(read: (file: string) => string = file => readFileSync(file, 'utf8')): number | undefined {
  try {
    const [, path] = /^0::(.*)$/m.exec(read('/proc/self/cgroup')) ?? [];
    if (path === undefined) return undefined;
    const [quota, period] = read(`/sys/fs/cgroup${path === '/' ? '' : path}/cpu.max`).trim().split(' ').map(Number);
    return quota !== undefined && period !== undefined && quota > 0 && period > 0 ? quota / period : undefined;
  } catch {
    // Another system, or one that hides it.
    return undefined;
  }
}
