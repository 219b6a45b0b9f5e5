import {createPrivateKey, X509Certificate} from 'node:crypto';
import {describe, expect, it} from 'vitest';
import {
  expiresAt,
  issueCa,
  issueLeaf,
  keyAlgorithmOf,
  type KeyAlgorithm,
  keyMatches,
  parseKeyAlgorithm,
  splitBundle,
  validFrom,
  verifyChain,
} from './index.js';

const now = Date.UTC(2026, 2, 1);
const day = 86_400_000;
const algorithms: readonly KeyAlgorithm[] = ['RSA', 'ECDSA', 'Ed25519'];

const leafOf = (ca: {cert: string; key: string}, algorithm: KeyAlgorithm = 'ECDSA') =>
  issueLeaf({
    ca,
    algorithm,
    now,
    dnsNames: ['kyverno-svc', 'kyverno-svc.kyverno', 'kyverno-svc.kyverno.svc'],
    ipAddresses: ['10.0.0.1', 'fd00::1'],
  });

describe('issued certificates', () => {
  it.each(algorithms.flatMap(ca => algorithms.map(leaf => [ca, leaf] as const)))(
    'an authority with %s signs a leaf with %s that verifies',
    async (caAlgorithm, leafAlgorithm) => {
      const ca = await issueCa({algorithm: caAlgorithm, now, commonName: '*.kyverno.svc'});
      const leaf = await leafOf(ca, leafAlgorithm);
      expect(verifyChain(leaf.cert, ca.cert, now)).toBeUndefined();
      expect(keyMatches(leaf.cert, leaf.key)).toBe(true);
      expect(keyAlgorithmOf(createPrivateKey(leaf.key))).toBe(leafAlgorithm);
    },
  );

  it('carry names, addresses and uses of a server', async () => {
    const ca = await issueCa({algorithm: 'ECDSA', now, commonName: '*.kyverno.svc'});
    const leaf = new X509Certificate((await leafOf(ca)).cert);
    expect(leaf.subject).toBe('CN=kyverno-svc');
    expect(leaf.issuer).toBe('CN=*.kyverno.svc');
    expect(leaf.subjectAltName).toContain('DNS:kyverno-svc.kyverno.svc');
    expect(leaf.checkIP('10.0.0.1')).toBe('10.0.0.1');
    expect(leaf.checkIP('fd00::1')).toBe('fd00::1');
    expect(leaf.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
    expect(leaf.ca).toBe(false);
    expect(new X509Certificate(ca.cert).ca).toBe(true);
  });

  it('last 365 and 150 days from an hour before now', async () => {
    const ca = await issueCa({algorithm: 'ECDSA', now, commonName: 'a'});
    const leaf = await leafOf(ca);
    expect([validFrom(ca.cert), expiresAt(ca.cert)]).toEqual([now - 3_600_000, now + 365 * day]);
    expect([validFrom(leaf.cert), expiresAt(leaf.cert)]).toEqual([now - 3_600_000, now + 150 * day]);
  });

  it('have positive serials that differ', async () => {
    const ca = await issueCa({algorithm: 'ECDSA', now, commonName: 'a'});
    const serials = [ca, await leafOf(ca), await leafOf(ca)].map(({cert}) => new X509Certificate(cert).serialNumber);
    expect(new Set(serials).size).toBe(3);
    for (const serial of serials) expect(Number.parseInt(serial[0]!, 16)).toBeLessThan(8);
  });

  it('of a renewed authority with the same key verify leaves of the former one', async () => {
    const former = await issueCa({algorithm: 'ECDSA', now, commonName: 'a'});
    const renewed = await issueCa({now: now + 300 * day, commonName: 'a', key: former.key});
    const leaf = await leafOf(former);
    expect(verifyChain(leaf.cert, renewed.cert, now + 310 * day)).toContain('not valid now');
    expect(verifyChain(leaf.cert, former.cert + renewed.cert, now + 100 * day)).toBeUndefined();
  });

  it('refuse what is no address', async () => {
    const ca = await issueCa({algorithm: 'ECDSA', now, commonName: 'a'});
    await expect(issueLeaf({ca, algorithm: 'ECDSA', now, dnsNames: [], ipAddresses: ['nowhere']})).rejects.toThrow(
      'is no IP address',
    );
  });
});

describe('verifyChain', () => {
  it('names why a leaf is refused', async () => {
    const ca = await issueCa({algorithm: 'ECDSA', now, commonName: 'a'});
    const other = await issueCa({algorithm: 'ECDSA', now, commonName: 'a'});
    const leaf = await leafOf(ca);
    expect(verifyChain(leaf.cert, other.cert, now)).toBe('serving certificate is not signed by any CA of the bundle');
    expect(verifyChain(leaf.cert, other.cert + ca.cert, now)).toBeUndefined();
    expect(verifyChain(leaf.cert, ca.cert, now - day)).toContain('not valid now');
    expect(verifyChain(leaf.cert, '', now)).toBe('CA bundle holds no valid certificate');
    expect(verifyChain('nonsense', ca.cert, now)).toContain('cannot be read');
    expect(verifyChain(leaf.cert, leaf.cert, now)).toContain('not signed');
  });

  it('splits a bundle into its certificates', async () => {
    const first = await issueCa({algorithm: 'ECDSA', now, commonName: 'a'});
    const second = await issueCa({algorithm: 'ECDSA', now, commonName: 'b'});
    expect(splitBundle(`# comment\n${first.cert}${second.cert}`)).toEqual([first.cert, second.cert]);
  });
});

it.each([
  ['rsa', 'RSA'],
  ['ECDSA', 'ECDSA'],
  ['ed25519', 'Ed25519'],
  ['dsa', undefined],
])('the key algorithm %s is read as %s', (text, expected) => {
  expect(parseKeyAlgorithm(text)).toBe(expected);
});
