import {Agent, request} from 'node:https';
import {setTimeout as delay} from 'node:timers/promises';
import type {LoadAnswer, LoadCommand, LoadMark, LoadOptions} from './load-messages.js';

/** The sender's process: it does nothing else, so that what is measured is the answerer's time and not its own. */
let times: number[] = [];
let failed = 0;
let goesOn = true;
let running: Promise<void> = Promise.resolve();

async function run({port, ca, body, perSecond}: LoadOptions): Promise<void> {
  const agent = new Agent({keepAlive: true, ca, servername: 'kyverno-svc.kyverno.svc', maxSockets: 32});
  const length = Buffer.byteLength(body);
  const under = new Set<Promise<void>>();
  const send = (): Promise<void> => {
    const began = performance.now();
    return new Promise(resolve => {
      const call = request({agent, host: '127.0.0.1', port, path: '/validate/fail?timeout=10s', method: 'POST', headers: {'content-type': 'application/json', 'content-length': length}}, response => {
        response.resume();
        if (response.statusCode !== 200) failed += 1;
        response.on('end', () => {
          times.push(performance.now() - began);
          resolve();
        });
      });
      call.on('error', () => {
        failed += 1;
        resolve();
      });
      call.end(body);
    });
  };
  const start = performance.now();
  for (let sent = 0; goesOn && perSecond > 0; sent += 1) {
    const wait = start + (sent * 1000) / perSecond - performance.now();
    if (wait > 0) await delay(wait);
    const one: Promise<void> = send().finally(() => under.delete(one));
    under.add(one);
  }
  await Promise.allSettled(under);
  agent.destroy();
}

function mark(): LoadMark {
  const sorted = times.sort((a, b) => a - b);
  times = [];
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return {count: sorted.length, p50: at(0.5), p99: at(0.99), most: sorted.at(-1) ?? 0};
}

const tell = (id: number) => process.send?.({kind: 'marked', id, mark: mark(), failed} satisfies LoadAnswer, undefined, undefined, () => {
  if (!goesOn) process.disconnect();
});

process.on('message', (command: LoadCommand) => {
  if (command.kind === 'start') running = run(command.options);
  else if (command.kind === 'mark') tell(command.id);
  else {
    goesOn = false;
    void running.then(() => tell(command.id));
  }
});
// Whoever asked for the load is gone.
process.on('disconnect', () => process.exit());
