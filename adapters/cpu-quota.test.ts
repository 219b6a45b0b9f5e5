import {expect, it} from 'vitest';
import {cpuQuota} from './cpu-quota.js';

const files = (content: Readonly<Record<string, string>>) => (file: string) => {
  const text = content[file];
  if (text === undefined) throw new Error(`ENOENT: ${file}`);
  return text;
};

it.each([
  ['in a container', {'/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': '50000 100000\n'}, 0.5],
  ['in a group of the node', {'/proc/self/cgroup': '1:name=systemd:/x\n0::/kubepods/a\n', '/sys/fs/cgroup/kubepods/a/cpu.max': '200000 100000\n'}, 2],
  ['without a limit', {'/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/cpu.max': 'max 100000\n'}, undefined],
  ['of the older version', {'/proc/self/cgroup': '4:cpu,cpuacct:/x\n0::/\n', '/sys/fs/cgroup/cpu/x/cpu.cfs_quota_us': '50000\n', '/sys/fs/cgroup/cpu/x/cpu.cfs_period_us': '100000\n'}, 0.5],
  ['of the older version, without a limit', {'/proc/self/cgroup': '4:cpu:/\n', '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n', '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n'}, undefined],
  ['of the older version, unseen', {'/proc/self/cgroup': '4:cpu:/x\n'}, undefined],
  ['on another system', {}, undefined],
])('a limit of CPU is read %s', (_where, content, cores) => {
  expect(cpuQuota(files(content as Readonly<Record<string, string>>))).toBe(cores);
});
