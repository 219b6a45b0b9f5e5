import {generateKeyPairSync, type KeyObject, randomBytes, sign} from 'node:crypto';
import {der} from '../../../../test/cluster/pki/der.js';

export interface TestCertificate {
  readonly der: Buffer;
  readonly pem: string;
  readonly key: KeyObject;
  readonly name: string;
}

export interface TestCertificateOptions {
  readonly name: string;
  /** Absent: self-signed. */
  readonly issuer?: TestCertificate | undefined;
  readonly ca?: boolean | undefined;
  readonly pathLength?: number | undefined;
  /** First byte of the bits; `undefined` leaves the extension out. */
  readonly keyUsage?: number | undefined;
  readonly keyUsageCritical?: boolean;
  readonly extendedKeyUsage?: readonly string[];
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly critical?: string | undefined;
  readonly hash?: 'sha1' | 'sha256';
  readonly key?: {readonly privateKey: KeyObject; readonly publicKey: KeyObject};
}

/** Bits of the key usage. */
export const usage = {digitalSignature: 0x80, keyEncipherment: 0x20, keyCertSign: 0x04} as const;
const signatures = {sha1: '1.2.840.10045.4.1', sha256: '1.2.840.10045.4.3.2'} as const;

/** A certificate with whatever is wanted in it, wrong or right; the key is P-256 unless given. */
export function makeCertificate(options: TestCertificateOptions): TestCertificate {
  const {privateKey, publicKey} = options.key ?? generateKeyPairSync('ec', {namedCurve: 'P-256'});
  const hash = options.hash ?? 'sha256';
  const algorithm = der.sequence(der.oid(signatures[hash]));
  const serial = randomBytes(16);
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  const tbs = der.sequence(
    der.context(0, der.integer(Buffer.of(2)), true),
    der.integer(serial),
    algorithm,
    nameDer(options.issuer?.name ?? options.name),
    der.sequence(der.time(options.notBefore ?? new Date('2020-01-01')), der.time(options.notAfter ?? new Date('2060-01-01'))),
    nameDer(options.name),
    publicKey.export({type: 'spki', format: 'der'}),
    der.context(3, der.sequence(...extensions(options)), true),
  );
  const bytes = der.sequence(tbs, algorithm, der.bitString(sign(hash, tbs, options.issuer?.key ?? privateKey)));
  const pem = `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64')}\n-----END CERTIFICATE-----\n`;
  return {der: bytes, pem, key: privateKey, name: options.name};
}

export function makeAuthority(name: string, options: Partial<TestCertificateOptions> = {}): TestCertificate {
  return makeCertificate({name, ca: true, keyUsage: usage.keyCertSign, ...options});
}

function nameDer(name: string): Buffer {
  return der.sequence(der.set(der.sequence(der.oid('2.5.4.3'), der.utf8(name))));
}

function extensions(options: TestCertificateOptions): Buffer[] {
  const list: Buffer[] = [];
  if (options.ca !== undefined) {
    const length = options.pathLength === undefined ? [] : [der.integer(Buffer.of(options.pathLength))];
    list.push(extension('2.5.29.19', true, der.sequence(...(options.ca ? [der.boolean(true)] : []), ...length)));
  }
  if (options.keyUsage !== undefined) list.push(extension('2.5.29.15', options.keyUsageCritical ?? true, der.bitString(Buffer.of(options.keyUsage))));
  if (options.extendedKeyUsage) list.push(extension('2.5.29.37', false, der.sequence(...options.extendedKeyUsage.map(der.oid))));
  if (options.critical !== undefined) list.push(extension(options.critical, true, der.sequence()));
  return list;
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  return der.sequence(der.oid(id), ...(critical ? [der.boolean(true)] : []), der.octetString(value));
}
