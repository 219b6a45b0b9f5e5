import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';
import type {KeylessAnswer} from './keyless.js';
import {imagesTool} from './programs.js';

/** An authority and a log of our own, as Fulcio and Rekor are reached by programs that sign. */
export interface Sigstore extends Omit<KeylessAnswer, 'signatures'> {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startSigstore(): Promise<Sigstore> {
  const child = spawn(await imagesTool(), ['sigstore'], {stdio: ['pipe', 'pipe', 'inherit']});
  const ended = new Promise<void>((done, fail) => child.once('error', fail).once('exit', () => done()));
  const lines = createInterface({input: child.stdout});
  const line = await Promise.race([new Promise<string>(done => lines.once('line', done)), ended]);
  if (line === undefined) throw new Error('authority and log ended before they served');
  return {
    ...(JSON.parse(line) as KeylessAnswer & {readonly url: string}),
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}
