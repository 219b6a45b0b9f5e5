import {generateKeyPairSync} from 'node:crypto';
import forge from 'node-forge';
import {describe, expect, it} from 'vitest';
import {fault, shown} from './testing/expressions.js';

const {privateKey, publicKey} = generateKeyPairSync('rsa', {
  modulusLength: 1024,
  publicKeyEncoding: {type: 'spki', format: 'pem'},
  privateKeyEncoding: {type: 'pkcs1', format: 'pem'},
});
const keys = {
  privateKey: forge.pki.privateKeyFromPem(privateKey),
  publicKey: forge.pki.publicKeyFromPem(publicKey) as forge.pki.rsa.PublicKey,
};
const name = [
  {name: 'organizationName', value: 'system:nodes'},
  {name: 'commonName', value: 'system:node:a'},
];

function certificate(): string {
  const made = forge.pki.createCertificate();
  made.publicKey = keys.publicKey;
  made.serialNumber = '2a';
  made.validity.notBefore = new Date('2024-01-02T03:04:05Z');
  made.validity.notAfter = new Date('2054-01-02T03:04:05Z');
  made.setSubject(name);
  made.setIssuer([{name: 'commonName', value: 'Authority'}]);
  made.setExtensions([
    {name: 'basicConstraints', cA: true, critical: true},
    {name: 'subjectAltName', altNames: [{type: 2, value: 'a.example.test'}]},
  ]);
  made.sign(keys.privateKey, forge.md.sha256.create());
  return forge.pki.certificateToPem(made);
}

function request(): string {
  const made = forge.pki.createCertificationRequest();
  made.publicKey = keys.publicKey;
  made.setSubject(name);
  made.sign(keys.privateKey, forge.md.sha256.create());
  return forge.pki.certificationRequestToPem(made);
}

describe('x509.decode', () => {
  const object = {cert: certificate(), csr: request()};

  for (const [source, want] of [
    ['x509.decode(object.cert).Issuer.CommonName', '"Authority"'],
    ['x509.decode(object.cert).NotAfter', '"2054-01-02T03:04:05Z"'],
    ['timestamp(x509.decode(object.cert).NotBefore) < timestamp("2025-01-01T00:00:00Z")', 'true'],
    ['x509.decode(object.cert).SerialNumber', '42'],
    ['x509.decode(object.cert).DNSNames', '["a.example.test"]'],
    ['x509.decode(object.cert).IsCA', 'true'],
    ['x509.decode(object.cert).PublicKey.E', '65537'],
    ['x509.decode(object.cert).PublicKey.N == x509.decode(object.csr).PublicKey.N', 'true'],
    ['x509.decode(object.csr).Subject.Organization', '["system:nodes"]'],
  ] as const) {
    it(`gives ${source}`, () => expect(shown(source, {object})).toBe(want));
  }

  const ec = generateKeyPairSync('ec', {namedCurve: 'P-256'}).publicKey.export({type: 'spki', format: 'pem'});
  for (const [title, text, want] of [
    ['no PEM', 'x', 'failed to decode PEM block'],
    ['a key', String(ec), 'PEM block neither contains a CERTIFICATE or CERTIFICATE REQUEST'],
    ['a torn one', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n', 'certificate cannot be read: '],
    ['another algorithm', elliptic(), 'certificate should use rsa algorithm'],
  ] as const) {
    it(`refuses ${title}`, () => expect(fault('x509.decode(object)', {object: text})).toContain(want));
  }
});

/** The certificate with the object identifier of its key's algorithm changed to id-ecPublicKey. */
function elliptic(): string {
  const der = forge.asn1.fromDer(forge.pki.pemToDer(certificate()).getBytes());
  const body = (der.value as forge.asn1.Asn1[])[0]!.value as forge.asn1.Asn1[];
  const key = body.find(
    node =>
      Array.isArray(node.value) &&
      (node.value[0] as forge.asn1.Asn1 | undefined)?.constructed === true &&
      node.value.length === 2 &&
      (node.value[1] as forge.asn1.Asn1).type === forge.asn1.Type.BITSTRING,
  );
  const algorithm = (key!.value as forge.asn1.Asn1[])[0]!;
  (algorithm.value as forge.asn1.Asn1[])[0]!.value = forge.asn1.oidToDer('1.2.840.10045.2.1').getBytes();
  const bytes = forge.asn1.toDer(der).getBytes();
  return forge.pem.encode({type: 'CERTIFICATE', body: bytes});
}
