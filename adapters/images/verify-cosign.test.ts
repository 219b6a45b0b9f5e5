import {createHash, generateKeyPairSync, type KeyObject, sign} from 'node:crypto';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {afterEach, describe, expect, it} from 'vitest';
import {type Attestor, type HashAlgorithm, type ImageSource, ImageVerificationError, type SignatureQuery, type Signer, type Transparency} from '../../engine/image/verification.js';
import {openAccess, testImages} from './testing/test-images.js';
import {startTestRegistry, type TestRegistry, type TestRegistryOptions} from './testing/test-registry.js';

const open: TestRegistry[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(registry => registry.close()));
});

const noLog: Transparency = {
  rekorUrl: undefined,
  rekorPublicKey: undefined,
  ignoreTlog: true,
  ctlogPublicKey: undefined,
  ignoreSct: true,
  tsaCertChain: undefined,
  trustedRoot: undefined,
  tuf: undefined,
};
const pemOf = (key: KeyObject) => key.export({type: 'spki', format: 'pem'}).toString();
const pairs = {
  p256: generateKeyPairSync('ec', {namedCurve: 'P-256'}),
  p384: generateKeyPairSync('ec', {namedCurve: 'P-384'}),
  rsa: generateKeyPairSync('rsa', {modulusLength: 2048}),
  ed25519: generateKeyPairSync('ed25519'),
  other: generateKeyPairSync('ec', {namedCurve: 'P-256'}),
  log: generateKeyPairSync('ec', {namedCurve: 'P-256'}),
};
type Pair = (typeof pairs)['p256'];
const options = {deadline: Number.POSITIVE_INFINITY, useCache: true};
const scan = 'https://example.test/scan/v1';

function signBytes(data: Buffer, {privateKey}: Pair, hash = 'sha256'): Buffer {
  return sign(privateKey.asymmetricKeyType === 'ed25519' ? null : hash, data, privateKey);
}

const claim = (digest: string, optional: object | null = {env: 'prod'}) =>
  Buffer.from(JSON.stringify({critical: {identity: {}, image: {'docker-manifest-digest': digest}, type: 'cosign container image signature'}, optional}));

const simpleSigning = 'application/vnd.dev.cosign.simplesigning.v1+json';
const bundleType = 'application/vnd.dev.sigstore.bundle.v0.3+json';
const empty = '{}';

class World {
  constructor(readonly registry: TestRegistry) {}

  get image(): string {
    return `${this.registry.host}/app:v1`;
  }

  push(tag = 'v1'): string {
    return this.registry.pushImage('app', tag);
  }

  /** A layer of the older scheme. */
  attach(digest: string, {payload, annotations, kind = 'sig', repository = 'app', prefix = ''}: {payload: Buffer; annotations: Record<string, string>; kind?: 'sig' | 'att'; repository?: string; prefix?: string}): void {
    this.attachAll(digest, [{payload, annotations}], {kind, repository, prefix});
  }

  attachAll(digest: string, all: readonly {payload: Buffer; annotations: Record<string, string>}[], {kind = 'sig', repository = 'app', prefix = ''}: {kind?: 'sig' | 'att'; repository?: string; prefix?: string} = {}): void {
    const mediaType = kind === 'sig' ? simpleSigning : 'application/vnd.dsse.envelope.v1+json';
    const layers = all.map(({payload, annotations}) => ({mediaType, digest: this.registry.pushBlob(payload), size: payload.length, annotations}));
    const config = {mediaType: 'application/vnd.oci.image.config.v1+json', digest: this.registry.pushBlob(empty), size: 2};
    this.registry.pushManifest(repository, {schemaVersion: 2, config, layers}, `${prefix}${digest.replace(':', '-')}.${kind}`);
  }

  sign(digest: string, pair: Pair, {hash = 'sha256', payload = claim(digest), extra = {}}: {hash?: string; payload?: Buffer; extra?: Record<string, string>} = {}): Buffer {
    const signature = signBytes(payload, pair, hash);
    this.attach(digest, {payload, annotations: {'dev.cosignproject.cosign/signature': signature.toString('base64'), ...extra}});
    return signature;
  }

  /** A bundle with an in-toto statement among the referrers. */
  bundle(digest: string, pair: Pair, {type = 'https://sigstore.dev/cosign/sign/v1', subject = digest, predicate = {}}: {type?: string; subject?: string; predicate?: object} = {}): void {
    const envelope = envelopeOf({type, subject, predicate}, pair);
    const bundle = JSON.stringify({mediaType: bundleType, verificationMaterial: {publicKey: {hint: 'x'}, tlogEntries: []}, dsseEnvelope: envelope});
    const layer = {mediaType: bundleType, digest: this.registry.pushBlob(bundle), size: bundle.length};
    const config = {mediaType: 'application/vnd.oci.empty.v1+json', digest: this.registry.pushBlob(empty), size: 2};
    this.registry.pushManifest('app', {schemaVersion: 2, artifactType: bundleType, config, layers: [layer], subject: {digest}});
  }
}

function envelopeOf({type, subject, predicate}: {type: string; subject: string; predicate: object}, pair: Pair) {
  const [algorithm = '', hex = ''] = subject.split(':');
  const payload = Buffer.from(JSON.stringify({_type: 'https://in-toto.io/Statement/v1', predicateType: type, subject: [{digest: {[algorithm]: hex}, annotations: {env: 'prod'}}], predicate}));
  const payloadType = 'application/vnd.in-toto+json';
  const bytes = Buffer.concat([Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `), payload]);
  return {payloadType, payload: payload.toString('base64'), signatures: [{sig: signBytes(bytes, pair).toString('base64')}]};
}

async function start(more: TestRegistryOptions = {}): Promise<World> {
  const registry = await startTestRegistry(more);
  open.push(registry);
  return new World(registry);
}

const byKey = (pair: Pair, hash: HashAlgorithm = 'sha256'): Signer => ({type: 'key', publicKey: pemOf(pair.publicKey), hash});
const attestorOf = (signer: Signer, more: Partial<Attestor> = {}): Attestor => ({
  signer,
  transparency: noLog,
  annotations: {},
  repository: undefined,
  tagPrefix: undefined,
  pullSecrets: [],
  ...more,
});

async function outcome(image: string, attestor: Attestor, {images = testImages(), ...more}: Partial<SignatureQuery> & {images?: ImageSource} = {}): Promise<string> {
  try {
    const {digest} = await images.verifySignature({image, access: openAccess, format: 'auto', ociReferrers: false, attestor, ...more}, options);
    return digest;
  } catch (error) {
    if (error instanceof ImageVerificationError) return `${error.reason}: ${error.message}`;
    throw error;
  }
}

describe('a signature under a tag', () => {
  const rows: ReadonlyArray<readonly [string, Pair, HashAlgorithm]> = [
    ['ECDSA on P-256', pairs.p256, 'sha256'],
    ['ECDSA on P-384', pairs.p384 as Pair, 'sha256'],
    ['RSA', pairs.rsa as unknown as Pair, 'sha256'],
    ['RSA with SHA-512', pairs.rsa as unknown as Pair, 'sha512'],
    ['Ed25519', pairs.ed25519 as unknown as Pair, 'sha256'],
    ['ECDSA with SHA-384', pairs.p256, 'sha384'],
    ['ECDSA with SHA-224', pairs.p256, 'sha224'],
  ];
  for (const [name, pair, hash] of rows) {
    it(`counts by ${name}, and not by another key`, async () => {
      const world = await start();
      const digest = world.push();
      world.sign(digest, pair, {hash});
      expect(await outcome(world.image, attestorOf(byKey(pair, hash)))).toBe(digest);
      expect(await outcome(world.image, attestorOf(byKey(pairs.other, hash)))).toContain('unverified: ');
    });
  }

  it('does not count when it is missing, tampered with, or for another image', async () => {
    const world = await start();
    const digest = world.push();
    const judge = () => outcome(world.image, attestorOf(byKey(pairs.p256)));
    expect(await judge()).toContain(`unverified: ${world.image}: no signatures found`);
    const signature = world.sign(digest, pairs.p256).toString('base64');
    world.attach(digest, {payload: claim(digest, {env: 'other'}), annotations: {'dev.cosignproject.cosign/signature': signature}});
    expect(await judge()).toContain('invalid signature');
    world.sign(digest, pairs.p256, {payload: claim(`sha256:${'0'.repeat(64)}`)});
    expect(await judge()).toContain('the signature is for another digest');
    world.sign(digest, pairs.p256, {payload: Buffer.from(JSON.stringify({critical: {image: {'docker-manifest-digest': digest}, type: 'other'}}))});
    expect(await judge()).toContain('no claim about an image');
    world.sign(digest, pairs.p256, {payload: Buffer.from('[')});
    expect(await judge()).toContain('no JSON');
    world.attach(digest, {payload: claim(digest), annotations: {'dev.cosignproject.cosign/signature': '!', 'dev.sigstore.cosign/bundle': '{'}});
    expect(await judge()).toContain('unverified: ');
  });

  it('carries the annotations that are asked for', async () => {
    const world = await start();
    const digest = world.push();
    world.sign(digest, pairs.p256);
    const judge = (annotations: Record<string, string>) => outcome(world.image, attestorOf(byKey(pairs.p256), {annotations}));
    expect(await judge({env: 'prod'})).toBe(digest);
    expect(await judge({env: 'test'})).toContain('no signature matched the required annotations: env=test');
    expect(await judge({constructor: 'x'})).toContain('no signature matched');
  });

  it('is looked for in another repository, and under prefixed tags', async () => {
    const world = await start();
    const digest = world.push();
    const payload = claim(digest);
    const annotations = {'dev.cosignproject.cosign/signature': signBytes(payload, pairs.p256).toString('base64')};
    world.attach(digest, {payload, annotations, repository: 'signatures', prefix: 'qa-'});
    const at = {repository: `${world.registry.host}/signatures`, tagPrefix: 'qa-'};
    expect(await outcome(world.image, attestorOf(byKey(pairs.p256), at))).toBe(digest);
    expect(await outcome(world.image, attestorOf(byKey(pairs.p256)))).toContain('no signatures found');
    expect(await outcome(world.image, attestorOf(byKey(pairs.p256), {...at, repository: 'x:y@z'}))).toContain('no repository');
  });

  it('is proven by a key from a Secret, and the message tells why one cannot be read', async () => {
    const world = await start();
    const digest = world.push();
    world.sign(digest, pairs.p256);
    const data = {'cosign.pub': Buffer.from(pemOf(pairs.p256.publicKey)).toString('base64')};
    const images = testImages({
      secrets: async ({name}) => {
        if (name === 'closed') throw new Error('permission denied: needs get on secrets');
        return name === 'key' ? {data} : undefined;
      },
    });
    const judge = (name: string) => outcome(world.image, attestorOf({type: 'secret', secret: {namespace: 'a', name}, hash: 'sha256'}), {images});
    expect(await judge('key')).toBe(digest);
    expect(await judge('none')).toContain('unverified: ');
    expect(await judge('closed')).toContain('unreachable: ');
    expect(await judge('closed')).toContain('Secret a/closed: permission denied');
  });

  it('needs a plug-in for key services', async () => {
    const world = await start();
    world.push();
    expect(await outcome(world.image, attestorOf({type: 'kms', uri: 'awskms:///alias/x', hash: 'sha256'}))).toContain('"awskms" has no plug-in');
  });

  it('is proven by the key that a key service gives, and by nothing when it gives none', async () => {
    const world = await start();
    const digest = world.push();
    world.sign(digest, pairs.p256);
    const keyServices = {
      async publicKey({uri}: {readonly uri: string}) {
        if (uri === 'awskms:///alias/right') return pemOf(pairs.p256.publicKey);
        if (uri === 'awskms:///alias/other') return pemOf(pairs.other.publicKey);
        throw new ImageVerificationError('key service awskms: gave no answer in time', 'unreachable');
      },
    };
    const images = testImages({keyServices});
    const judge = (name: string) => outcome(world.image, attestorOf({type: 'kms', uri: `awskms:///alias/${name}`, hash: 'sha256'}), {images});
    expect(await judge('right')).toBe(digest);
    expect(await judge('other')).toContain('unverified: ');
    expect(await judge('none')).toBe(`unreachable: ${world.image}: key service awskms: gave no answer in time`);
  });
});

describe('an entry of a log', () => {
  const log: Transparency = {...noLog, ignoreTlog: false, rekorPublicKey: pemOf(pairs.log.publicKey)};
  const logId = createHash('sha256').update(pairs.log.publicKey.export({type: 'spki', format: 'der'})).digest('hex');

  function entryOf(payload: Buffer, signature: Buffer, {signer = pairs.log, key = pairs.p256, kind = 'hashedrekord'} = {}): string {
    const body = Buffer.from(
      JSON.stringify({
        apiVersion: '0.0.1',
        kind,
        spec: {
          data: {hash: {algorithm: 'sha256', value: createHash('sha256').update(payload).digest('hex')}},
          signature: {content: signature.toString('base64'), publicKey: {content: Buffer.from(pemOf(key.publicKey)).toString('base64')}},
        },
      }),
    ).toString('base64');
    const Payload = {body, integratedTime: 1_700_000_000, logIndex: 7, logID: logId};
    const text = `{"body":"${body}","integratedTime":1700000000,"logID":"${logId}","logIndex":7}`;
    return JSON.stringify({SignedEntryTimestamp: signBytes(Buffer.from(text), signer).toString('base64'), Payload});
  }

  async function judge(entry: (payload: Buffer, signature: Buffer) => string | undefined): Promise<string> {
    const world = await start();
    const digest = world.push();
    const payload = claim(digest);
    const signature = signBytes(payload, pairs.p256);
    const given = entry(payload, signature);
    world.attach(digest, {
      payload,
      annotations: {'dev.cosignproject.cosign/signature': signature.toString('base64'), ...(given && {'dev.sigstore.cosign/bundle': given})},
    });
    return outcome(world.image, attestorOf(byKey(pairs.p256), {transparency: log}));
  }

  it('proves the publication', async () => expect(await judge(entryOf)).toMatch(/^sha256:/));

  const rows: ReadonlyArray<readonly [string, (payload: Buffer, signature: Buffer) => string | undefined, string]> = [
    ['none', () => undefined, 'no entry of a transparency log'],
    ['of a log that is not trusted', (...args) => entryOf(...args, {signer: pairs.other}), 'signed entry timestamp'],
    ['of another signature', payload => entryOf(payload, Buffer.from('other')), 'about another signature'],
    ['of other content', (_, signature) => entryOf(Buffer.from('other'), signature), 'about another content'],
    ['of another key', (...args) => entryOf(...args, {key: pairs.other}), 'about another key'],
    ['of an unknown kind', (...args) => entryOf(...args, {kind: 'constructor'}), 'not supported'],
    ['of no sense', () => '{"Payload":1}', 'Payload is no object'],
  ];
  for (const [name, entry, message] of rows) it(`does not count: ${name}`, async () => expect(await judge(entry)).toContain(message));
});

describe('an entry that a log is asked for', () => {
  const logId = createHash('sha256').update(pairs.log.publicKey.export({type: 'spki', format: 'der'})).digest('hex');
  const servers: Server[] = [];
  afterEach(() => Promise.all(servers.splice(0).map(server => new Promise(resolve => server.close(resolve)))));

  /** A log like Rekor: promises an entry for every proposal, by `signer`. */
  async function startLog(answer: (proposal: string) => {status?: number; entries: (signer: Pair) => readonly object[]}) {
    const asked: Array<{kind: string; spec: Record<string, unknown>}> = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const {entries: [proposal]} = JSON.parse(body) as {entries: [{kind: string; spec: Record<string, unknown>}]};
      asked.push(proposal);
      const {status = 200, entries} = answer(JSON.stringify(proposal));
      const found = entries(pairs.log);
      response.writeHead(request.url === '/api/v1/log/entries/retrieve' && request.method === 'POST' ? status : 404).end(JSON.stringify(found));
    });
    servers.push(server);
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return {asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`};
  }

  const logged = (text: string, signer: Pair) => {
    const body = Buffer.from(text).toString('base64');
    const promise = signBytes(Buffer.from(`{"body":"${body}","integratedTime":1700000000,"logID":"${logId}","logIndex":7}`), signer);
    return {uuid: {body, integratedTime: 1_700_000_000, logID: logId, logIndex: 7, verification: {signedEntryTimestamp: promise.toString('base64')}}};
  };
  const transparencyOf = (url: string): Transparency => ({...noLog, ignoreTlog: false, rekorUrl: url, rekorPublicKey: pemOf(pairs.log.publicKey)});

  async function judge(log: {url: string}, {by = pairs.p256, count = 1}: {by?: Pair; count?: number} = {}): Promise<string> {
    const world = await start();
    const digest = world.push();
    const payload = claim(digest);
    const layers = Array.from({length: count}, () => ({payload, annotations: {'dev.cosignproject.cosign/signature': signBytes(payload, by).toString('base64')}}));
    world.attachAll(digest, layers);
    return outcome(world.image, attestorOf(byKey(pairs.p256), {transparency: transparencyOf(log.url)}));
  }

  it('counts when it is proven', async () => {
    const log = await startLog(proposal => ({entries: signer => [logged(proposal, signer)]}));
    expect(await judge(log)).toMatch(/^sha256:/);
    expect(log.asked).toMatchObject([{kind: 'hashedrekord', apiVersion: '0.0.1'}]);
  });

  it('counts among others that do not', async () => {
    const log = await startLog(proposal => ({entries: signer => [logged(proposal, pairs.other), logged(proposal, signer)]}));
    expect(await judge(log)).toMatch(/^sha256:/);
  });

  const rows: ReadonlyArray<readonly [string, (proposal: string) => {status?: number; entries: (signer: Pair) => readonly object[]}, string]> = [
    ['there is none', () => ({entries: () => []}), 'no entry of a transparency log'],
    ['there is no such log', () => ({status: 404, entries: () => []}), 'no entry of a transparency log'],
    ['another log made it', proposal => ({entries: () => [logged(proposal, pairs.other)]}), 'signed entry timestamp'],
    ['it is about something else', proposal => ({entries: signer => [logged(proposal.replace(/"value":"[0-9a-f]{8}/, '"value":"00000000'), signer)]}), 'about another content'],
    ['it proves nothing', proposal => ({entries: signer => [{uuid: {...logged(proposal, signer).uuid, verification: {}}}]}), 'proves nothing'],
    ['the log is broken', () => ({status: 500, entries: () => []}), 'unreachable: '],
    ['the log says nothing of sense', () => ({entries: () => ({length: 0, map: 1}) as never}), 'no list'],
  ];
  for (const [name, answer, message] of rows) it(`does not count: ${name}`, async () => expect(await judge(await startLog(answer))).toContain(message));

  it('is not asked for where the signature is not the key’s, and for few signatures at most', async () => {
    const log = await startLog(() => ({entries: () => []}));
    expect(await judge(log, {by: pairs.other})).toContain('invalid signature');
    expect(log.asked).toEqual([]);
    await judge(log, {count: 10});
    expect(log.asked).toHaveLength(3);
  });

  it('is of the envelope for attestations', async () => {
    const log = await startLog(() => ({entries: () => []}));
    const world = await start();
    const digest = world.push();
    world.bundle(digest, pairs.p256, {type: scan});
    const attestor = attestorOf(byKey(pairs.p256), {transparency: transparencyOf(log.url)});
    const query = {image: world.image, access: openAccess, format: 'auto', ociReferrers: false, attestor, type: scan, kind: 'intoto'} as const;
    await expect((async () => testImages().verifyAttestations(query, options))()).rejects.toThrow('no entry of a transparency log');
    expect(log.asked).toMatchObject([{kind: 'dsse', spec: {proposedContent: {envelope: expect.stringContaining('payloadType')}}}]);
  });
});

describe('bundles among referrers', () => {
  for (const referrersApi of [true, false]) {
    it(`count ${referrersApi ? 'by the referrers API' : 'by the tag that stands in for it'}`, async () => {
      const world = await start({referrersApi});
      const digest = world.push();
      world.bundle(digest, pairs.p256);
      expect(await outcome(world.image, attestorOf(byKey(pairs.p256), {annotations: {env: 'prod'}}))).toBe(digest);
      expect(await outcome(world.image, attestorOf(byKey(pairs.p256)), {format: 'tag'})).toContain('no signatures found');
      expect(await outcome(world.image, attestorOf(byKey(pairs.other)))).toContain('invalid signature');
    });
  }

  it('do not count for another image, and an attestation is no signature unless bundles are asked for', async () => {
    const world = await start();
    const digest = world.push();
    world.bundle(digest, pairs.p256, {subject: `sha256:${'0'.repeat(64)}`});
    expect(await outcome(world.image, attestorOf(byKey(pairs.p256)))).toContain('the statement is about another image');
    const second = await start();
    const other = second.push();
    second.bundle(other, pairs.p256, {type: scan});
    expect(await outcome(second.image, attestorOf(byKey(pairs.p256)))).toContain('an attestation, not a signature');
    // Where bundles are asked for by name, a statement about the image is one.
    expect(await outcome(second.image, attestorOf(byKey(pairs.p256)), {format: 'bundle'})).toBe(other);
    expect(await outcome(second.image, attestorOf(byKey(pairs.other)), {format: 'bundle'})).toContain('invalid signature');
  });

  it('may be many without being asked for all', async () => {
    const world = await start();
    const digest = world.push();
    for (let index = 0; index < 101; index += 1) world.bundle(digest, pairs.other, {type: `${scan}/${index}`});
    expect(await outcome(world.image, attestorOf(byKey(pairs.p256)), {format: 'bundle'})).toContain('more than 100 signatures');
  });
});

describe('attestations', () => {
  async function ask(world: World, {type = scan, signer = byKey(pairs.p256)}: {type?: string; signer?: Signer | undefined} = {}) {
    const attestor = attestorOf(signer);
    return testImages().verifyAttestations({image: world.image, access: openAccess, format: 'auto', ociReferrers: false, attestor, type, kind: 'intoto'}, options);
  }

  it('give their statements, in both formats', async () => {
    const world = await start();
    const digest = world.push();
    world.bundle(digest, pairs.p256, {type: scan, predicate: {severity: 'low'}});
    expect(await ask(world)).toMatchObject({digest, statements: [{predicate: {severity: 'low'}}], otherTypes: []});
    const older = await start();
    const second = older.push();
    const payload = Buffer.from(JSON.stringify(envelopeOf({type: scan, subject: second, predicate: {severity: 'high'}}, pairs.p256)));
    older.attach(second, {payload, annotations: {'dev.cosignproject.cosign/signature': ''}, kind: 'att'});
    expect(await ask(older)).toMatchObject({digest: second, statements: [{predicate: {severity: 'high'}}]});
  });

  it('of other types are named, those by others are refused', async () => {
    const world = await start();
    const digest = world.push();
    world.bundle(digest, pairs.p256, {type: scan});
    expect(await ask(world, {type: 'https://example.test/none'})).toMatchObject({statements: [], otherTypes: [scan]});
    await expect(ask(world, {signer: byKey(pairs.other)})).rejects.toMatchObject({reason: 'unverified'});
  });
});

describe('verdicts', () => {
  it('are kept by digest, verifier and credentials, the failing ones too', async () => {
    const world = await start();
    const digest = world.push();
    world.sign(digest, pairs.p256);
    const images = testImages();
    await outcome(world.image, attestorOf(byKey(pairs.p256)), {images});
    const asked = world.registry.requests.length;
    expect(await outcome(world.image, attestorOf(byKey(pairs.p256)), {images})).toBe(digest);
    expect(world.registry.requests).toHaveLength(asked);
    const query = {image: world.image, access: openAccess, format: 'auto', ociReferrers: false, attestor: attestorOf(byKey(pairs.p256))} as const;
    expect(images.verifySignature(query, options)).not.toBeInstanceOf(Promise);
    await outcome(world.image, attestorOf(byKey(pairs.other)), {images});
    const afterOther = world.registry.requests.length;
    expect(afterOther).toBeGreaterThan(asked);
    expect(await outcome(world.image, attestorOf(byKey(pairs.other)), {images})).toContain('unverified');
    expect(world.registry.requests).toHaveLength(afterOther);
    await outcome(world.image, attestorOf(byKey(pairs.p256)), {images, access: {...openAccess, secrets: [{namespace: 'b', name: 'p'}]}});
    expect(world.registry.requests.length).toBeGreaterThan(afterOther);
    expect(await outcome(`${world.registry.host}/app@${digest}`, attestorOf(byKey(pairs.p256)), {images})).toBe(digest);
  });

  it('are of the digest that the tag stood for', async () => {
    const world = await start();
    const digest = world.push();
    world.sign(digest, pairs.p256);
    const moved = world.registry.pushImage('app', 'v1', {architecture: 'amd64', os: 'linux', moved: true});
    expect(moved).not.toBe(digest);
    expect(await outcome(world.image, attestorOf(byKey(pairs.p256)))).toContain('no signatures found');
  });
});
