import {readFileSync} from 'node:fs';

/** Cores that the process may use in the long run, as its control group has it; `undefined`: no limit is known. */
export function cpuQuota(read: (file: string) => string = file => readFileSync(file, 'utf8')): number | undefined {
  try {
    const groups = read('/proc/self/cgroup');
    return ofVersion2(groups, read) ?? ofVersion1(groups, read);
  } catch {
    // Another system, or one that hides it.
    return undefined;
  }
}

type Read = (file: string) => string;

function ofVersion2(groups: string, read: Read): number | undefined {
  const folder = folderOf(/^0::(.*)$/m.exec(groups), '/sys/fs/cgroup');
  const text = folder === undefined ? undefined : readIfThere(read, `${folder}/cpu.max`);
  const [quota = '', period = ''] = text?.trim().split(' ') ?? [];
  return coresOf(Number(quota), Number(period));
}

/** On older nodes, where the other version may be mounted beside it without the controller. */
function ofVersion1(groups: string, read: Read): number | undefined {
  const folder = folderOf(/^\d+:(?:[^:]*,)?cpu(?:,[^:]*)?:(.*)$/m.exec(groups), '/sys/fs/cgroup/cpu');
  if (folder === undefined) return undefined;
  return coresOf(Number(readIfThere(read, `${folder}/cpu.cfs_quota_us`)), Number(readIfThere(read, `${folder}/cpu.cfs_period_us`)));
}

function folderOf(match: RegExpExecArray | null, root: string): string | undefined {
  const path = match?.[1];
  return path === undefined ? undefined : `${root}${path === '/' ? '' : path}`;
}

function readIfThere(read: Read, file: string): string | undefined {
  try {
    return read(file);
  } catch {
    return undefined;
  }
}

/** `max`, or -1 in the older version: no limit. */
function coresOf(quota: number, period: number): number | undefined {
  return quota > 0 && period > 0 ? quota / period : undefined;
}
