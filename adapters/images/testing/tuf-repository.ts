import {createHash, generateKeyPairSync, sign} from 'node:crypto';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import type {JsonObject} from '../../../engine/json/types.js';
import {canonicalJson} from '../tuf/metadata.js';

const pairs = {first: generateKeyPairSync('ed25519'), second: generateKeyPairSync('ec', {namedCurve: 'P-256'})};
export type TufKey = keyof typeof pairs;
const pem = (name: TufKey) => pairs[name].publicKey.export({type: 'spki', format: 'pem'}).toString();
const ahead = '2099-01-01T00:00:00Z';
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

export function signedFile(signed: JsonObject, ...by: TufKey[]): Buffer {
  const data = Buffer.from(canonicalJson(signed));
  const signatures = by.map(keyid => ({keyid, sig: sign(keyid === 'first' ? null : 'sha256', data, pairs[keyid].privateKey).toString('hex')}));
  return Buffer.from(JSON.stringify({signed, signatures}));
}

export function rootOf(version: number, keyid: TufKey, expires = ahead): JsonObject {
  const role = {keyids: [keyid], threshold: 1};
  return {
    _type: 'root',
    version,
    expires,
    consistent_snapshot: true,
    keys: {[keyid]: {keytype: 'any', keyval: {public: pem(keyid)}}},
    roles: {root: role, timestamp: role, snapshot: role, targets: role},
  };
}

/** The root that a client begins with. */
export const firstRoot = signedFile(rootOf(1, 'first'), 'first');

export interface TufRepositoryOptions {
  readonly signer?: TufKey;
  readonly expires?: string;
  /** `trusted_root.json`. */
  readonly target?: Buffer;
  /** What is served in its place. */
  readonly served?: Buffer;
}

/** Files of a repository whose root was renewed once, by their paths. */
export function tufRepository({signer = 'second', expires = ahead, target = Buffer.from('{"tlogs":[]}'), served}: TufRepositoryOptions = {}): Map<string, Buffer> {
  const meta = (_type: string, more: JsonObject): JsonObject => ({_type, version: 3, expires, ...more});
  const targets = signedFile(meta('targets', {targets: {'trusted_root.json': {length: target.length, hashes: {sha256: hashOf(target)}}}}), signer);
  const snapshot = signedFile(meta('snapshot', {meta: {'targets.json': {version: 3, hashes: {sha256: hashOf(targets)}}}}), signer);
  return new Map([
    ['/2.root.json', signedFile(rootOf(2, 'second'), 'first', 'second')],
    ['/timestamp.json', signedFile(meta('timestamp', {meta: {'snapshot.json': {version: 3}}}), signer)],
    ['/3.snapshot.json', snapshot],
    ['/3.targets.json', targets],
    [`/targets/${hashOf(target)}.trusted_root.json`, served ?? target],
  ]);
}

export interface TufServer {
  readonly url: string;
  /** Paths that were asked for. */
  readonly requests: string[];
  /** Serves others from now on. */
  serve(files: ReadonlyMap<string, Buffer>): void;
  close(): Promise<void>;
}

/** A repository on loopback, by plain HTTP. */
export async function startTufServer(first: ReadonlyMap<string, Buffer>, address = '127.0.0.1'): Promise<TufServer> {
  const requests: string[] = [];
  let files = first;
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push(path);
    const found = files.get(path);
    response.writeHead(found === undefined ? 404 : 200).end(found);
  });
  await new Promise<void>(resolve => server.listen(0, address, resolve));
  return {
    url: `http://${address}:${(server.address() as AddressInfo).port}`,
    requests,
    serve: next => {
      files = next;
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
