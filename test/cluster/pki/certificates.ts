import {createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign} from 'node:crypto';
import {isIP} from 'node:net';
import {der} from './der.js';

/** A certificate with its key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateOptions {
  readonly commonName: string;
  /** Kubernetes reads groups from here. */
  readonly organization?: string;
  /** DNS names and IPv4 addresses. */
  readonly hosts?: readonly string[];
}

/** An authority that lives as long as one test cluster; elliptic keys, since they cost a millisecond each. */
export interface Authority extends KeyPair {
  issue(options: CertificateOptions): KeyPair;
}

const oid = {
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  extendedKeyUsage: '2.5.29.37',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;
const day = 86_400_000;

/** A new key pair for tokens: private key (SEC 1 PEM) and public key (PKIX PEM). */
export function createTokenKey(): {readonly privateKey: string; readonly publicKey: string} {
  const {privateKey, publicKey} = newKey();
  return {privateKey: pem(privateKey), publicKey: publicKey.export({type: 'spki', format: 'pem'}).toString()};
}

/** A new self-signed authority. */
export function createAuthority(commonName: string): Authority {
  const {privateKey, publicKey} = newKey();
  const issuer = name({commonName});
  const certificate = certify({
    subject: issuer,
    issuer,
    publicKey,
    signer: privateKey,
    extensions: authorityExtensions(),
  });
  const key = pem(privateKey);
  return {
    certificate,
    key,
    issue(options) {
      const leaf = newKey();
      const extensions = leafExtensions(options.hosts ?? []);
      const signer = createPrivateKey(key);
      return {
        certificate: certify({subject: name(options), issuer, publicKey: leaf.publicKey, signer, extensions}),
        key: pem(leaf.privateKey),
      };
    },
  };
}

interface Tbs {
  readonly subject: Buffer;
  readonly issuer: Buffer;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly extensions: Buffer;
}

function certify({subject, issuer, publicKey, signer, extensions}: Tbs): string {
  const algorithm = der.sequence(der.oid(oid.ecdsaWithSha256));
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const now = Date.now();
  const tbs = der.sequence(
    der.context(0, der.integer(Buffer.of(2)), true),
    der.integer(serial),
    algorithm,
    issuer,
    der.sequence(der.time(new Date(now - day)), der.time(new Date(now + 365 * day))),
    subject,
    publicKey.export({type: 'spki', format: 'der'}),
    der.context(3, extensions, true),
  );
  const body = der.sequence(tbs, algorithm, der.bitString(sign('sha256', tbs, signer))).toString('base64');
  return `-----BEGIN CERTIFICATE-----\n${body.match(/.{1,64}/g)?.join('\n')}\n-----END CERTIFICATE-----\n`;
}

function name({commonName, organization}: CertificateOptions): Buffer {
  const attribute = (type: string, value: string) => der.set(der.sequence(der.oid(type), der.utf8(value)));
  const parts = [attribute(oid.commonName, commonName)];
  if (organization !== undefined) parts.unshift(attribute(oid.organization, organization));
  return der.sequence(...parts);
}

function extension(type: string, value: Buffer, critical: boolean): Buffer {
  const flag = critical ? [der.boolean(true)] : [];
  return der.sequence(der.oid(type), ...flag, der.octetString(value));
}

function authorityExtensions(): Buffer {
  return der.sequence(
    extension(oid.basicConstraints, der.sequence(der.boolean(true)), true),
    // keyCertSign and digitalSignature
    extension(oid.keyUsage, der.bitString(Buffer.of(0b1000_0100), 2), true),
  );
}

function leafExtensions(hosts: readonly string[]): Buffer {
  const names = hosts.map(host =>
    isIP(host) === 4
      ? der.context(7, Buffer.from(host.split('.').map(Number)), false)
      : der.context(2, Buffer.from(host), false),
  );
  const parts = [
    extension(oid.keyUsage, der.bitString(Buffer.of(0b1000_0000), 7), true),
    extension(oid.extendedKeyUsage, der.sequence(der.oid(oid.serverAuth), der.oid(oid.clientAuth)), false),
  ];
  if (names.length > 0) parts.push(extension(oid.subjectAltName, der.sequence(...names), false));
  return der.sequence(...parts);
}

function newKey() {
  return generateKeyPairSync('ec', {namedCurve: 'P-256'});
}

function pem(key: KeyObject): string {
  return key.export({type: 'sec1', format: 'pem'}).toString();
}
