import {readFileSync} from 'node:fs';

/** A process, told apart from a later one with the same number by its start time. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot, as text (field 22 of /proc/PID/stat). */
  readonly start: string;
}

/** Start time of the process, or undefined when there is none. */
export function processStart(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The command name in parentheses may hold spaces; fields are counted after its end.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? undefined : fields[19];
}

/** Whether that very process still runs. */
export function isSameProcess(identity: ProcessIdentity): boolean {
  return processStart(identity.pid) === identity.start;
}
