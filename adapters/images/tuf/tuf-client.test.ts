import {describe, expect, it} from 'vitest';
import {systemClock} from '../../clock.js';
import type {Transport} from '../registry/transport.js';
import publicGood from '../sigstore/data/public-good.generated.json' with {type: 'json'};
import {firstRoot, rootOf, signedFile, tufRepository as repository} from '../testing/tuf-repository.js';
import {checkRole, readMetadata} from './metadata.js';
import {readTarget} from './tuf-client.js';

function read(files: ReadonlyMap<string, Buffer>, root = firstRoot): Promise<string> {
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
