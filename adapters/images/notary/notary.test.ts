import {readFileSync} from 'node:fs';
import {generateKeyPairSync, X509Certificate} from 'node:crypto';
import {describe, expect, it} from 'vitest';
import {ImageVerificationError} from '../../../engine/image/verification.js';
import {makeAuthority, makeCertificate, type TestCertificateOptions, usage} from './testing/certificates.js';
import {makeCose, makeJws, type TestEnvelope} from './testing/envelopes.js';
import {type NotaryTarget, type NotaryVerification, notaryMediaTypes, verifyNotary} from './verify.js';

interface Recorded {
  readonly target: NotaryTarget;
  readonly now: string;
  readonly authorities: Readonly<Record<string, string>>;
  readonly envelopes: Readonly<Record<string, string>>;
}

const recorded = JSON.parse(readFileSync(new URL('testdata/envelopes.json', import.meta.url), 'utf8')) as Recorded;
const {target} = recorded;
const now = Date.parse(recorded.now);

/** The refusal, or `undefined` when the signature counts. */
function refusal(verification: NotaryVerification): string | undefined {
  try {
    verifyNotary(verification);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(ImageVerificationError);
    expect(error).toHaveProperty('reason', 'unverified');
    return (error as Error).message;
  }
}

function recordedVerification(kind: 'jws' | 'cose', name: string, more: Partial<NotaryVerification> = {}): NotaryVerification {
  return {
    envelope: Buffer.from(recorded.envelopes[`${kind}-${name}`]!, 'base64'),
    mediaType: notaryMediaTypes[kind],
    certificates: recorded.authorities['trusted']!,
    tsaCertificates: undefined,
    target,
    now,
    ...more,
  };
}

describe.each(['jws', 'cose'] as const)('a %s envelope of notation', kind => {
  const judge = (name: string, more?: Partial<NotaryVerification>) => refusal(recordedVerification(kind, name, more));
  const tsa = {tsaCertificates: recorded.authorities['tsa']};

  it.each(['ec256', 'ec384', 'ec521', 'rsa2048', 'rsa3072', 'rsa4096', 'timestamp', 'signing-authority'])('counts: %s', name => {
    expect(judge(name)).toBeUndefined();
  });

  it('counts when its authority is one of several that are trusted', () => {
    expect(judge('ec256', {certificates: `${recorded.authorities['other']}\n${recorded.authorities['trusted']}`})).toBeUndefined();
  });

  it('does not count when its authority is another one', () => {
    expect(judge('other-authority')).toContain('whose chain has none of the trusted certificates');
    expect(judge('other-authority')).toContain('CN=signer of other');
  });

  it.each([
    ['digest', {digest: `sha256:${'f'.repeat(64)}`}],
    ['size', {size: 529}],
    ['mediaType', {mediaType: 'application/vnd.oci.image.index.v1+json'}],
  ])('does not count for another %s', (name, change) => {
    expect(judge('ec256', {target: {...target, ...change}})).toContain(`another artifact: ${name}`);
  });

  it('counts until it expires', () => {
    expect(judge('expiring', {now: Date.parse('2024-12-31T23:59:59Z')})).toBeUndefined();
    expect(judge('expiring', {now: Date.parse('2025-01-01T00:00:00Z')})).toContain('the signature expired at 2025-01-01T00:00:00.000Z');
  });

  it('counts as long as its certificate does', () => {
    expect(judge('old-certificate', {now: Date.parse('2023-12-01')})).toBeUndefined();
    expect(judge('old-certificate')).toContain('was expired at verification (valid until 2024-01-01');
    expect(judge('old-certificate', {now: Date.parse('2022-12-01')})).toContain('was not yet valid at verification');
  });

  it('counts after its certificate expired when a trusted authority saw it before', () => {
    expect(judge('old-certificate-timestamp')).toContain('was expired at verification');
    expect(judge('old-certificate-timestamp', tsa)).toBeUndefined();
    expect(judge('old-certificate-timestamp', {tsaCertificates: recorded.authorities['other-tsa']})).toContain('timestamp authority');
    expect(judge('other-timestamp', tsa)).toContain('timestamp authority');
  });

  it('has to have a timestamp when authorities for it are named', () => {
    expect(judge('ec256', tsa)).toContain('no timestamp');
    expect(judge('timestamp', tsa)).toBeUndefined();
  });

  it('is not made younger by the word of a signing authority', () => {
    expect(judge('old-signing-authority')).toContain('was expired at verification');
    expect(judge('old-signing-authority', tsa)).toContain('was expired at verification');
  });

  it('with a critical attribute that nobody knows is refused', () => {
    expect(judge('critical')).toContain('critical attribute io.example.plugin is not understood');
  });

  it('does not count when any byte of it is changed', () => {
    const original = recordedVerification(kind, 'ec256');
    // The name of the signing tool is not signed.
    const agent = Buffer.from(original.envelope).indexOf('io.cncf.notary.signingAgent');
    const step = kind === 'jws' ? 7 : 5;
    const counted: number[] = [];
    for (let at = 0; at < original.envelope.length; at += step) {
      const envelope = Uint8Array.from(original.envelope);
      envelope[at] = envelope[at]! ^ 0x04;
      if (refusal({...original, envelope}) === undefined) counted.push(at);
    }
    expect(counted.filter(at => at < agent - 3 || at > agent + 40)).toEqual([]);
  });

  it('cut short is refused at every length', () => {
    const {envelope, ...rest} = recordedVerification(kind, 'timestamp', tsa);
    for (let length = 0; length < envelope.length; length += 41) {
      expect(refusal({...rest, envelope: envelope.subarray(0, length)})).toBeDefined();
    }
  });

  it('is refused when policy or registry say nonsense', () => {
    expect(judge('ec256', {certificates: ''})).toContain('certificates: no PEM certificate');
    expect(judge('timestamp', {tsaCertificates: 'x'})).toContain('tsaCertificates: no PEM certificate');
    expect(judge('ec256', {mediaType: 'text/plain'})).toContain('"text/plain" are not supported');
    expect(judge('ec256', {envelope: new Uint8Array(1 << 21)})).toContain('more than');
  });
});

describe('a timestamp', () => {
  it('that is changed anywhere in what it tells does not count', () => {
    const original = recordedVerification('jws', 'old-certificate-timestamp', {tsaCertificates: recorded.authorities['tsa']});
    const outer = JSON.parse(Buffer.from(original.envelope).toString()) as {header: Record<string, string>};
    const name = 'io.cncf.notary.timestampSignature';
    const token = Buffer.from(outer.header[name]!, 'base64');
    // The authority's own certificate is taken from the policy, not from the token.
    const authority = new X509Certificate(recorded.authorities['tsa']!).raw;
    const start = token.indexOf(authority);
    const counted: number[] = [];
    for (let at = 0; at < token.length; at += 3) {
      if (at >= start && at < start + authority.length) continue;
      const changed = Buffer.from(token);
      changed[at] = changed[at]! ^ 0x01;
      const envelope = Buffer.from(JSON.stringify({...outer, header: {...outer.header, [name]: changed.toString('base64')}}));
      if (refusal({...original, envelope}) === undefined) counted.push(at);
    }
    // Versions and the list of hashes, which nothing depends on.
    expect(counted.length, String(counted)).toBeLessThan(12);
  });

  it('of another signature does not count', () => {
    const original = recordedVerification('jws', 'ec256', {tsaCertificates: recorded.authorities['tsa']});
    const outer = JSON.parse(Buffer.from(original.envelope).toString()) as {header: Record<string, string>};
    const other = JSON.parse(Buffer.from(recorded.envelopes['jws-timestamp']!, 'base64').toString()) as typeof outer;
    const name = 'io.cncf.notary.timestampSignature';
    const envelope = Buffer.from(JSON.stringify({...outer, header: {...outer.header, [name]: other.header[name]}}));
    expect(refusal({...original, envelope})).toContain('the timestamp is for another signature');
  });
});

const root = makeAuthority('root');
const leafOptions = {name: 'leaf', issuer: root, keyUsage: usage.digitalSignature} as const;
const leaf = makeCertificate(leafOptions);

describe.each([
  ['jws', makeJws],
  ['cose', makeCose],
] as const)('a %s envelope', (kind, make) => {
  const judge = (options: Partial<TestEnvelope>, certificates = root.pem) =>
    refusal({envelope: make({target, chain: [leaf, root], ...options}), mediaType: notaryMediaTypes[kind], certificates, tsaCertificates: undefined, target, now});
  const withLeaf = (options: Partial<TestCertificateOptions>) => judge({chain: [makeCertificate({...leafOptions, ...options}), root]});

  it('counts', () => expect(judge({})).toBeUndefined());

  it('counts with an authority between, which may be the one that is trusted', () => {
    const between = makeAuthority('between', {issuer: root, pathLength: 0});
    const chain = [makeCertificate({...leafOptions, issuer: between}), between, root];
    expect(judge({chain})).toBeUndefined();
    expect(judge({chain}, between.pem)).toBeUndefined();
  });

  it('counts by a self-signed certificate', () => {
    const own = makeCertificate({name: 'own', keyUsage: usage.digitalSignature});
    expect(judge({chain: [own]}, own.pem)).toBeUndefined();
    expect(judge({chain: [own]})).toContain('none of the trusted certificates');
  });

  it.each<[string, Partial<TestCertificateOptions>, string]>([
    ['without key usage', {keyUsage: undefined}, 'has no key usage'],
    ['with a key usage that is not critical', {keyUsageCritical: false}, 'key usage has to be critical'],
    ['that may not sign', {keyUsage: usage.keyEncipherment}, 'lacks key usage digitalSignature'],
    ['that may do more', {keyUsage: usage.digitalSignature | usage.keyCertSign}, 'has key usage keyCertSign'],
    ['of an authority', {ca: true}, "is an authority's"],
    ['of a server', {extendedKeyUsage: ['1.3.6.1.5.5.7.3.1']}, 'is for other uses (1.3.6.1.5.5.7.3.1)'],
    ['of a timestamp authority', {extendedKeyUsage: ['1.3.6.1.5.5.7.3.3', '1.3.6.1.5.5.7.3.8']}, 'is for other uses'],
    ['with a critical extension that nobody knows', {critical: '1.2.3.4'}, 'has critical extension 1.2.3.4'],
    ['signed by way of SHA-1', {hash: 'sha1'}, 'is not issued by'],
    ['with a key that is too small', {key: generateKeyPairSync('rsa', {modulusLength: 1024})}, 'key of type rsa of 1024 bits'],
    ['with a key of another kind', {key: generateKeyPairSync('ed25519')}, 'key of type ed25519'],
    ['that expired', {notAfter: new Date('2025-01-01')}, 'was expired at verification'],
  ])('by a certificate %s does not count', (_, options, message) => {
    if (options.key) {
      const key = leaf.key;
      expect(judge({chain: [makeCertificate({...leafOptions, ...options}), root], key})).toContain(message);
    } else expect(withLeaf(options)).toContain(message);
  });

  it('by a certificate for signing code counts', () => {
    expect(withLeaf({extendedKeyUsage: ['1.3.6.1.5.5.7.3.3']})).toBeUndefined();
  });

  it('whose chain does not hold together does not count', () => {
    const between = makeAuthority('between', {issuer: root});
    const impostor = makeAuthority('root');
    const noAuthority = makeCertificate({name: 'between', issuer: root, keyUsage: usage.keyCertSign});
    const shortPath = makeAuthority('root', {pathLength: 0});
    expect(judge({chain: [leaf]})).toContain('does not end with a self-signed certificate');
    expect(judge({chain: [leaf, between, root]})).toContain('"CN=leaf" is not issued by "CN=between"');
    expect(judge({chain: [leaf, impostor]})).toContain('is not issued by');
    expect(judge({chain: [leaf, root, root]})).toContain('self-signed in the midst');
    expect(judge({chain: [makeCertificate({...leafOptions, issuer: noAuthority}), noAuthority, root]})).toContain("without being an authority's");
    const below = makeAuthority('below', {issuer: shortPath});
    expect(judge({chain: [makeCertificate({...leafOptions, issuer: below}), below, shortPath]}, shortPath.pem)).toContain('allows 0 authorities below it');
  });

  it('with the trusted certificate only hung onto another chain does not count', () => {
    const other = makeAuthority('other');
    const foreign = makeCertificate({...leafOptions, issuer: other});
    expect(judge({chain: [foreign, other, root]})).toContain('self-signed in the midst');
    expect(judge({chain: [foreign, root]})).toContain('is not issued by');
  });

  it('whose signature is by another key does not count', () => {
    expect(judge({key: generateKeyPairSync('ec', {namedCurve: 'P-256'}).privateKey})).toBe('the signature does not hold');
  });

  it('by another algorithm than its key demands does not count', () => {
    expect(judge({algorithm: kind === 'jws' ? 'ES384' : -35})).toContain("its certificate's key demands ES256");
    expect(judge({algorithm: kind === 'jws' ? 'none' : 0})).toContain('is not supported');
    expect(judge({algorithm: kind === 'jws' ? 'HS256' : 5})).toContain('is not supported');
  });

  it('for other content, of another scheme or with wrong attributes does not count', () => {
    expect(judge({contentType: 'application/json'})).toContain('content of type "application/json"');
    expect(judge({signed: {'io.cncf.notary.signingScheme': 'notary.x509.other'}})).toContain('is not supported');
    expect(judge({signed: {'io.cncf.notary.signingScheme': undefined}})).toContain('is not supported');
    expect(judge({signed: {'io.cncf.notary.signingTime': 'yesterday'}})).toContain('signingTime');
    expect(judge({critical: []})).toContain('no attribute as critical');
    expect(judge({critical: ['io.cncf.notary.expiry']})).toContain('critical attribute io.cncf.notary.expiry is missing');
    expect(judge({critical: ['io.cncf.notary.signingTime']})).toContain('signingScheme has to be marked as critical');
  });

  it('trusts no certificate of the policy that is neither an authority nor self-signed', () => {
    expect(judge({}, leaf.pem)).toContain("neither an authority's nor self-signed");
  });
});

describe('hostile CBOR', () => {
  it.each([
    ['nested without end', new Uint8Array(900_000).fill(0x81)],
    ['a length that is not there', Uint8Array.of(0xd2, 0x84, 0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)],
    ['an array that claims a billion', Uint8Array.of(0xd2, 0x9a, 0x3b, 0x9a, 0xca, 0x00)],
    ['no tag', Uint8Array.of(0x84, 0x40, 0xa0, 0x40, 0x40)],
    ['nothing', new Uint8Array()],
  ])('%s is refused', (_, envelope) => {
    expect(refusal({envelope, mediaType: notaryMediaTypes.cose, certificates: root.pem, tsaCertificates: undefined, target, now})).toBeDefined();
  });
});
