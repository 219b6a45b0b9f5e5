import {beforeAll, describe, expect, it} from 'vitest';
import {issueCa, issueLeaf, type IssuedCertificate, splitBundle, verifyChain} from '../../adapters/tls/index.js';
import {planTls, type TlsPlanOptions} from './tls-material.js';

const day = 86_400_000;
const now = Date.UTC(2026, 5, 1);
const options: TlsPlanOptions = {
  now,
  renewBefore: 15 * day,
  algorithm: 'ECDSA',
  commonName: '*.kyverno.svc',
  dnsNames: ['kyverno-svc', 'kyverno-svc.kyverno', 'kyverno-svc.kyverno.svc'],
  ipAddresses: [],
};

async function material(at: number, overrides: Partial<TlsPlanOptions> = {}) {
  return planTls({ca: undefined, leaf: undefined}, {...options, ...overrides, now: at});
}

describe('planTls', () => {
  let fresh: {ca: IssuedCertificate; leaf: IssuedCertificate};
  beforeAll(async () => {
    fresh = await material(now);
  });

  it('issues both when there is nothing', async () => {
    const plan = await material(now);
    expect(plan.renewed).toEqual(['ca', 'leaf']);
    expect(verifyChain(plan.leaf.cert, plan.ca.cert, now)).toBeUndefined();
  });

  it('leaves good certificates alone', async () => {
    const plan = await planTls(fresh, {...options, now: now + 100 * day});
    expect(plan).toEqual({...fresh, renewed: []});
  });

  it('renews the leaf before it ends, under the same CA', async () => {
    const plan = await planTls(fresh, {...options, now: now + 140 * day});
    expect(plan.renewed).toEqual(['leaf']);
    expect(plan.ca).toEqual(fresh.ca);
    expect(verifyChain(plan.leaf.cert, plan.ca.cert, now + 140 * day)).toBeUndefined();
  });

  it('puts a new CA beside the old one, so that both leaves verify against the new bundle', async () => {
    const at = now + 355 * day;
    const oldLeaf = await issueLeaf({ca: fresh.ca, algorithm: 'ECDSA', dnsNames: options.dnsNames, now: at});
    const plan = await planTls({ca: fresh.ca, leaf: oldLeaf}, {...options, now: at});
    expect(plan.renewed).toEqual(['ca']);
    expect(splitBundle(plan.ca.cert)).toHaveLength(2);
    expect(verifyChain(oldLeaf.cert, plan.ca.cert, at)).toBeUndefined();
    const later = await planTls(plan, {...options, now: at + 11 * day});
    expect(splitBundle(later.ca.cert)).toHaveLength(1);
    expect(later.renewed).toEqual(['ca', 'leaf']);
    expect(verifyChain(later.leaf.cert, later.ca.cert, at + 11 * day)).toBeUndefined();
  });

  const spoiled: ReadonlyArray<{name: string; leaf: () => Promise<IssuedCertificate> | IssuedCertificate}> = [
    {name: 'a leaf of another CA', leaf: async () => issueLeaf({ca: await issueCa({algorithm: 'ECDSA', commonName: 'x', now}), algorithm: 'ECDSA', dnsNames: options.dnsNames, now})},
    {name: 'a leaf for other names', leaf: () => issueLeaf({ca: fresh.ca, algorithm: 'ECDSA', dnsNames: ['other'], now})},
    {name: 'a leaf of another algorithm', leaf: () => issueLeaf({ca: fresh.ca, algorithm: 'Ed25519', dnsNames: options.dnsNames, now})},
    {name: 'a leaf whose key is another one', leaf: async () => ({cert: fresh.leaf.cert, key: (await issueLeaf({ca: fresh.ca, algorithm: 'ECDSA', dnsNames: options.dnsNames, now})).key})},
    {name: 'a leaf that cannot be read', leaf: () => ({cert: '-----BEGIN CERTIFICATE-----\nxx\n-----END CERTIFICATE-----', key: 'no key'})},
  ];
  for (const {name, leaf} of spoiled) {
    it(`replaces ${name}`, async () => {
      const plan = await planTls({ca: fresh.ca, leaf: await leaf()}, options);
      expect(plan.renewed).toEqual(['leaf']);
      expect(verifyChain(plan.leaf.cert, plan.ca.cert, now)).toBeUndefined();
    });
  }

  it('replaces a CA whose key does not fit', async () => {
    const other = await issueCa({algorithm: 'ECDSA', commonName: 'x', now});
    const plan = await planTls({ca: {cert: fresh.ca.cert, key: other.key}, leaf: fresh.leaf}, options);
    expect(plan.renewed).toContain('ca');
    expect(verifyChain(plan.leaf.cert, plan.ca.cert, now)).toBeUndefined();
  });
});
