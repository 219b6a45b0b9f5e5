import {Agent, request} from 'node:https';
import {setTimeout as delay} from 'node:timers/promises';

export interface PacedLoad {
  /** Requests without an answer, or with another status than 200, since the start. */
  failed(): number;
  /** Ends it and tells what was measured since `mark`, or since the start. */
  stop(): Promise<void>;
  /** Percentiles of what was sent since the mark before, in milliseconds. */
  mark(): {readonly count: number; readonly p50: number; readonly p99: number; readonly most: number};
}

/** Sends one AdmissionReview after the other at an even rate, whatever the answers take, to a replica's own port. */
export function startLoad(options: {readonly port: number; readonly ca: string; readonly body: string; readonly perSecond: number}): PacedLoad {
  const agent = new Agent({keepAlive: true, ca: options.ca, servername: 'kyverno-svc.kyverno.svc', maxSockets: 32});
  let times: number[] = [];
  let failures = 0;
  let goesOn = true;
  const under = new Set<Promise<void>>();
  async function run(): Promise<void> {
    const start = performance.now();
    for (let sent = 0; goesOn && options.perSecond > 0; sent += 1) {
      const due = start + (sent * 1000) / options.perSecond;
      const wait = due - performance.now();
      if (wait > 0) await delay(wait);
      const one: Promise<void> = send().finally(() => under.delete(one));
      under.add(one);
    }
    await Promise.allSettled(under);
  }
  function send(): Promise<void> {
    const began = performance.now();
    return new Promise(resolve => {
      const call = request(
        {agent, host: '127.0.0.1', port: options.port, path: '/validate/fail?timeout=10s', method: 'POST', headers: {'content-type': 'application/json', 'content-length': Buffer.byteLength(options.body)}},
        response => {
          response.resume();
          if (response.statusCode !== 200) failures += 1;
          response.on('end', () => {
            times.push(performance.now() - began);
            resolve();
          });
        },
      );
      call.on('error', () => {
        failures += 1;
        resolve();
      });
      call.end(options.body);
    });
  }
  const running = run();
  return {
    failed: () => failures,
    async stop() {
      goesOn = false;
      await running;
      agent.destroy();
    },
    mark() {
      const sorted = times.sort((a, b) => a - b);
      times = [];
      const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
      return {count: sorted.length, p50: at(0.5), p99: at(0.99), most: sorted.at(-1) ?? 0};
    },
  };
}
