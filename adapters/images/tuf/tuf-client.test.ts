import {createHash, generateKeyPairSync, sign} from 'node:crypto';
import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../../engine/json/types.js';
import {systemClock} from '../../clock.js';
import type {Transport} from '../registry/transport.js';
import publicGood from '../sigstore/data/public-good.generated.json' with {type: 'json'};
import {canonicalJson, checkRole, readMetadata} from './metadata.js';
import {readTarget} from './tuf-client.js';

const pairs = {first: generateKeyPairSync('ed25519'), second: generateKeyPairSync('ec', {namedCurve: 'P-256'})};
type Name = keyof typeof pairs;
const pem = (name: Name) => pairs[name].publicKey.export({type: 'spki', format: 'pem'}).toString();
const ahead = '2099-01-01T00:00:00Z';

function signedFile(signed: JsonObject, ...by: Name[]): Buffer {
  const data = Buffer.from(canonicalJson(signed));
  const signatures = by.map(keyid => ({keyid, sig: sign(keyid === 'first' ? null : 'sha256', data, pairs[keyid].privateKey).toString('hex')}));
  return Buffer.from(JSON.stringify({signed, signatures}));
}

function rootOf(version: number, keyid: Name, expires = ahead): JsonObject {
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

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function repository({signer = 'second', expires = ahead, target = Buffer.from('{"tlogs":[]}'), served}: {signer?: Name; expires?: string; target?: Buffer; served?: Buffer} = {}): Map<string, Buffer> {
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

function read(files: ReadonlyMap<string, Buffer>, root = signedFile(rootOf(1, 'first'), 'first')): Promise<string> {
  const transport: Transport = async ({url}) => ({status: files.has(url.pathname) ? 200 : 404, headers: {}, body: files.get(url.pathname) ?? Buffer.alloc(0)});
  const options = {transport, clock: systemClock, mirror: 'https://tuf.example', root, insecure: false};
  return readTarget('trusted_root.json', options).then(
    bytes => bytes.toString(),
    (error: Error) => error.message,
  );
}

describe('a repository of trusted roots', () => {
  it('gives its target, by a root that was renewed', async () => expect(await read(repository())).toBe('{"tlogs":[]}'));

  it('is not believed with anything wrong', async () => {
    expect(await read(repository({signer: 'first'}))).toContain('timestamp is signed by 0 of its keys');
    expect(await read(repository({expires: '2020-01-01T00:00:00Z'}))).toContain('timestamp expired');
    expect(await read(repository({served: Buffer.from('{}')}))).toContain('not what its listing says');
    const unsigned = repository().set('/2.root.json', signedFile(rootOf(2, 'second'), 'second'));
    expect(await read(unsigned)).toContain('root is signed by 0 of its keys');
    const skipped = repository().set('/2.root.json', signedFile(rootOf(3, 'second'), 'first', 'second'));
    expect(await read(skipped)).toContain('another version than its name says');
    const expired = repository().set('/2.root.json', signedFile(rootOf(2, 'second', '2020-01-01T00:00:00Z'), 'first', 'second'));
    expect(await read(expired)).toContain('root expired');
    expect(await read(new Map())).toContain('has no timestamp.json');
  });
});

it("Sigstore's first root is signed by its own keys", () => {
  const root = readMetadata(Buffer.from(JSON.stringify(publicGood.tufRoot)), 'root');
  expect(() => checkRole(root, 'root', root)).not.toThrow();
});
