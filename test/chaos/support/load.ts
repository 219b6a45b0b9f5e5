import {type ApiClient, createApiClient} from '../../cluster/api-client.js';
import type {Cluster} from '../../cluster/cluster.js';
import {eventually} from '../../cluster/eventually.js';
import {type Verdict, verdictOn} from './verdict.js';

export interface LoadOptions {
  readonly cluster: Pick<Cluster, 'server' | 'ca' | 'admin'>;
  readonly namespace: string;
  /** Requests a second; default 50. */
  readonly rate?: number;
  /** Connections used in turn; a slow answer opens another one rather than hold up the next request. Default 4. */
  readonly connections?: number;
}

/** One request: when it was due and answered (milliseconds of `performance.now()`), and what came of it. */
export interface Outcome {
  readonly due: number;
  readonly answered: number;
  readonly verdict: Verdict;
  /** What was answered, when it was neither an object nor a denial by policy. */
  readonly text: string;
}

export interface Load {
  /** Requests sent and not answered yet. */
  readonly inFlight: number;
  readonly outcomes: readonly Outcome[];
  /** Waits until answers keep up with requests, so that what follows is not put down to a cold start. */
  calm(): Promise<void>;
  /** So many requests at once, besides the steady ones. */
  burst(count: number): Promise<void>;
  /** Sends no more, waits for the answers. */
  stop(): Promise<readonly Outcome[]>;
}

/**
 * Open loop: requests are sent when they are due, whatever has become of those before. Every second one must be denied.
 * All are dry runs of ConfigMaps, so that nothing stays.
 */
export function startLoad({cluster, namespace, rate = 50, connections = 4}: LoadOptions): Load {
  const clients: ApiClient[] = Array.from({length: connections}, () =>
    createApiClient({server: cluster.server, ca: cluster.ca, client: cluster.admin}),
  );
  const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`;
  const outcomes: Outcome[] = [];
  const pending = new Set<Promise<void>>();
  const begun = performance.now();
  let sent = 0;
  let steady = 0;

  function send(due: number): Promise<void> {
    const index = sent++;
    const good = index % 2 === 0;
    const labels = good ? {team: 'red'} : {};
    const body = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: `load-${index}`, labels}};
    const request = clients[index % clients.length]!.request('POST', path, body).then(
      answer => verdictOn(good, answer),
      (error: Error) => ({verdict: 'unreachable' as const, text: error.message}),
    );
    const done = request.then(judged => {
      pending.delete(done);
      outcomes.push({due, answered: performance.now(), ...judged});
    });
    pending.add(done);
    return done;
  }

  const timer = setInterval(() => {
    const now = performance.now();
    for (let due = begun + (steady * 1000) / rate; due <= now; due = begun + (steady * 1000) / rate) {
      steady++;
      void send(due);
    }
  }, 5);
  return {
    get inFlight() {
      return pending.size;
    },
    outcomes,
    async calm() {
      let since = performance.now();
      await eventually(
        () => {
          if (pending.size > rate / 5) since = performance.now();
          return performance.now() - since > 1_000;
        },
        {what: `answers keep up with ${rate} requests a second`, timeoutMs: 120_000, everyMs: 20},
      );
    },
    async burst(count) {
      await Promise.all(Array.from({length: count}, () => send(performance.now())));
    },
    async stop() {
      clearInterval(timer);
      await Promise.all(pending);
      for (const client of clients) client.close();
      return outcomes;
    },
  };
}
