import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';
import {mkdtemp, rm} from 'node:fs/promises';
import {request} from 'node:https';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {JsonObject} from '../../../engine/json/types.js';
import {ensureBuilt, program} from './build.js';
import type {LogEntry} from './log-reader.js';

export interface ReviewAnswer {
  readonly allowed: boolean;
  readonly patch?: string;
  readonly status?: {readonly message: string};
}

/** The admission server alone, off files. */
export interface Standalone {
  /** Everything it printed. */
  output(): string;
  /** What it has logged, as far as it has got here: a line may come after the answer that it is about. */
  entries(): readonly LogEntry[];
  review(path: string, request: JsonObject): Promise<ReviewAnswer>;
  stop(): Promise<void>;
}

/** Serves the policies of a folder on a port of its own. */
export async function startStandalone(policies: string): Promise<Standalone> {
  await ensureBuilt();
  const tls = await mkdtemp(join(tmpdir(), 'kyverno-tls-'));
  const args = [
    'serve',
    '--policies',
    policies,
    '--port',
    '0',
    '--metrics-port',
    '0',
    '--tls-dir',
    tls,
    '--loggingFormat',
    'json',
    '--v',
    '4',
  ];
  const child = spawn(process.execPath, [program, ...args], {stdio: ['ignore', 'pipe', 'pipe']});
  let text = '';
  const port = await new Promise<number>((resolve, reject) => {
    const hear = (chunk: string) => {
      text += chunk;
      const match = /serves admission on https:\/\/127\.0\.0\.1:(\d+)/.exec(text);
      if (match !== null) resolve(Number(match[1]));
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', hear);
    child.once('exit', code => reject(new Error(`serve ended with ${code}: ${text}`)));
  });
  const ca = readFileSync(join(tls, 'ca.crt'));
  return {
    output: () => text,
    // Whole lines only: the last one may still be on its way.
    entries: () =>
      text
        .slice(0, text.lastIndexOf('\n') + 1)
        .split('\n')
        .filter(line => line.startsWith('{'))
        .map(line => JSON.parse(line) as LogEntry),
    review: (path, admissionRequest) => post({port, path, ca}, admissionRequest),
    async stop() {
      await end(child);
      await rm(tls, {recursive: true});
    },
  };
}

function post(
  {port, path, ca}: {port: number; path: string; ca: Buffer},
  admissionRequest: JsonObject,
): Promise<ReviewAnswer> {
  const payload = JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: admissionRequest,
  });
  return new Promise((resolve, reject) => {
    const headers = {'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(payload)};
    const sent = request({host: '127.0.0.1', port, path, method: 'POST', ca, headers, agent: false}, response => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        if (response.statusCode === 200) resolve((JSON.parse(text) as {response: ReviewAnswer}).response);
        else reject(new Error(`${path}: ${response.statusCode} ${text}`));
      });
    });
    sent.on('error', reject);
    sent.end(payload);
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exit;
  clearTimeout(timer);
}
