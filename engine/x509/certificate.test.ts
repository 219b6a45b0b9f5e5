import {generateKeyPairSync, X509Certificate} from 'node:crypto';
import forge from 'node-forge';
import {describe, expect, it} from 'vitest';
import {fault, query} from '../jmespath/testing/run.js';
import {firstPemBlock} from './pem.js';

const {privateKey, publicKey} = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: {type: 'spki', format: 'pem'},
  privateKeyEncoding: {type: 'pkcs1', format: 'pem'},
});
const keys = {
  privateKey: forge.pki.privateKeyFromPem(privateKey),
  publicKey: forge.pki.publicKeyFromPem(publicKey) as forge.pki.rsa.PublicKey,
};
const subject = [
  {name: 'countryName', value: 'DE'},
  {name: 'organizationName', value: 'system:nodes'},
  {name: 'organizationName', value: 'second'},
  {name: 'commonName', value: 'system:node:a'},
];
const issuer = [{name: 'commonName', value: 'Test Authority'}];
const names = [
  {type: 2, value: 'a.example.test'},
  {type: 2, value: 'b.example.test'},
  {type: 7, ip: '10.1.2.3'},
  {type: 1, value: 'x@example.test'},
  {type: 6, value: 'spiffe://td/ns/a'},
];

function makeCertificate(): string {
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = keys.publicKey;
  certificate.serialNumber = '0102030405060708090a0b';
  certificate.validity.notBefore = new Date('2024-01-02T03:04:05Z');
  certificate.validity.notAfter = new Date('2054-01-02T03:04:05Z');
  certificate.setSubject(subject);
  certificate.setIssuer(issuer);
  certificate.setExtensions([
    {name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true},
    {name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true},
    {name: 'extKeyUsage', serverAuth: true, clientAuth: true},
    {name: 'subjectAltName', altNames: names},
    {name: 'subjectKeyIdentifier'},
  ]);
  certificate.sign(keys.privateKey, forge.md.sha256.create());
  return forge.pki.certificateToPem(certificate);
}

function makeRequest(): string {
  const request = forge.pki.createCertificationRequest();
  request.publicKey = keys.publicKey;
  request.setSubject(subject);
  request.setAttributes([{name: 'extensionRequest', extensions: [{name: 'subjectAltName', altNames: names}]}]);
  request.sign(keys.privateKey, forge.md.sha256.create());
  return forge.pki.certificationRequestToPem(request);
}

const certificate = makeCertificate();
const request = makeRequest();
const modulus = BigInt(`0x${keys.publicKey.n.toString(16)}`).toString();

describe('a certificate', () => {
  const peer = new X509Certificate(certificate);
  const data = {pem: certificate};
  it.each([
    ['Subject.CommonName', '"system:node:a"'],
    ['Subject.Organization', '["system:nodes","second"]'],
    ['Subject.Country', '["DE"]'],
    ['Subject.Locality', 'null'],
    ['Subject.Names[3]', '{"Type":[2,5,4,3],"Value":"system:node:a"}'],
    ['Issuer.CommonName', '"Test Authority"'],
    ['Issuer.SerialNumber', '""'],
    ['Version', '3'],
    ['SerialNumber', BigInt(`0x${peer.serialNumber}`).toString()],
    ['NotBefore', '"2024-01-02T03:04:05Z"'],
    ['NotAfter', '"2054-01-02T03:04:05Z"'],
    ['PublicKey.N', `"${modulus}"`],
    ['PublicKey.E', '65537'],
    ['PublicKeyAlgorithm', '1'],
    ['SignatureAlgorithm', '4'],
    ['KeyUsage', '33'],
    ['ExtKeyUsage', '[1,2]'],
    ['IsCA', 'true'],
    ['BasicConstraintsValid', 'true'],
    ['MaxPathLen', '0'],
    ['MaxPathLenZero', 'true'],
    ['DNSNames', '["a.example.test","b.example.test"]'],
    ['IPAddresses', '["10.1.2.3"]'],
    ['EmailAddresses', '["x@example.test"]'],
    ['URIs[0].[Scheme, Host, Path]', '["spiffe","td","/ns/a"]'],
    ['Extensions[0].[Id, Critical]', '[[2,5,29,19],true]'],
    ['length(Extensions)', '5'],
    ['CRLDistributionPoints', 'null'],
    ['Raw', `"${peer.raw.toString('base64')}"`],
    ['RawSubjectPublicKeyInfo', `"${peer.publicKey.export({type: 'spki', format: 'der'}).toString('base64')}"`],
  ])('%s', (path, want) => {
    expect(query(`x509_decode(pem).${path}`, data)).toBe(want);
  });

  it('shares its key with the request of the same owner', () => {
    expect(query('x509_decode(a).PublicKey == x509_decode(b).PublicKey', {a: certificate, b: request})).toBe('true');
  });
});

describe('a certificate request', () => {
  it.each([
    ['Subject.CommonName', '"system:node:a"'],
    ['Subject.Organization[0]', '"system:nodes"'],
    ['Version', '0'],
    ['PublicKey.N', `"${modulus}"`],
    ['SignatureAlgorithm', '4'],
    ['DNSNames', '["a.example.test","b.example.test"]'],
    ['IPAddresses', '["10.1.2.3"]'],
    ['Attributes', 'null'],
  ])('%s', (path, want) => {
    expect(query(`x509_decode(pem).${path}`, {pem: request})).toBe(want);
  });
});

describe('what is no certificate', () => {
  const elliptic = generateKeyPairSync('ec', {namedCurve: 'P-256'}).publicKey.export({type: 'spki', format: 'pem'});
  const body = firstPemBlock(certificate)!.bytes;
  const pem = (type: string, bytes: Uint8Array) =>
    `-----BEGIN ${type}-----\n${Buffer.from(bytes).toString('base64')}\n-----END ${type}-----\n`;
  it.each([
    ['empty text', '', 'failed to decode PEM block'],
    ['other text', 'hello', 'failed to decode PEM block'],
    ['a block without end', certificate.slice(0, 200), 'failed to decode PEM block'],
    ['a key', String(elliptic), 'PEM block is neither a certificate nor a certificate request: PUBLIC KEY'],
    ['half a certificate', pem('CERTIFICATE', body.subarray(0, 300)), 'certificate cannot be read: truncated element'],
    [
      'a certificate with a tail',
      pem('CERTIFICATE', Buffer.concat([body, body])),
      'certificate cannot be read: trailing data',
    ],
    [
      'a request in the clothes of a certificate',
      request.replaceAll('CERTIFICATE REQUEST', 'CERTIFICATE'),
      'certificate cannot be read',
    ],
  ])('%s', (_name, text, want) => {
    expect(fault('x509_decode(pem)', {pem: text})).toContain(`JMESPath function 'x509_decode': ${want}`);
  });

  it('is refused whatever byte is broken', () => {
    for (let at = 0; at < body.length; at += 7) {
      const broken = Uint8Array.from(body);
      broken[at] = broken[at]! ^ 0xff;
      expect(fault('x509_decode(pem)', {pem: pem('CERTIFICATE', broken)})).toMatch(/^(no error: |JMESPath function)/);
    }
  });
});
