import {cpus, loadavg, totalmem} from 'node:os';

/** What a reader needs to judge the figures. */
export function machineFacts(): string {
  const [first] = cpus();
  const load = loadavg()
    .map(value => value.toFixed(1))
    .join(' ');
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${first?.model.trim() || 'unknown CPU'}, ${cpus().length} cores, ${memory} GiB, Node ${process.version}, ${process.platform}/${process.arch}, load ${load}`;
}
