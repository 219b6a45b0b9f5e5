import {readFileSync} from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type {NodeAgent, Replica} from '../../cluster/node-agent.js';

/** Series of one replica or the sum over all: `name{label="value",…}` to value. */
export type Series = ReadonlyMap<string, number>;

/** The metrics of every running replica, added up. */
export async function scrape(agent: NodeAgent): Promise<Series> {
  const sums = new Map<string, number>();
  for (const replica of agent.replicas()) {
    for (const line of (await text(replica)).split('\n')) {
      const match = /^([a-zA-Z_:][^\s{]*(?:\{.*\})?) (\S+)$/.exec(line);
      if (match !== null) sums.set(match[1]!, (sums.get(match[1]!) ?? 0) + Number(match[2]));
    }
  }
  return sums;
}

/** Sum of the series of `name` whose labels include all of `labels`. */
export function total(series: Series, name: string, labels: Readonly<Record<string, string>> = {}): number {
  const parts = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  let sum = 0;
  for (const [key, value] of series) {
    if ((key === name || key.startsWith(`${name}{`)) && parts.every(part => key.includes(part))) sum += value;
  }
  return sum;
}

/** What the replicas have logged so far, all together. */
export function logText(agent: NodeAgent): string {
  return agent
    .replicas()
    .map(({logFile}) => (logFile === undefined ? '' : readFileSync(logFile, 'utf8')))
    .join('');
}

function text({address, metricsPort, pod}: Replica): Promise<string> {
  const at = {host: address, port: metricsPort, path: '/metrics'};
  const byTls = pod.spec.containers.some(({args = []}) => args.some(arg => arg.startsWith('--metricsTLSSecretName=')));
  return new Promise((resolve, reject) => {
    // Whether its certificate is right is for a test of its own to say.
    const request = byTls ? https.get({...at, rejectUnauthorized: false}) : http.get(at);
    request.on('response', response => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve(body));
    });
    request.on('error', reject);
  });
}
