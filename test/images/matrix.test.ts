import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {ImageVerificationError, type ImageOptions, type ImageSource, type SignatureFormat, type Signer, type Transparency} from '../../engine/image/verification.js';
import {systemClock} from '../../adapters/clock.js';
import {firstRoot, startTufServer, tufRepository, type TufServer} from '../../adapters/images/testing/tuf-repository.js';
import {access, attestorOf, createWorldImages, keyOf, noTransparency} from './queries.js';
import {addAttestedImages, artifacts, type AttestedWorld} from './attested-world.js';
import {createImagesWorld, envelopes, formats, hostOf, identity, type ImagesWorld, otherIdentity, scanType} from './world.js';

let world: ImagesWorld;
let images: ImageSource;

beforeAll(async () => {
  world = await createImagesWorld();
  images = createWorldImages();
});
afterAll(() => world?.stop());

const how = (): ImageOptions => ({deadline: Date.now() + 60_000, useCache: false});

/** `verified`, or why not. */
async function outcome(work: () => Promise<unknown> | unknown): Promise<string> {
  try {
    await work();
    return 'verified';
  } catch (error) {
    expect(error).toBeInstanceOf(ImageVerificationError);
    return `${(error as ImageVerificationError).reason}: ${(error as Error).message}`;
  }
}

interface Wanted {
  readonly format: SignatureFormat;
  readonly signer: Signer;
  readonly transparency?: Transparency;
  readonly annotations?: Readonly<Record<string, string>>;
}

function signatureOf(image: string, {format, signer, transparency = noTransparency, annotations = {}}: Wanted): Promise<string> {
  return outcome(() => images.verifySignature({image, access, format, ociReferrers: false, attestor: attestorOf(signer, {transparency, annotations})}, how()));
}

describe.each(formats)('signatures in the format %s', format => {
  const at = (name: string) => `${hostOf(world, format)}/${format}/${name}:v1`;
  const byKey = (name: string, more: Partial<Wanted> = {}) => signatureOf(at(name), {format, signer: keyOf(world), ...more});

  it('by the right key count, also where the format has to be found out', async () => {
    expect(await byKey('signed')).toBe('verified');
    expect(await byKey('signed', {format: 'auto'})).toBe('verified');
    expect(await images.verifySignature({image: at('signed'), access, format, ociReferrers: false, attestor: attestorOf(keyOf(world))}, how())).toMatchObject({digest: world.images.get(`${format}/signed`)?.digest});
  });

  it.each(['wrong', 'unsigned', 'tampered'])('do not count: %s', async name => {
    expect(await byKey(name)).toMatch(/^unverified: /);
    expect(await byKey(name, {format: 'auto'})).toMatch(/^unverified: /);
  });

  it('name the image when they do not count', async () => {
    expect(await byKey('unsigned')).toContain(at('unsigned'));
  });

  it('by another key than the one that is asked for do not count', async () => {
    expect(await byKey('signed', {signer: keyOf(world, 'wrong')})).toMatch(/^unverified: /);
    expect(await byKey('wrong', {signer: keyOf(world, 'wrong')})).toBe('verified');
  });

  it('without an entry of a log do not count where one is asked for', async () => {
    const transparency = {...noTransparency, ignoreTlog: false, rekorPublicKey: world.keyless.rekorKey};
    expect(await byKey('signed', {transparency})).toMatch(/^unverified: /);
  });

  it('carry the annotations that are asked for', async () => {
    expect(await byKey('signed', {annotations: {env: 'prod'}})).toBe('verified');
    expect(await byKey('signed', {annotations: {env: 'test'}})).toMatch(/^unverified: /);
    expect(await byKey('attested', {annotations: {env: 'prod'}})).toMatch(/^unverified: /);
  });

  const trusted = (): Transparency => ({...noTransparency, ignoreTlog: false, ignoreSct: false, trustedRoot: JSON.stringify(world.keyless.trustedRoot)});
  const byIdentity = (name: string, {subject, issuer}: {readonly subject: string; readonly issuer: string}, transparency: Transparency = trusted()) =>
    signatureOf(at(name), {
      format,
      signer: {type: 'keyless', identities: [{subject: {kind: 'exact', text: subject}, issuer: {kind: 'exact', text: issuer}}], roots: undefined, additionalExtensions: {}},
      transparency,
    });

  it('by an identity count for that identity alone', async () => {
    expect(await byIdentity('identity', identity)).toBe('verified');
    expect(await byIdentity('other-identity', otherIdentity)).toBe('verified');
    expect(await byIdentity('other-identity', identity)).toMatch(/^unverified: /);
    expect(await byIdentity('identity', {...identity, issuer: 'https://other.example.test'})).toMatch(/^unverified: /);
  });

  it('by a certificate that had expired when the log saw them do not count', async () => {
    expect(await byIdentity('expired', identity)).toMatch(/^unverified: /);
  });

  it('without proofs count only where those are not asked for', async () => {
    expect(await byIdentity('no-sct', identity)).toMatch(/^unverified: /);
    expect(await byIdentity('no-sct', identity, {...trusted(), ignoreSct: true})).toBe('verified');
    expect(await byIdentity('no-log', identity)).toMatch(/^unverified: /);
    expect(await byIdentity('timestamped', identity)).toMatch(/^unverified: /);
    expect(await byIdentity('timestamped', identity, {...trusted(), ignoreTlog: true})).toBe('verified');
  });

  it('by an identity of other authorities do not count', async () => {
    expect(await byIdentity('identity', identity, {...trusted(), trustedRoot: JSON.stringify({...world.keyless.trustedRoot, certificateAuthorities: []})})).toMatch(/^unverified: /);
  });

  const attestations = (name: string, more: {readonly type?: string; readonly signer?: Signer} = {}) =>
    images.verifyAttestations({image: at(name), access, format, ociReferrers: false, attestor: attestorOf(more.signer ?? keyOf(world)), type: more.type ?? scanType, kind: 'intoto'}, how());

  it('of statements give them to conditions', async () => {
    const {statements, digest} = await attestations('attested');
    expect(digest).toBe(world.images.get(`${format}/attested`)?.digest);
    expect(statements).toMatchObject([{predicateType: scanType, predicate: {severity: 'low'}}]);
    expect((await attestations('failing')).statements).toMatchObject([{predicate: {severity: 'high'}}]);
  });

  it('of statements by another key do not count', async () => {
    const forged = await outcome(async () => {
      const {statements} = await attestations('forged');
      if (statements.length === 0) throw new ImageVerificationError('no statements', 'unverified');
    });
    expect(forged).toMatch(/^unverified: /);
  });

  it('are no statements of a type that is not there', async () => {
    const missing = await outcome(async () => {
      const {statements} = await attestations('attested', {type: 'https://example.test/other/v1'});
      if (statements.length === 0) throw new ImageVerificationError('no statements', 'unverified');
    });
    expect(missing).toMatch(/^unverified: /);
  });
});

describe.each(Object.keys(envelopes))('notation signatures as %s', kind => {
  const at = (name: string) => `${world.hosts.referrers}/${kind}/${name}:v1`;
  const judge = (name: string, more: Partial<Extract<Signer, {type: 'notary'}>> = {}) =>
    signatureOf(at(name), {format: 'notary', signer: {type: 'notary', certificates: world.notation.authorities['trusted']!, tsaCertificates: undefined, ...more}});

  it('count by a trusted authority', async () => {
    expect(await judge('signed')).toBe('verified');
    expect(await judge('timestamped', {tsaCertificates: world.notation.authorities['tsa']})).toBe('verified');
  });

  it.each(['wrong', 'unsigned', 'tampered', 'expired'])('do not count: %s', async name => {
    expect(await judge(name)).toMatch(/^unverified: /);
  });

  it('without timestamp do not count where one is asked for', async () => {
    expect(await judge('signed', {tsaCertificates: world.notation.authorities['tsa']})).toMatch(/^unverified: /);
  });
});

describe.each(Object.keys(envelopes) as (keyof typeof envelopes)[])('artifacts beside an image, signed by notation as %s', envelope => {
  let attested: AttestedWorld;
  beforeAll(async () => {
    attested = await addAttestedImages(world, envelope);
  });
  const read = async (type: string, certificates = attested.certificate) => {
    const attestor = attestorOf({type: 'notary', certificates, tsaCertificates: undefined});
    return images.verifyAttestations({image: `${attested.places.notation}:v1`, access, format: 'notary', ociReferrers: false, attestor, type, kind: 'referrer'}, how());
  };

  it.each(['sbom/cyclone-dx', 'scan/report', 'vex/cyclone-dx'])('give what they hold: %s', async type => {
    expect(await read(type)).toMatchObject({digest: attested.digests.notation, statements: [artifacts[type]]});
  });

  it.each(['sbom/forged', 'sbom/unsigned', 'sbom/swapped'])('do not count: %s', async type => {
    expect(await outcome(() => read(type))).toMatch(/^unverified: /);
  });

  it('do not count by another certificate', async () => {
    expect(await outcome(() => read('sbom/cyclone-dx', world.notation.authorities['trusted']))).toMatch(/^unverified: /);
  });

  it('of a type that is not there are none, and the others are named', async () => {
    const {statements, otherTypes} = await read('sbom/none');
    expect(statements).toEqual([]);
    expect(otherTypes).toEqual(Object.keys(artifacts).sort());
  });
});

describe('a repository of trusted roots', () => {
  const format = 'tag';
  const day = 24 * 3_600_000;
  let server: TufServer;
  const target = () => Buffer.from(JSON.stringify(world.keyless.trustedRoot));
  beforeAll(async () => {
    server = await startTufServer(tufRepository({target: target()}));
  });
  afterAll(() => server?.close());
  const signer: Signer = {type: 'keyless', identities: [{subject: {kind: 'exact', text: identity.subject}, issuer: {kind: 'exact', text: identity.issuer}}], roots: undefined, additionalExtensions: {}};
  const asked = {...noTransparency, ignoreTlog: false, ignoreSct: false};
  const repository = (more: object = {}) => ({mirror: server.url, rootPath: undefined, root: firstRoot.toString(), ...more});
  const judge = (source: ImageSource, transparency: Transparency, name = 'identity') =>
    outcome(() => source.verifySignature({image: `${hostOf(world, format)}/${format}/${name}:v1`, access, format, ociReferrers: false, attestor: attestorOf(signer, {transparency})}, how()));

  it("of the installation tells whom to trust, and that of this release's makers does not count then", async () => {
    expect(await judge(createWorldImages({tuf: repository()}), asked)).toBe('verified');
    expect(await judge(createWorldImages({tuf: repository()}), asked, 'other-identity')).toMatch(/^unverified: /);
    expect(await judge(createWorldImages(), asked)).toMatch(/^unverified: /);
  });

  it('of a policy goes before it', async () => {
    expect(await judge(createWorldImages(), {...asked, tuf: repository()})).toBe('verified');
    const others = await startTufServer(tufRepository());
    try {
      expect(await judge(createWorldImages({tuf: repository()}), {...asked, tuf: repository({mirror: others.url})})).toMatch(/^unverified: /);
    } finally {
      await others.close();
    }
  });

  it.each([
    ['that has expired', () => tufRepository({target: target(), expires: '2020-01-01T00:00:00Z'})],
    ['that somebody else signed', () => tufRepository({target: target(), signer: 'first'})],
    ['whose root was exchanged', () => tufRepository({target: target(), served: Buffer.from('{}')})],
  ])('does not count: %s', async (_, files) => {
    const other = await startTufServer(files());
    try {
      expect(await judge(createWorldImages({tuf: repository({mirror: other.url})}), asked)).toMatch(/^unverified: /);
    } finally {
      await other.close();
    }
  });

  it('is asked again after some hours, goes on counting for a day when it is gone, and then no longer', async () => {
    const own = await startTufServer(tufRepository({target: target()}));
    let passed = 0;
    const clock = {...systemClock, monotonic: () => systemClock.monotonic() + passed, now: () => systemClock.now() + passed};
    // The key that signed holds for long, the certificates of the log's time do, too.
    const source = createWorldImages({tuf: repository({mirror: own.url}), clock});
    const late = (): ImageOptions => ({deadline: Number.POSITIVE_INFINITY, useCache: false});
    const again = () => outcome(() => source.verifySignature({image: `${hostOf(world, format)}/${format}/identity:v1`, access, format, ociReferrers: false, attestor: attestorOf(signer, {transparency: asked})}, late()));
    expect(await again()).toBe('verified');
    const first = own.requests.length;
    expect(await again()).toBe('verified');
    expect(own.requests).toHaveLength(first);
    passed += 7 * 3_600_000;
    expect(await again()).toBe('verified');
    expect(own.requests.length).toBeGreaterThan(first);
    await own.close();
    passed += 7 * 3_600_000;
    expect(await again()).toBe('verified');
    passed += day;
    expect(await again()).toMatch(/^unreachable: /);
  });
});
