import {open, stat} from 'node:fs/promises';
import type {ServerResponse} from 'node:http';
import {createServer} from 'node:https';
import {setTimeout as delay} from 'node:timers/promises';
import type {Authority} from '../pki/certificates.js';
import type {ContainerRunner} from './container-runner.js';

export interface KubeletServerOptions {
  readonly authority: Authority;
  readonly find: (namespace: string, pod: string, container: string) => ContainerRunner | undefined;
}

export interface KubeletServer {
  readonly port: number;
  close(): Promise<void>;
}

/** The one kubelet endpoint that `kubectl logs` needs; only the API server's client certificate is let in. */
export async function startKubeletServer({authority, find}: KubeletServerOptions): Promise<KubeletServer> {
  const {certificate, key} = authority.issue({commonName: 'node-agent', hosts: ['127.0.0.1', 'localhost']});
  const tls = {cert: certificate, key, ca: authority.certificate, requestCert: true, rejectUnauthorized: true};
  const server = createServer(tls, (request, response) => {
    const url = new URL(request.url ?? '/', 'https://node-agent');
    const [kind, namespace = '', pod = '', container = ''] = url.pathname.slice(1).split('/');
    const runner = kind === 'containerLogs' ? find(namespace, pod, container) : undefined;
    if (runner === undefined) {
      response.writeHead(404).end(`${url.pathname} is not served by the node agent\n`);
      return;
    }
    sendLog(runner, url.searchParams, response).catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as {port: number}).port,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const unsupported = ['timestamps', 'sinceSeconds', 'sinceTime'];

async function sendLog(runner: ContainerRunner, query: URLSearchParams, response: ServerResponse): Promise<void> {
  const refused = unsupported.find(name => query.has(name) && query.get(name) !== 'false');
  if (refused !== undefined) {
    response.writeHead(400).end(`${refused} is not supported by the node agent\n`);
    return;
  }
  const file = query.get('previous') === 'true' ? runner.logs.previous : runner.logs.current;
  if (file === undefined) {
    response.writeHead(400).end(`container ${runner.view.name} has no such log\n`);
    return;
  }
  const follow = query.get('follow') === 'true';
  let left = Number(query.get('limitBytes') ?? Number.POSITIVE_INFINITY);
  const handle = await open(file, 'r');
  try {
    response.writeHead(200, {'Content-Type': 'text/plain'});
    response.flushHeaders();
    let offset = await tailOffset(file, query.get('tailLines'));
    const buffer = Buffer.alloc(64 * 1024);
    while (!response.destroyed && left > 0) {
      // Asked before the read: what was written until the end is then read for certain.
      const ended = file !== runner.logs.current || runner.view.pid === undefined;
      const {bytesRead} = await handle.read(buffer, 0, Math.min(buffer.length, left), offset);
      offset += bytesRead;
      left -= bytesRead;
      if (bytesRead > 0) await write(response, Buffer.from(buffer.subarray(0, bytesRead)));
      else if (!follow || ended) break;
      else await delay(50);
    }
    response.end();
  } finally {
    await handle.close();
  }
}

function write(response: ServerResponse, chunk: Buffer): Promise<void> {
  return new Promise(resolve => {
    response.write(chunk, () => resolve());
  });
}

/** Where the last `lines` lines begin. */
async function tailOffset(file: string, lines: string | null): Promise<number> {
  if (lines === null) return 0;
  const {size} = await stat(file);
  const handle = await open(file, 'r');
  try {
    const wanted = Number(lines);
    if (wanted === 0) return size;
    const buffer = Buffer.alloc(64 * 1024);
    let seen = 0;
    for (let end = size; end > 0; ) {
      const start = Math.max(0, end - buffer.length);
      await handle.read(buffer, 0, end - start, start);
      for (let index = end - 1; index >= start; index--) {
        // The line feed at the very end closes the last line, it does not open one.
        if (buffer[index - start] === 0x0a && index !== size - 1 && ++seen === wanted) return index + 1;
      }
      end = start;
    }
    return 0;
  } finally {
    await handle.close();
  }
}
