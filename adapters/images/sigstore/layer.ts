import {unverified} from '../notary/refuse.js';
import type {Descriptor} from '../registry/descriptor.js';
import {readEnvelope, readJsonObject} from './envelope.js';
import {decodeBase64, textField} from './fields.js';
import {readOfflineEntry} from './log-entry.js';
import type {Signed} from './signed.js';

export const simpleSigning = 'application/vnd.dev.cosign.simplesigning.v1+json';
export const dsseEnvelope = 'application/vnd.dsse.envelope.v1+json';

const keys = {
  signature: 'dev.cosignproject.cosign/signature',
  certificate: 'dev.sigstore.cosign/certificate',
  chain: 'dev.sigstore.cosign/chain',
  bundle: 'dev.sigstore.cosign/bundle',
  timestamp: 'dev.sigstore.cosign/rfc3161timestamp',
} as const;
const pemBlock = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;

/** What a signature of the older scheme comes with, beside what is signed. */
export interface Attached {
  /** Base64. */
  readonly signature: string;
  /** PEM. */
  readonly certificate: string | undefined;
  readonly chain: string | undefined;
  /** JSON. */
  readonly entry: string | undefined;
  readonly timestamp: string | undefined;
}

/** A layer of cosign's older scheme: the payload is a blob, all else stands in annotations. */
export function readLayer({mediaType, annotations}: Descriptor, blob: Buffer): Signed {
  const read = (key: keyof typeof keys) => (Object.hasOwn(annotations, keys[key]) ? annotations[keys[key]] : undefined) || undefined;
  const attached = {
    signature: read('signature') ?? '',
    certificate: read('certificate'),
    chain: read('chain'),
    entry: read('bundle'),
    timestamp: read('timestamp'),
  };
  return mediaType === dsseEnvelope ? {...readAttached(attached, blob), ...readEnvelope(readJsonObject(blob, 'the envelope'), blob)} : readAttached(attached, blob);
}

export function readAttached({signature, certificate, chain, entry, timestamp}: Attached, payload: Buffer): Signed {
  const certificates = certificate === undefined ? [] : certificatesIn(certificate);
  if (certificate !== undefined && certificates.length === 0) throw unverified('the certificate of the signature is no PEM');
  return {
    content: {kind: 'plain', payload},
    signatures: [decodeBase64(signature, 'the signature')],
    certificate: certificates[0],
    chain: [...certificates.slice(1), ...(chain === undefined ? [] : certificatesIn(chain))],
    entries: entry === undefined ? [] : [readOfflineEntry(entry)],
    timestamps: timestamp === undefined ? [] : [decodeBase64(textField(readJsonObject(Buffer.from(timestamp), 'the timestamp'), 'SignedRFC3161Timestamp'), 'the timestamp')],
  };
}

function certificatesIn(pem: string): Buffer[] {
  return [...pem.matchAll(pemBlock)].slice(0, 16).map(([, body]) => Buffer.from(body!.replace(/\s+/g, ''), 'base64'));
}
