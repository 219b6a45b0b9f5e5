import type {BodyName} from './bodies.js';
import {type BenchServer, cpuSeconds, type LoadClient, rssMiB} from './processes.js';

export interface Target {
  readonly name: string;
  readonly server: BenchServer;
  /** Where the webhook's requests go; that of all classic policies when absent. */
  readonly path?: string;
}

export interface Sample {
  /** Milliseconds. */
  readonly cpu: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly allowed: number;
  readonly denied: number;
}

export interface Figures extends Sample {
  readonly target: string;
  readonly body: BodyName;
  /** MiB after the last slice. */
  readonly rss: number;
}

export interface MeasureOptions {
  readonly client: LoadClient;
  readonly ca: string;
  readonly bodies: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly warmUp: number;
  readonly requests: number;
  readonly rounds: number;
  readonly serverName?: string;
}

export function sendLoad(
  target: BenchServer,
  options: MeasureOptions,
  load: {readonly body: BodyName; readonly requests: number; readonly path?: string | undefined},
) {
  const {client, ca, bodies, connections, serverName} = options;
  return client.run({
    port: target.port,
    ca,
    path: `${load.path ?? '/validate/fail'}?timeout=10s`,
    body: bodies[load.body] ?? '',
    requests: load.requests,
    connections,
    ...(serverName !== undefined && {serverName}),
  });
}

async function slice({server, path}: Target, options: MeasureOptions, body: BodyName): Promise<Sample> {
  const before = cpuSeconds(server.pid);
  const {seconds, ...rest} = await sendLoad(server, options, {body, requests: options.requests, path});
  const cpu = ((cpuSeconds(server.pid) - before) * 1000) / options.requests;
  return {cpu, perSecond: options.requests / seconds, ...rest};
}

/**
 * One body against several servers in turns, so that what else the machine does falls on all of them alike. Of each
 * server's slices the one with the least CPU counts: noise only ever adds.
 */
export async function compare(targets: readonly Target[], options: MeasureOptions, body: BodyName): Promise<Figures[]> {
  for (const {server, path} of targets) await sendLoad(server, options, {body, requests: options.warmUp, path});
  const samples = new Map<string, Sample[]>(targets.map(({name}) => [name, []]));
  for (let round = 0; round < options.rounds; round++) {
    for (const target of targets) samples.get(target.name)?.push(await slice(target, options, body));
  }
  return targets.map(({name, server}) => {
    const [best] = (samples.get(name) ?? []).sort((a, b) => a.cpu - b.cpu);
    if (best === undefined) throw new Error('a bench needs a round');
    return {target: name, body, rss: rssMiB(server.pid), ...best};
  });
}
