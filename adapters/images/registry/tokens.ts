import {createHash} from 'node:crypto';
import {parseJsonBytes} from '../../../engine/json/parse.js';
import {isObject, type Json, own} from '../../../engine/json/types.js';
import type {Clock} from '../../clock.js';
import {parseUrl, placeOf} from '../../http/pinned-request.js';
import type {Credential} from '../credentials/credential.js';
import type {Challenge} from './challenge.js';
import {belongsTo, endpointOf, isLoopback} from './hosts.js';
import {RegistryError} from './registry-error.js';
import type {Session} from './session.js';
import type {Transport} from './transport.js';

export interface TokenOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Registry → host of its token service, where that is of another domain. */
  readonly realms?: ReadonlyMap<string, string> | undefined;
}

export interface TokenQuestion {
  readonly registry: string;
  readonly repository: string;
  readonly credential: Credential | undefined;
  readonly session: Session;
}

/** Values of `authorization` for a registry, from tokens kept while they last. */
export interface Tokens {
  /** `undefined`: none is known, ask without and show the challenge. */
  known(question: TokenQuestion): string | undefined;
  /** Rejects with a `RegistryError`; `undefined` when nothing answers the challenges. */
  answer(challenges: readonly Challenge[], question: TokenQuestion): Promise<string | undefined>;
}

const maxTokens = 1000;
const maxBytes = 64 * 1024;
/** The specification's least, less what a request takes. */
const leastSeconds = 50;

export function createTokens({transport, clock, realms}: TokenOptions): Tokens {
  const kept = new Map<string, {readonly value: string; readonly until: number}>();

  function keep(question: TokenQuestion, value: string, seconds: number): string {
    const key = keyOf(question);
    kept.delete(key);
    if (kept.size >= maxTokens) kept.delete(kept.keys().next().value!);
    kept.set(key, {value, until: clock.now() + seconds * 1000});
    return value;
  }

  async function fetchToken(challenge: Challenge, question: TokenQuestion): Promise<string> {
    const {registry, repository, credential, session} = question;
    const realm = parseUrl(challenge.parameters.get('realm') ?? '');
    if (realm === undefined) throw new RegistryError(`${registry}: its token service is no URL`, 'malformed');
    const open = session.insecure && (isLoopback(registry) || !isLoopback(realm.host));
    if (realm.protocol !== 'https:' && !open) {
      throw new RegistryError(`${registry}: its token service ${placeOf(realm)} is not https`, 'malformed');
    }
    const isOwn = belongsTo(realm.host, endpointOf(registry)) || realms?.get(registry) === realm.host;
    const shown = isOwn ? credential : undefined;
    const scope = challenge.parameters.get('scope') ?? `repository:${repository}:pull`;
    const service = challenge.parameters.get('service');
    const common = {maxBytes, insecure: open, signal: session.signal};
    const {status, body} =
      shown?.identityToken === undefined
        ? await transport({...common, url: questionUrl(realm, {scope, service}), method: 'GET', headers: basicHeader(shown)})
        : await transport({
            ...common,
            url: realm,
            method: 'POST',
            headers: {'content-type': 'application/x-www-form-urlencoded'},
            body: new URLSearchParams({
              grant_type: 'refresh_token',
              refresh_token: shown.identityToken,
              scope,
              client_id: 'kyverno-ts',
              ...(service !== undefined && {service}),
            }).toString(),
          });
    if (status === 401 || status === 403) {
      const why = isOwn || credential === undefined ? '' : `; it is no host of ${registry}, so it was not shown the credentials of ${credential.owner}`;
      throw new RegistryError(`${placeOf(realm)}: no token for ${repository} (HTTP ${status})${why}`, 'denied');
    }
    if (status !== 200) throw new RegistryError(`${placeOf(realm)}: HTTP ${status}`, status >= 500 || status === 429 ? 'unreachable' : 'denied');
    const {token, seconds} = readToken(body, realm);
    return keep(question, `Bearer ${token}`, Math.max(leastSeconds, seconds - 10));
  }

  return {
    known(question) {
      const found = kept.get(keyOf(question));
      return found !== undefined && found.until > clock.now() ? found.value : undefined;
    },
    async answer(challenges, question) {
      const {credential} = question;
      const bearer = challenges.find(({scheme}) => scheme === 'bearer');
      if (bearer !== undefined) {
        if (credential?.registryToken !== undefined) return keep(question, `Bearer ${credential.registryToken}`, leastSeconds);
        return fetchToken(bearer, question);
      }
      const {authorization} = basicHeader(credential);
      if (authorization === undefined || !challenges.some(({scheme}) => scheme === 'basic')) return undefined;
      return keep(question, authorization, 3600);
    },
  };
}

function keyOf({registry, repository, credential, session}: TokenQuestion): string {
  const secret = credential === undefined ? '' : [credential.username, credential.password, credential.identityToken, credential.registryToken].join('\0');
  const digest = createHash('sha256').update(secret).digest('base64');
  return [registry, repository, session.insecure, credential?.owner ?? '', digest].join('\n');
}

function questionUrl(realm: URL, {scope, service}: {readonly scope: string; readonly service: string | undefined}): URL {
  const url = new URL(realm);
  if (service !== undefined) url.searchParams.set('service', service);
  for (const one of scope.split(' ')) url.searchParams.append('scope', one);
  return url;
}

function basicHeader(credential: Credential | undefined): Record<string, string> {
  if (credential === undefined || (credential.username === '' && credential.password === '')) return {};
  return {authorization: `Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString('base64')}`};
}

function readToken(body: Buffer, realm: URL): {readonly token: string; readonly seconds: number} {
  const refuse = (): never => {
    throw new RegistryError(`${placeOf(realm)}: its answer holds no token`, 'malformed');
  };
  let json: Json;
  try {
    json = parseJsonBytes(body);
  } catch {
    // The parser's text would quote the token.
    return refuse();
  }
  if (!isObject(json)) return refuse();
  const token = own(json, 'token') ?? own(json, 'access_token');
  if (typeof token !== 'string' || !/^[\x21-\x7e]{1,32768}$/.test(token)) return refuse();
  const seconds = own(json, 'expires_in');
  return {token, seconds: typeof seconds === 'number' ? seconds : 60};
}
