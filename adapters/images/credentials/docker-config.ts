import {parseJsonBytes} from '../../../engine/json/parse.js';
import {isObject, type Json, type JsonObject, own} from '../../../engine/json/types.js';
import {textOf} from '../../../engine/json/text.js';
import {hostName, hub} from '../image-name.js';
import type {Credential} from './credential.js';

/** Docker's `config.json`: what it knows of registries, in the order of how exactly they are named. */
export interface DockerConfig {
  readonly entries: readonly DockerEntry[];
  /** Registry → name of a helper. */
  readonly helpers: ReadonlyMap<string, string>;
  /** Helper of all registries. */
  readonly store: string;
}

interface DockerEntry {
  /** May hold `*` for a part of a label. */
  readonly host: string;
  /** Empty, or the first segments of repositories. */
  readonly path: string;
  readonly login: Omit<Credential, 'owner'>;
}

/** Reads `config.json`, or the older `.dockercfg` that is its `auths` alone. Throws with a text that quotes nothing. */
export function readDockerConfig(bytes: Uint8Array, isLegacy = false): DockerConfig {
  let json: Json;
  try {
    json = parseJsonBytes(bytes);
  } catch {
    // The parser's text would quote a password.
    throw new Error('it is no JSON');
  }
  if (!isObject(json)) throw new Error('it is no object');
  const auths = isLegacy ? json : own(json, 'auths');
  const entries = isObject(auths) ? Object.entries(auths).flatMap(([key, value]) => readEntry(key, value)) : [];
  const helpers = own(json, 'credHelpers');
  return {
    entries: entries.sort((a, b) => b.path.length - a.path.length || Number(a.host.includes('*')) - Number(b.host.includes('*'))),
    helpers: new Map(
      isObject(helpers) && !isLegacy ? Object.entries(helpers).map(([key, value]) => [placeOf(key).host, textOf(value)]) : [],
    ),
    store: isLegacy ? '' : textOf(own(json, 'credsStore')),
  };
}

/** The login for a repository; `undefined` when there is none. */
export function loginOf(config: DockerConfig, registry: string, repository: string): Omit<Credential, 'owner'> | undefined {
  return config.entries.find(entry => isHost(registry, entry.host) && isBelow(repository, entry.path))?.login;
}

/** Keys are hosts, hosts with paths, or URLs of older APIs: `https://index.docker.io/v1/`. */
function placeOf(key: string): {readonly host: string; readonly path: string} {
  const bare = key.replace(/^https?:\/\//, '');
  const slash = bare.indexOf('/');
  const host = hostName(slash < 0 ? bare : bare.slice(0, slash));
  const path = slash < 0 ? '' : bare.slice(slash + 1).replace(/\/+$/, '');
  return {host, path: /^v[12]$/.test(path) ? '' : path};
}

function readEntry(key: string, value: Json): DockerEntry[] {
  if (!isObject(value)) return [];
  const login = readLogin(value);
  return login === undefined ? [] : [{...placeOf(key), login}];
}

function readLogin(value: JsonObject): DockerEntry['login'] | undefined {
  const text = (key: string) => textOf(own(value, key));
  const identityToken = text('identitytoken') || undefined;
  const registryToken = text('registrytoken') || undefined;
  const decoded = Buffer.from(text('auth'), 'base64').toString('utf8').replace(/\0+$/, '');
  const colon = decoded.indexOf(':');
  const username = text('username') || (colon < 0 ? '' : decoded.slice(0, colon));
  const password = text('password') || (colon < 0 ? '' : decoded.slice(colon + 1));
  if (username === '' && password === '' && identityToken === undefined && registryToken === undefined) return undefined;
  return {username, password, identityToken, registryToken};
}

/** Label by label; `*` in a label of the key stands for any part of it. */
function isHost(registry: string, wanted: string): boolean {
  if (registry === wanted) return true;
  if (!wanted.includes('*') || registry === hub) return false;
  const [labels, patterns] = [registry.split('.'), wanted.split('.')];
  return labels.length === patterns.length && patterns.every((pattern, index) => isLabel(labels[index]!, pattern));
}

function isLabel(label: string, pattern: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return label === pattern;
  if (!label.startsWith(head)) return false;
  let at = head.length;
  const tail = rest.pop()!;
  for (const part of rest) {
    const found = label.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return label.length - tail.length >= at && label.endsWith(tail);
}

function isBelow(repository: string, path: string): boolean {
  return path === '' || repository === path || repository.startsWith(`${path}/`);
}
