import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {Session} from 'node:inspector/promises';
import type {AddressInfo} from 'node:net';
import type {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {getHeapSnapshot} from 'node:v8';

export interface ProfileServer {
  /** Port 0 picks a free one. */
  listen(port: number, host: string): Promise<void>;
  address(): {readonly host: string; readonly port: number} | undefined;
  close(): Promise<void>;
}

/** One thread of the process. */
export interface ProfiledThread {
  heap(): Readable | Promise<Readable>;
  /** JSON of a profile; ends early when `signal` is aborted. */
  cpu(milliseconds: number, signal: AbortSignal): Promise<string>;
}

/** The one that asks. */
export const mainThread: ProfiledThread = {heap: () => getHeapSnapshot(), cpu: cpuProfile};

const defaultSeconds = 30;
const maxSeconds = 120;
const index = `/debug/pprof/heap: what memory holds, a .heapsnapshot (everything stops while it is written)
/debug/pprof/profile?seconds=${defaultSeconds}: where time goes, a .cpuprofile (at most ${maxSeconds} seconds)
`;
const indexOfThreads = (names: readonly string[]) => (names.length < 2 ? index : `${index}with thread=NAME: ${names.join(', ')}; the first one when absent\n`);

/**
 * Profiles of this process over HTTP, in the formats of V8's tools, one at a time. No debugger port is opened: who
 * reaches this one can look, but not act. `threads`: by their names, the one that is profiled where none is named first.
 */
export function createProfileServer(threads: Readonly<Record<string, ProfiledThread>> = {main: mainThread}): ProfileServer {
  const names = Object.keys(threads);
  const overview = indexOfThreads(names);
  let busy = false;
  const ended = new AbortController();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (request.method !== 'GET') return plain(response, 405, 'only GET');
    const seconds = Number(url.searchParams.get('seconds') ?? defaultSeconds);
    if (url.pathname === '/debug/pprof/' || url.pathname === '/debug/pprof') return plain(response, 200, overview);
    if (url.pathname !== '/debug/pprof/heap' && url.pathname !== '/debug/pprof/profile') return plain(response, 404, overview);
    if (!(seconds > 0 && seconds <= maxSeconds)) return plain(response, 400, `seconds is no number up to ${maxSeconds}`);
    const name = url.searchParams.get('thread') ?? names[0] ?? '';
    const thread = Object.hasOwn(threads, name) ? threads[name] : undefined;
    if (thread === undefined) return plain(response, 400, `thread is none of ${names.join(', ')}`);
    if (busy) return plain(response, 409, 'another profile is being made');
    busy = true;
    try {
      if (url.pathname === '/debug/pprof/heap') {
        const heap = await thread.heap();
        attachment(response, 'kyverno.heapsnapshot');
        await pipeline(heap, response);
      } else {
        const profile = await thread.cpu(seconds * 1000, ended.signal);
        attachment(response, 'kyverno.cpuprofile');
        response.end(profile);
      }
    } finally {
      busy = false;
    }
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else plain(response, 500, 'no profile could be made');
    });
  });
  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.removeListener('error', reject);
          resolve();
        });
      }),
    address() {
      const address = server.address() as AddressInfo | null;
      return address === null ? undefined : {host: address.address, port: address.port};
    },
    close: () =>
      new Promise(resolve => {
        ended.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** JSON of a profile of the thread that asks. */
export async function cpuProfile(milliseconds: number, signal: AbortSignal): Promise<string> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, milliseconds);
      signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer);
          resolve();
        },
        {once: true},
      );
    });
    const {profile} = await session.post('Profiler.stop');
    return JSON.stringify(profile);
  } finally {
    session.disconnect();
  }
}

function attachment(response: ServerResponse, name: string): void {
  response.writeHead(200, {'Content-Type': 'application/json', 'Content-Disposition': `attachment; filename="${name}"`});
}

function plain(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {'Content-Type': 'text/plain; charset=utf-8'}).end(text);
}
