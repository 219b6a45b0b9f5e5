import {createHash} from 'node:crypto';
import {unverified} from '../notary/refuse.js';
import {readEnvelope, readJsonObject} from './envelope.js';
import {bytesField, listField, objectField, objectsOf, textField} from './fields.js';
import {readBundleEntry} from './log-entry.js';
import type {Signed} from './signed.js';

const mediaType = /^application\/vnd\.dev\.sigstore\.bundle(\+json;version=0\.[123]|\.v0\.3\+json)$/;
const maxEntries = 8;
const hashNames: Readonly<Record<string, string>> = {SHA2_256: 'sha256', SHA2_384: 'sha384', SHA2_512: 'sha512'};

/** Media types of bundles among referrers. */
export function isBundleType(type: string): boolean {
  return type.startsWith('application/vnd.dev.sigstore.bundle');
}

/** Sigstore's bundle, versions 0.1 to 0.3. `artifact`: what a signature without an envelope is over. */
export function readBundle(bytes: Buffer, artifact: Buffer): Signed {
  const json = readJsonObject(bytes, 'the bundle');
  if (!mediaType.test(textField(json, 'mediaType'))) throw unverified('the bundle is of a version that is not supported');
  const material = objectField(json, 'verificationMaterial');
  if (material === undefined) throw unverified('the bundle has no verification material');
  const chain = objectField(material, 'x509CertificateChain');
  const single = objectField(material, 'certificate');
  const certificates = [
    ...(single === undefined ? [] : [single]),
    ...(chain === undefined ? [] : objectsOf(listField(chain, 'certificates'))),
  ].map(certificate => bytesField(certificate, 'rawBytes'));
  const entries = objectsOf(listField(material, 'tlogEntries'));
  const stamps = objectField(material, 'timestampVerificationData');
  const timestamps = stamps === undefined ? [] : objectsOf(listField(stamps, 'rfc3161Timestamps'));
  if (entries.length > maxEntries || timestamps.length > maxEntries || certificates.length > maxEntries) {
    throw unverified('the bundle holds too much');
  }
  const envelope = objectField(json, 'dsseEnvelope');
  const message = objectField(json, 'messageSignature');
  // The format has one signature; more would leave open which one the rest is about.
  if (envelope !== undefined && listField(envelope, 'signatures').length !== 1) throw unverified('the bundle does not hold exactly one signature');
  const {content, signatures} = envelope === undefined ? readMessage(message, artifact) : readEnvelope(envelope, Buffer.from(JSON.stringify(envelope)));
  return {
    content,
    signatures,
    certificate: certificates[0],
    chain: certificates.slice(1),
    entries: entries.map(readBundleEntry),
    timestamps: timestamps.map(stamp => bytesField(stamp, 'signedTimestamp')),
  };
}

function readMessage(message: ReturnType<typeof objectField>, artifact: Buffer): Pick<Signed, 'content' | 'signatures'> {
  if (message === undefined) throw unverified('the bundle holds no signature');
  const digest = objectField(message, 'messageDigest');
  const algorithm = digest && hashNames[textField(digest, 'algorithm')];
  if (digest === undefined || algorithm === undefined) throw unverified('the bundle names no digest');
  if (!bytesField(digest, 'digest').equals(createHash(algorithm).update(artifact).digest())) throw unverified('the bundle is about another image');
  return {content: {kind: 'plain', payload: artifact}, signatures: [bytesField(message, 'signature')]};
}
