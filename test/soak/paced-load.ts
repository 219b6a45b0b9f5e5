import {fork} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {cores, pin} from './cores.js';
import type {LoadAnswer, LoadCommand, LoadMark, LoadOptions} from './load-messages.js';

export interface PacedLoad {
  /** Requests without an answer, or with another status than 200, from the start to the last mark. */
  failed(): number;
  mark(): Promise<LoadMark>;
  /** Ends it when what is under way was answered. */
  stop(): Promise<void>;
}

/** Sends one AdmissionReview after the other at an even rate, whatever the answers take, to a replica's own port; `apart`: on the replica's core. */
export function startLoad(options: LoadOptions, {apart = false}: {readonly apart?: boolean} = {}): PacedLoad {
  const sender = fork(join(import.meta.dirname, 'load-sender.ts'));
  if (apart && sender.pid !== undefined) pin(sender.pid, cores.replica);
  const ended = once(sender, 'exit');
  const waiting = new Map<number, {readonly resolve: (mark: LoadMark) => void; readonly reject: (error: Error) => void}>();
  let marks = 0;
  let failures = 0;
  sender.on('message', ({id, mark, failed}: LoadAnswer) => {
    failures = failed;
    waiting.get(id)?.resolve(mark);
    waiting.delete(id);
  });
  void ended.then(() => {
    for (const {reject} of waiting.values()) reject(new Error('the sender of the load has ended'));
    waiting.clear();
  });
  const tell = (command: LoadCommand) => void sender.send(command);
  const ask = (kind: 'mark' | 'stop'): Promise<LoadMark> =>
    new Promise((resolve, reject) => {
      marks += 1;
      waiting.set(marks, {resolve, reject});
      tell({kind, id: marks});
    });
  tell({kind: 'start', options});
  return {
    failed: () => failures,
    mark: () => ask('mark'),
    async stop() {
      await ask('stop');
      await ended;
    },
  };
}
