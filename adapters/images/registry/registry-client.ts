import {createHash} from 'node:crypto';
import {parseJsonBytes} from '../../../engine/json/parse.js';
import {isObject, type Json, type JsonObject, own} from '../../../engine/json/types.js';
import {type Clock, sleep} from '../../clock.js';
import {codeOf} from '../../http/pinned-request.js';
import {isDigest, type Repository} from '../image-name.js';
import {parseChallenges} from './challenge.js';
import {type Descriptor, readDescriptors} from './descriptor.js';
import {endpointOf} from './hosts.js';
import type {Pool} from './pool.js';
import {isMissing, RegistryError} from './registry-error.js';
import type {Session} from './session.js';
import type {Tokens} from './tokens.js';
import type {Answer, Call, Transport} from './transport.js';

export interface Manifest {
  /** Of the bytes. */
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly json: JsonObject;
}

/**
 * The distribution API of registries. Bytes that do not have the digest they were asked by are refused, and so is what
 * exceeds a limit. Rejects with a `RegistryError`.
 */
export interface RegistryClient {
  /** `reference`: a tag or a digest. */
  manifest(place: Repository, reference: string, session: Session): Promise<Manifest>;
  blob(place: Repository, digest: string, options: {readonly maxBytes: number; readonly session: Session}): Promise<Buffer>;
  /** Manifests that name `digest` as their subject; of the referrers API, else of the tag that stands in for it. */
  referrers(place: Repository, digest: string, session: Session): Promise<readonly Descriptor[]>;
  tags(place: Repository, session: Session): Promise<readonly string[]>;
}

export interface RegistryClientOptions {
  readonly transport: Transport;
  readonly tokens: Tokens;
  readonly pool: Pool;
  readonly clock: Clock;
  /** Registry → hosts (with a path in front of repositories, if any) that are asked first. */
  readonly mirrors?: ReadonlyMap<string, readonly string[]> | undefined;
  /** One call of a registry ended: its host and `2xx`, `4xx`, `error` … */
  readonly onCall?: ((host: string, outcome: string) => void) | undefined;
}

export const maxManifestBytes = 4 * 1024 * 1024;
const maxReferrers = 1000;
const maxTags = 10_000;
const maxAttempts = 3;
const manifestTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
].join(', ');

interface Endpoint {
  /** Host and port. */
  readonly host: string;
  /** In front of repositories, ends in `/` or is empty. */
  readonly prefix: string;
  /** Whose credentials count. */
  readonly registry: string;
}

interface Question {
  readonly place: Repository;
  /** Below the repository: `manifests/latest`. */
  readonly path: string;
  readonly accept?: string;
  readonly maxBytes: number;
  readonly session: Session;
  /** Throws for a body that is not what was asked for: the next one is asked. */
  readonly check?: ((body: Buffer) => void) | undefined;
}

export function createRegistryClient(options: RegistryClientOptions): RegistryClient {
  const {transport, tokens, pool, clock, mirrors, onCall} = options;
  /** Hosts that were found to speak plain HTTP, where that is allowed. */
  const plain = new Set<string>();

  async function call(host: string, call: Omit<Call, 'url'> & {readonly path: string}): Promise<Answer> {
    const schemes = !call.insecure ? ['https'] : plain.has(host) ? ['http'] : ['https', 'http'];
    return pool(
      host,
      async () => {
        for (const scheme of schemes) {
          const url = new URL(`${scheme}://${host}${call.path}`);
          try {
            const answer = await transport({...call, url});
            if (scheme === 'http') plain.add(host);
            onCall?.(host, `${Math.floor(answer.status / 100)}xx`);
            return answer;
          } catch (error) {
            const last = scheme === schemes.at(-1) || call.signal.aborted;
            if (last || !(error instanceof RegistryError) || error.kind !== 'unreachable') {
              onCall?.(host, 'error');
              throw error;
            }
          }
        }
        throw new RegistryError(`${host}: no answer`, 'unreachable');
      },
      call.signal,
    ).catch((error: unknown) => {
      if (error instanceof RegistryError) throw error;
      const why = call.signal.aborted ? 'no answer in time' : codeOf(error);
      throw new RegistryError(`${host}${call.path}: ${why}`, 'unreachable', {cause: error});
    });
  }

  /** With the credentials of the registry, once its challenge is known. */
  async function authorized(endpoint: Endpoint, {place, path, accept, maxBytes, session}: Question): Promise<Answer> {
    const {host, prefix, registry} = endpoint;
    const repository = `${prefix}${place.repository}`;
    const credential = await session.credential(registry, repository);
    const question = {registry, repository, credential, session};
    const send = (authorization: string | undefined) =>
      call(host, {
        path: `/v2/${repository}/${path}`,
        method: 'GET',
        headers: {...(accept && {accept}), ...(authorization && {authorization})},
        maxBytes,
        insecure: session.insecure,
        signal: session.signal,
      });
    const first = await send(tokens.known(question));
    if (first.status !== 401) return first;
    const challenges = parseChallenges(first.headers['www-authenticate'] ?? '');
    const authorization = await tokens.answer(challenges, question);
    return authorization === undefined ? first : send(authorization);
  }

  async function patient(endpoint: Endpoint, question: Question): Promise<Answer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await authorized(endpoint, question);
      if (answer.status !== 429 && answer.status !== 503) return answer;
      const wait = retryAfter(answer, clock.now()) ?? 500 * 2 ** attempt;
      if (attempt === maxAttempts || clock.now() + wait >= question.session.deadline) return answer;
      await sleep(clock, wait, question.session.signal);
    }
  }

  async function ask(question: Question): Promise<Answer> {
    const {place, session, path, check} = question;
    let last: unknown;
    for (const endpoint of endpointsOf(place.registry, mirrors)) {
      const where = `${endpoint.host}/${endpoint.prefix}${place.repository}`;
      try {
        const answer = await patient(endpoint, question);
        if (answer.status === 200) {
          check?.(answer.body);
          return answer;
        }
        throw await refusalOf(answer.status, {where: `${where}: ${path}`, endpoint, place, session});
      } catch (error) {
        last = error;
        const isFinal = !(error instanceof RegistryError) || session.signal.aborted;
        if (isFinal) throw error;
      }
    }
    throw last;
  }

  async function manifest(place: Repository, reference: string, session: Session): Promise<Manifest> {
    const isByDigest = reference.includes(':');
    if (isByDigest && !isDigest(reference)) throw new RegistryError(`${place.repository}: no digest`, 'malformed');
    const name = `${place.registry}/${place.repository}`;
    const {body, headers} = await ask({
      place,
      path: `manifests/${reference}`,
      accept: manifestTypes,
      maxBytes: maxManifestBytes,
      session,
      check: isByDigest ? bytes => checkDigest(bytes, reference, name) : undefined,
    });
    // By tag the digest is that of the bytes, whatever the registry says it is.
    const digest = isByDigest ? reference : digestOf('sha256', body);
    const said = headers['docker-content-digest'];
    if (typeof said === 'string' && said.startsWith('sha256:') && digest.startsWith('sha256:') && said !== digest) {
      throw new RegistryError(`${name}: the manifest's digest is not what the registry says`, 'malformed');
    }
    const json = readObject(body, `${name}: manifest ${digest}`);
    const written = own(json, 'mediaType');
    const mediaType = typeof written === 'string' && written !== '' ? written : (headers['content-type'] ?? '').split(';')[0]!.trim();
    return {digest, mediaType, bytes: body, json};
  }

  return {
    manifest,
    async blob(place, digest, {maxBytes, session}) {
      if (!isDigest(digest)) throw new RegistryError(`${place.repository}: no digest`, 'malformed');
      const name = `${place.registry}/${place.repository}`;
      const check = (bytes: Buffer) => checkDigest(bytes, digest, name);
      const {body} = await ask({place, path: `blobs/${digest}`, maxBytes, session, check});
      return body;
    },
    async referrers(place, digest, session) {
      const name = `${place.registry}/${place.repository}`;
      try {
        const {body, headers} = await ask({
          place,
          path: `referrers/${digest}`,
          accept: 'application/vnd.oci.image.index.v1+json',
          maxBytes: maxManifestBytes,
          session,
        });
        // A server that answers every path with a page of its own has no such API.
        if ((headers['content-type'] ?? '').startsWith('application/vnd.oci.image.index.v1+json')) {
          return readDescriptors(readObject(body, `${name}: referrers`), maxReferrers);
        }
      } catch (error) {
        if (!isMissing(error)) throw error;
      }
      try {
        const {json} = await manifest(place, digest.replace(':', '-'), session);
        return readDescriptors(json, maxReferrers);
      } catch (error) {
        if (isMissing(error)) return [];
        throw error;
      }
    },
    async tags(place, session) {
      const {body} = await ask({place, path: 'tags/list', maxBytes: maxManifestBytes, session});
      const tags = own(readObject(body, `${place.repository}: tags`), 'tags');
      return Array.isArray(tags) ? tags.slice(0, maxTags).filter(tag => typeof tag === 'string') : [];
    },
  };
}

function endpointsOf(registry: string, mirrors: RegistryClientOptions['mirrors']): Endpoint[] {
  const first = (mirrors?.get(registry) ?? []).map(mirror => {
    const [host = '', ...path] = mirror.split('/');
    return {host, prefix: path.length === 0 ? '' : `${path.join('/')}/`, registry: host};
  });
  return [...first, {host: endpointOf(registry), prefix: '', registry}];
}

interface Refused {
  readonly where: string;
  readonly endpoint: Endpoint;
  readonly place: Repository;
  readonly session: Session;
}

async function refusalOf(status: number, {where, endpoint, place, session}: Refused): Promise<RegistryError> {
  if (status === 404) return new RegistryError(`${where}: not found`, 'missing');
  if (status !== 401 && status !== 403) {
    const isLater = status >= 500 || status === 429 || status === 408;
    return new RegistryError(`${where}: HTTP ${status}`, isLater ? 'unreachable' : 'malformed');
  }
  const credential = await session.credential(endpoint.registry, `${endpoint.prefix}${place.repository}`);
  const who = credential === undefined ? 'anonymously' : `with the credentials of ${credential.owner}`;
  const notes = session.notes().map(note => `; ${note}`).join('');
  return new RegistryError(`${where}: HTTP ${status} ${who}${notes}`, 'denied');
}

/** Milliseconds; seconds or a date in the header. */
function retryAfter({headers}: Answer, now: number): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  if (/^\d{1,6}$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function digestOf(algorithm: string, bytes: Uint8Array): string {
  return `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}`;
}

function checkDigest(bytes: Uint8Array, digest: string, name: string): void {
  const algorithm = digest.slice(0, digest.indexOf(':'));
  if (digestOf(algorithm, bytes) !== digest) throw new RegistryError(`${name}: what the registry gave is not ${digest}`, 'malformed');
}

function readObject(bytes: Uint8Array, name: string): JsonObject {
  let json: Json;
  try {
    json = parseJsonBytes(bytes);
  } catch (error) {
    throw new RegistryError(`${name}: no JSON`, 'malformed', {cause: error});
  }
  if (!isObject(json)) throw new RegistryError(`${name}: no object`, 'malformed');
  return json;
}

