import {Agent, request as httpsRequest} from 'node:https';
import type {IncomingMessage} from 'node:http';
import type {KeyPair} from './pki/certificates.js';

export interface ApiRequestOptions {
  /** Default: JSON; for PATCH a JSON merge patch. */
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the API server answered; `body` is parsed when it is JSON, else text. */
export interface ApiResponse<T = unknown> {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: T;
}

/** Raw JSON over HTTPS with one client certificate. */
export interface ApiClient {
  /** Any status is an answer; only a broken connection throws. A string body is sent as it is. */
  request<T = unknown>(
    method: string,
    path: string,
    body?: unknown,
    options?: ApiRequestOptions,
  ): Promise<ApiResponse<T>>;
  /** Opens a GET whose answer streams; throws on another status than 200. */
  stream(path: string, signal: AbortSignal): Promise<IncomingMessage>;
  close(): void;
}

export interface ApiClientOptions {
  readonly server: string;
  readonly ca: string;
  readonly client: KeyPair;
}

export function createApiClient({server, ca, client}: ApiClientOptions): ApiClient {
  const tls = {ca, cert: client.certificate, key: client.key};
  const agent = new Agent({...tls, keepAlive: true});
  // A watch holds its connection for minutes: it gets one of its own.
  const streams = new Agent(tls);
  return {
    async request<T>(method: string, path: string, body?: unknown, {contentType, headers}: ApiRequestOptions = {}) {
      const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
      const type = contentType ?? (method === 'PATCH' ? 'application/merge-patch+json' : 'application/json');
      // Node sends no length of its own with DELETE, and the API server would then read an empty body.
      const entity = payload === undefined ? {} : {'Content-Type': type, 'Content-Length': Buffer.byteLength(payload)};
      const sent = {Accept: 'application/json', ...entity, ...headers};
      const response = await send(`${server}${path}`, {method, agent, headers: sent}, payload);
      const text = await readText(response);
      const isJson = response.headers['content-type']?.startsWith('application/json') === true && text !== '';
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: (isJson ? JSON.parse(text) : text) as T,
      };
    },
    async stream(path, signal) {
      const response = await send(`${server}${path}`, {method: 'GET', agent: streams, signal}, undefined);
      if (response.statusCode === 200) return response;
      throw new Error(`GET ${path}: ${response.statusCode} ${await readText(response)}`);
    },
    close() {
      agent.destroy();
      streams.destroy();
    },
  };
}

function send(url: string, options: object, payload: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(url, options, resolve);
    request.once('error', reject);
    request.end(payload);
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
