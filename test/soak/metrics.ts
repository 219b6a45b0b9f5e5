import {get} from 'node:http';
import {readFileSync} from 'node:fs';

/** Value of a series on a replica's metrics port, labels in any order; 0 when there is none. */
export async function metric(port: number, name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
  const parts = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  let sum = 0;
  for (const line of (await text(port)).split('\n')) {
    const match = /^([a-zA-Z_:][^\s{]*)(\{.*\})? (\S+)$/.exec(line);
    if (match?.[1] === name && parts.every(part => (match[2] ?? '').includes(part))) sum += Number(match[3]);
  }
  return sum;
}

function text(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    get({host: '127.0.0.1', port, path: '/metrics'}, response => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => resolve(body));
    }).on('error', reject);
  });
}

/** Highest resident memory of a process so far, in MiB. */
export function peakMiB(pid: number): number {
  return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
