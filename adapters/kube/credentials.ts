import {readFile, stat} from 'node:fs/promises';
import {Agent as HttpAgent, type OutgoingHttpHeaders} from 'node:http';
import {Agent as HttpsAgent, type RequestOptions} from 'node:https';
import {createSecureContext} from 'node:tls';
import type {KubeConfig} from '@kubernetes/client-node';
import type {Clock} from '../clock.js';

/** What one connection to the API server needs. */
export interface Connection {
  readonly server: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** For calls: a bounded number of kept-alive sockets. */
  readonly agent: HttpAgent;
  /** For watches: one socket per stream. */
  readonly streamAgent: HttpAgent;
}

export interface Credentials {
  current(): Promise<Connection>;
  /** After a 401: nothing cached is used again. */
  invalidate(): void;
  close(): void;
}

const refreshMs = 30_000;
const maxSockets = 64;
const tokenLookMs = 1_000;

interface Agents {
  readonly identity: string;
  readonly agent: HttpAgent;
  readonly streamAgent: HttpAgent;
}

/**
 * Credentials of a kubeconfig's current context, as client-node reads them (certificates, exec plugins, OIDC), renewed
 * every 30 s; a token file is read again when it has changed. The token goes to the context's server only, and never
 * in clear text beyond the own machine.
 */
export function createCredentials(kubeConfig: KubeConfig, clock: Clock): Credentials {
  const cluster = kubeConfig.getCurrentCluster();
  if (!cluster) throw new Error('the kubeconfig has no current cluster');
  const server = new URL(cluster.server);
  if (server.protocol !== 'https:' && server.protocol !== 'http:') {
    throw new Error(`unsupported API server address ${cluster.server}`);
  }
  const mayAuthenticate = server.protocol === 'https:' || isLoopback(server.hostname);
  const token = tokenFileReader(tokenFileOf(kubeConfig), clock);
  let agents: Agents | undefined;
  let base: {readonly headers: Readonly<Record<string, string>>; readonly readAt: number} | undefined;
  let reading: {readonly done: Promise<void>; readonly since: number} | undefined;

  async function refresh(): Promise<void> {
    const options: RequestOptions = {};
    await kubeConfig.applyToHTTPSOptions(options);
    const identity = JSON.stringify(
      [options.ca, options.cert, options.key, options.rejectUnauthorized, options.servername].map(String),
    );
    if (agents?.identity !== identity) {
      const old = agents;
      agents = createAgents(options, {
        identity,
        secure: server.protocol === 'https:',
        proxied: cluster?.proxyUrl !== undefined,
      });
      // Streams under way end by themselves; idle sockets of the old identity must not be used again.
      old?.agent.destroy();
    }
    base = {headers: mayAuthenticate ? headersOf(options) : {}, readAt: clock.monotonic()};
  }

  return {
    async current() {
      if (base === undefined || clock.monotonic() - base.readAt > refreshMs) {
        // A plug-in that never ends must not be waited for by all who come later.
        if (reading === undefined || clock.monotonic() - reading.since > refreshMs) {
          const done = refresh().finally(() => {
            if (reading?.done === done) reading = undefined;
          });
          reading = {done, since: clock.monotonic()};
        }
        await reading.done;
      }
      if (base === undefined || agents === undefined) throw new Error('no credentials');
      const bearer = mayAuthenticate ? await token.read() : undefined;
      const headers = bearer === undefined ? base.headers : {...base.headers, authorization: `Bearer ${bearer}`};
      return {server, headers, agent: agents.agent, streamAgent: agents.streamAgent};
    },
    invalidate() {
      base = undefined;
      token.invalidate();
    },
    close() {
      agents?.agent.destroy();
      agents?.streamAgent.destroy();
    },
  };
}

function createAgents(
  options: RequestOptions,
  {identity, secure, proxied}: {readonly identity: string; readonly secure: boolean; readonly proxied: boolean},
): Agents {
  if (proxied && options.agent instanceof HttpAgent) {
    return {identity, agent: options.agent, streamAgent: options.agent};
  }
  if (!secure) {
    return {
      identity,
      agent: new HttpAgent({keepAlive: true, maxSockets}),
      streamAgent: new HttpAgent({keepAlive: false}),
    };
  }
  const tls = {
    // Read once: authorities cost milliseconds, and each watch has a connection of its own.
    secureContext: createSecureContext({
      minVersion: 'TLSv1.2',
      ...(options.ca !== undefined && {ca: options.ca}),
      ...(options.cert !== undefined && {cert: options.cert}),
      ...(options.key !== undefined && {key: options.key}),
    }),
    ...(options.servername !== undefined && {servername: options.servername}),
    ...(options.rejectUnauthorized !== undefined && {rejectUnauthorized: options.rejectUnauthorized}),
  };
  return {
    identity,
    agent: new HttpsAgent({...tls, keepAlive: true, maxSockets}),
    streamAgent: new HttpsAgent({...tls, keepAlive: false}),
  };
}

function headersOf(options: RequestOptions): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries((options.headers ?? {}) as OutgoingHttpHeaders)) {
    if (typeof value === 'string') headers[name.toLowerCase()] = value;
  }
  if (options.auth) headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  return headers;
}

function tokenFileOf(kubeConfig: KubeConfig): string | undefined {
  const file: unknown = kubeConfig.getCurrentUser()?.authProvider?.config?.tokenFile;
  return typeof file === 'string' ? file : undefined;
}

/** A file that has changed is noticed after a second at the latest; hundreds of requests a second need no look each. */
function tokenFileReader(path: string | undefined, clock: Clock): {read(): Promise<string | undefined>; invalidate(): void} {
  let seen: {readonly stamp: string; readonly token: string; readonly lookedAt: number} | undefined;
  async function look(file: string): Promise<string> {
    const lookedAt = clock.monotonic();
    const {mtimeMs, ino, size} = await stat(file);
    const stamp = `${ino}:${size}:${mtimeMs}`;
    seen = {stamp, token: seen?.stamp === stamp ? seen.token : (await readFile(file, 'utf8')).trim(), lookedAt};
    return seen.token;
  }
  return {
    async read() {
      if (path === undefined) return undefined;
      return seen !== undefined && clock.monotonic() - seen.lookedAt < tokenLookMs ? seen.token : look(path);
    },
    invalidate() {
      seen = undefined;
    },
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}
