import {spawn} from 'node:child_process';
import {request as httpRequest} from 'node:http';
import {request as httpsRequest} from 'node:https';
import {connect} from 'node:net';
import type {Handler, HttpGet} from './types.js';

export interface HandlerContext {
  readonly timeoutMs: number;
  /** Address of the Pod. */
  readonly host: string;
  /** The command line that runs a command inside the container. */
  readonly wrap: (argv: readonly string[]) => readonly string[];
  readonly resolvePort: (port: number | string) => number;
  /** Environment and folder of commands. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** Runs one probe or hook action; resolves when it succeeded, else throws an Error that says why. */
export async function runHandler(handler: Handler, context: HandlerContext): Promise<void> {
  if (handler.httpGet) return httpGet(handler.httpGet, context);
  if (handler.tcpSocket) return tcpConnect(context.host, context.resolvePort(handler.tcpSocket.port), context.timeoutMs);
  if (handler.exec) return command(handler.exec.command ?? [], context);
  if (handler.sleep) return new Promise(resolve => setTimeout(resolve, (handler.sleep?.seconds ?? 0) * 1000));
  throw new Error('only httpGet, tcpSocket, exec and sleep are supported by the node agent');
}

/** Success is a status from 200 to 399; certificates are not verified, as kubelets do. */
function httpGet(get: HttpGet, {host, timeoutMs, resolvePort}: HandlerContext): Promise<void> {
  const port = resolvePort(get.port);
  const headers = Object.fromEntries((get.httpHeaders ?? []).map(({name, value}) => [name, value]));
  const common = {host, port, path: get.path ?? '/', headers, agent: false} as const;
  const signal = AbortSignal.timeout(timeoutMs);
  return new Promise((resolve, reject) => {
    const secure = get.scheme === 'HTTPS';
    const request = secure
      ? httpsRequest({...common, signal, rejectUnauthorized: false})
      : httpRequest({...common, signal});
    request.once('error', reject);
    request.once('response', response => {
      const status = response.statusCode ?? 0;
      response.resume();
      response.once('error', reject);
      response.once('end', () => {
        if (status >= 200 && status < 400) resolve();
        else reject(new Error(`status ${status}`));
      });
    });
    request.end();
  });
}

function tcpConnect(host: string, port: number, timeout: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({host, port, timeout});
    socket.once('connect', () => {
      socket.destroy();
      resolve();
    });
    socket.once('timeout', () => socket.destroy(new Error('timeout')));
    socket.once('error', reject);
  });
}

function command(inside: readonly string[], {timeoutMs, env, cwd, wrap}: HandlerContext): Promise<void> {
  const argv = wrap(inside);
  return new Promise((resolve, reject) => {
    const child = spawn(argv[0] ?? '', argv.slice(1), {
      env,
      cwd,
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      stdio: 'ignore',
    });
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`command ended with ${signal ?? code}`));
    });
  });
}
