import {closeSync, fstatSync, openSync, readSync} from 'node:fs';
import type {NodeAgent} from '../../cluster/node-agent.js';

export interface LogEntry {
  readonly message: string;
  readonly [field: string]: unknown;
}

export interface LogReader {
  /** Every entry that a replica has logged so far (JSON format), in order of each replica. */
  entries(): readonly LogEntry[];
}

/** Reads the replicas' JSON logs, each byte once. */
export function createLogReader(agent: NodeAgent): LogReader {
  const seen: LogEntry[] = [];
  const files = new Map<string, {offset: number}>();
  return {
    entries() {
      for (const {logFile} of agent.replicas()) {
        if (logFile === undefined) continue;
        const state = files.get(logFile) ?? {offset: 0};
        files.set(logFile, state);
        for (const line of readLines(logFile, state)) if (line.startsWith('{')) seen.push(JSON.parse(line) as LogEntry);
      }
      return seen;
    },
  };
}

/** Whole lines only: the last one may be torn in what is written so far. */
function readLines(path: string, state: {offset: number}): string[] {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(fstatSync(file).size - state.offset);
    const length = buffer.length === 0 ? 0 : readSync(file, buffer, 0, buffer.length, state.offset);
    const end = buffer.subarray(0, length).lastIndexOf(10) + 1;
    state.offset += end;
    return buffer.subarray(0, end).toString('utf8').split('\n');
  } finally {
    closeSync(file);
  }
}
