import {createHash} from 'node:crypto';
import {ImageVerificationError} from '../../../engine/image/verification.js';
import {isObject, type JsonObject, own, ownPath} from '../../../engine/json/types.js';
import {textOf} from '../../../engine/json/text.js';
import type {Clock} from '../../clock.js';
import {parseUrl} from '../../http/pinned-request.js';
import {unverified} from '../notary/refuse.js';
import type {Transport} from '../registry/transport.js';
import {checkRole, type Metadata, readMetadata, type Role} from './metadata.js';

export interface TufOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** URL of the repository. */
  readonly mirror: string;
  /** Bytes of the first root that is believed. */
  readonly root: Buffer;
  /** Plain HTTP and loopback are allowed. */
  readonly insecure: boolean;
}

const maxRotations = 64;
const maxBytes = 1024 * 1024;
const timeoutMs = 20_000;

/**
 * Reads one target of a TUF repository by the client workflow of the specification: roots by roots, then timestamp,
 * snapshot and targets, each signed, not older than the one before and not expired; the target by its length and hash.
 * Rejects with an `ImageVerificationError`.
 */
export async function readTarget(name: string, options: TufOptions): Promise<Buffer> {
  const {transport, clock, mirror, insecure} = options;
  const base = parseUrl(mirror.endsWith('/') ? mirror : `${mirror}/`);
  if (base === undefined || (base.protocol !== 'https:' && !insecure)) throw unverified(`TUF mirror ${JSON.stringify(mirror.slice(0, 200))} is no https URL`);
  const controller = new AbortController();
  const cancel = clock.schedule(timeoutMs, () => controller.abort());

  /** `undefined` when it is not there. */
  async function fetchFile(path: string): Promise<Buffer | undefined> {
    const {status, body} = await transport({url: new URL(path, base), method: 'GET', headers: {}, maxBytes, insecure, signal: controller.signal});
    if (status === 404 || status === 403) return undefined;
    if (status !== 200) throw new ImageVerificationError(`TUF mirror ${base!.host}: HTTP ${status}`, 'unreachable');
    return body;
  }

  async function fetchRole(role: Exclude<Role, 'root'>, path: string, root: Metadata): Promise<Metadata> {
    const bytes = await fetchFile(path);
    if (bytes === undefined) throw unverified(`TUF mirror ${base!.host} has no ${path}`);
    const metadata = readMetadata(bytes, role);
    checkRole(metadata, role, root);
    checkFresh(metadata, role, clock.now());
    return metadata;
  }

  try {
    const root = await newestRoot(readMetadata(options.root, 'root'), fetchFile);
    checkFresh(root, 'root', clock.now());
    const isPrefixed = own(root.signed, 'consistent_snapshot') === true;
    const timestamp = await fetchRole('timestamp', 'timestamp.json', root);
    const wantedSnapshot = entryOf(timestamp.signed, 'meta', 'snapshot.json');
    const snapshot = await fetchRole('snapshot', isPrefixed ? `${wantedSnapshot.version}.snapshot.json` : 'snapshot.json', root);
    checkEntry(snapshot.bytes, wantedSnapshot, 'snapshot');
    if (snapshot.version !== wantedSnapshot.version) throw unverified('TUF snapshot is of another version than its timestamp says');
    const wantedTargets = entryOf(snapshot.signed, 'meta', 'targets.json');
    const targets = await fetchRole('targets', isPrefixed ? `${wantedTargets.version}.targets.json` : 'targets.json', root);
    checkEntry(targets.bytes, wantedTargets, 'targets');
    if (targets.version !== wantedTargets.version) throw unverified('TUF targets are of another version than their snapshot says');
    const wanted = entryOf(targets.signed, 'targets', name);
    if (wanted.sha256 === '') throw unverified(`TUF target ${name} has no hash`);
    const bytes = await fetchFile(`targets/${isPrefixed ? `${wanted.sha256}.` : ''}${name}`);
    if (bytes === undefined) throw unverified(`TUF mirror ${base.host} has no ${name}`);
    checkEntry(bytes, wanted, name);
    return bytes;
  } finally {
    cancel();
    controller.abort();
  }
}

/** Each root is signed by the keys of the one before and by its own. */
async function newestRoot(first: Metadata, fetchFile: (path: string) => Promise<Buffer | undefined>): Promise<Metadata> {
  let root = first;
  checkRole(root, 'root', root);
  for (let count = 0; count < maxRotations; count += 1) {
    const bytes = await fetchFile(`${root.version + 1}.root.json`);
    if (bytes === undefined) return root;
    const next = readMetadata(bytes, 'root');
    checkRole(next, 'root', root);
    checkRole(next, 'root', next);
    if (next.version !== root.version + 1) throw unverified('TUF root is of another version than its name says');
    root = next;
  }
  throw unverified(`TUF root was renewed more than ${maxRotations} times`);
}

function checkFresh({expires}: Metadata, role: Role, now: number): void {
  if (expires <= now) throw unverified(`TUF ${role} expired at ${new Date(expires).toISOString()}`);
}

interface Entry {
  readonly version: number;
  readonly length: number | undefined;
  readonly sha256: string;
}

function entryOf(signed: JsonObject, list: string, name: string): Entry {
  const entry = ownPath(signed, list, name);
  if (!isObject(entry)) throw unverified(`TUF metadata does not list ${name}`);
  const [version, length] = [own(entry, 'version'), own(entry, 'length')];
  return {
    version: typeof version === 'number' ? version : 0,
    length: typeof length === 'number' ? length : undefined,
    sha256: textOf(ownPath(entry, 'hashes', 'sha256')),
  };
}

function checkEntry(bytes: Buffer, {length, sha256}: Entry, name: string): void {
  const isSame = sha256 === '' || createHash('sha256').update(bytes).digest('hex') === sha256;
  if (!isSame || (length !== undefined && bytes.length > length)) throw unverified(`TUF ${name} is not what its listing says`);
}
