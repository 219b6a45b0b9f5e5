import {connect, type TLSSocket} from 'node:tls';

/** One load run, as the parent process asks for it. Times in milliseconds. */
export interface LoadOrder {
  readonly port: number;
  readonly ca: string;
  readonly path: string;
  readonly body: string;
  readonly requests: number;
  readonly connections: number;
  /** Name in the certificate; `localhost` when absent. */
  readonly serverName?: string;
}

export interface LoadResult {
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly allowed: number;
  readonly denied: number;
}

/**
 * HTTP/1.1 with keep-alive, one request at a time on each connection. Written on sockets: an HTTP library would cost
 * more CPU than the server that is measured, on the cores they share.
 */
async function load(order: LoadOrder): Promise<LoadResult> {
  const body = Buffer.from(order.body);
  const head = [
    `POST ${order.path} HTTP/1.1`,
    `Host: localhost:${order.port}`,
    'User-Agent: kube-apiserver-admission',
    'Accept: application/json, */*',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Accept-Encoding: gzip',
    '',
    '',
  ].join('\r\n');
  const request = Buffer.concat([Buffer.from(head), body]);
  const times = new Float64Array(order.requests);
  const verdicts = {allowed: 0, denied: 0};
  let sent = 0;
  const take = () => (sent < order.requests ? sent++ : -1);
  const sockets = await Promise.all(Array.from({length: order.connections}, () => open(order)));
  const started = performance.now();
  await Promise.all(sockets.map(socket => drive(socket, {request, times, verdicts, take})));
  const seconds = (performance.now() - started) / 1000;
  for (const socket of sockets) socket.destroy();
  times.sort();
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {seconds, p50: at(0.5), p99: at(0.99), ...verdicts};
}

function open(order: LoadOrder): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: '127.0.0.1',
      port: order.port,
      ca: order.ca,
      servername: order.serverName ?? 'localhost',
      ALPNProtocols: ['http/1.1'],
    });
    socket.setNoDelay(true);
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      socket.removeListener('error', reject);
      resolve(socket);
    });
  });
}

interface Work {
  readonly request: Buffer;
  readonly times: Float64Array;
  readonly verdicts: {allowed: number; denied: number};
  readonly take: () => number;
}

function drive(socket: TLSSocket, work: Work): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    let index = work.take();
    let started = performance.now();
    const next = () => {
      if (index === -1) return resolve();
      started = performance.now();
      socket.write(work.request);
    };
    socket.on('data', chunk => {
      text += chunk.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end));
      if (length === null) return reject(new Error(`no Content-Length: ${text.slice(0, end)}`));
      if (text.length < end + 4 + Number(length[1])) return;
      work.times[index] = performance.now() - started;
      if (!text.startsWith('HTTP/1.1 200')) return reject(new Error(`unexpected answer: ${text.slice(0, 500)}`));
      if (text.includes('"allowed":true')) work.verdicts.allowed++;
      else work.verdicts.denied++;
      text = '';
      index = work.take();
      next();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('connection was closed')));
    next();
  });
}

process.on('message', (order: LoadOrder) => {
  load(order).then(
    result => process.send?.({result}),
    (error: unknown) => process.send?.({error: error instanceof Error ? error.message : String(error)}),
  );
});
process.on('disconnect', () => process.exit(0));
