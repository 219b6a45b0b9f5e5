import {createHash, verify} from 'node:crypto';
import {children, context, contentOf, contextPrimitive, type DerNode, integer, objectId, readOne, tags} from '../../../engine/x509/der.js';
import {basicConstraints, type Certificate, extensionIds, isIssuedBy, isSelfSigned, nameOf, readCertificate, sameBytes} from './certificate.js';
import {checkChain, checkValidity} from './chain.js';
import {unverified} from './refuse.js';

/** When a token was made: somewhere between the two, in milliseconds. */
export interface TimestampRange {
  readonly earliest: number;
  readonly latest: number;
}

export interface TimestampQuestion {
  /** TimeStampToken, DER. */
  readonly token: Uint8Array;
  /** What the token is over. */
  readonly data: Uint8Array;
  /** Authorities that are trusted. */
  readonly trusted: readonly Certificate[];
}

const ids = {
  signedData: '1.2.840.113549.1.7.2',
  timestampInfo: '1.2.840.113549.1.9.16.1.4',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  signingCertificate: '1.2.840.113549.1.9.16.2.12',
  signingCertificateV2: '1.2.840.113549.1.9.16.2.47',
} as const;
const hashes: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};
const rsaEncryption = '1.2.840.113549.1.1.1';
/** Signature algorithms that name their hash. */
const signatureHashes: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
};
const maxTokenCertificates = 10;

/**
 * The time that an RFC 3161 token proves, its signer's chain ending at a trusted authority. Throws an
 * `ImageVerificationError`.
 */
export function checkTimestamp({token, data, trusted}: TimestampQuestion): TimestampRange {
  const [type, wrapped] = children(readOne(token), tags.sequence);
  if (id(type) !== ids.signedData) throw unverified('the timestamp is no CMS signed data');
  const [, , content, ...rest] = children(readOne(contentOf(wrapped, context(0))), tags.sequence);
  const [contentType, contentBox] = children(content, tags.sequence);
  if (id(contentType) !== ids.timestampInfo) throw unverified('the timestamp holds something else');
  const info = contentOf(readOne(contentOf(contentBox, context(0))), tags.octetString);
  const embedded = rest.find(({tag}) => tag === context(0));
  const certificates = (embedded === undefined ? [] : children(embedded, context(0))).slice(0, maxTokenCertificates).map(({raw}) => readCertificate(raw));
  const signers = children(rest.at(-1), tags.set);
  if (signers.length !== 1) throw unverified('the timestamp has not exactly one signer');
  const signer = checkSigner(signers[0]!, info, [...certificates, ...trusted]);
  const range = checkInfo(info, data);
  const chain = chainTo(signer, certificates, trusted);
  checkChain(chain, 'timestamping');
  checkValidity(chain, range.earliest, 'when it made the timestamp');
  checkValidity(chain, range.latest, 'when it made the timestamp');
  return range;
}

/** The certificate whose key signed `info`. */
function checkSigner(node: DerNode, info: Uint8Array, certificates: readonly Certificate[]): Certificate {
  const [, sid, digestAlgorithm, attributes, signatureAlgorithm, signature] = children(node, tags.sequence);
  const certificate = certificates.find(each => isNamed(each, sid));
  if (certificate === undefined) throw unverified('the certificate of the timestamp authority is missing');
  const digest = hashes[id(children(digestAlgorithm, tags.sequence)[0])];
  if (digest === undefined) throw unverified('the timestamp uses a hash that is not supported');
  const values = attributeValues(attributes);
  const about = values.get(ids.contentType);
  if (about === undefined || objectId(about).join('.') !== ids.timestampInfo) throw unverified('the timestamp is signed as something else');
  const claimed = values.get(ids.messageDigest);
  if (claimed === undefined || !sameBytes(contentOf(claimed, tags.octetString), hash(digest, info))) throw unverified('the timestamp was altered after it was signed');
  checkSigningCertificate(values, certificate);
  const named = id(children(signatureAlgorithm, tags.sequence)[0]);
  const algorithm = named === rsaEncryption ? digest : signatureHashes[named];
  if (algorithm === undefined) throw unverified(`the timestamp uses signature algorithm ${named}, which is not supported`);
  // What is signed is the attributes as a SET (RFC 5652, 5.4).
  const signedBytes = Uint8Array.from(attributes!.raw);
  signedBytes[0] = tags.set;
  if (!verify(algorithm, signedBytes, certificate.x509.publicKey, contentOf(signature, tags.octetString))) throw unverified('the signature of the timestamp does not hold');
  return certificate;
}

/** By issuer and serial number, or by key identifier. */
function isNamed(certificate: Certificate, sid: DerNode | undefined): boolean {
  if (sid?.tag === contextPrimitive(0)) {
    const own = certificate.extensions.get(extensionIds.subjectKeyIdentifier);
    return own !== undefined && sameBytes(readOne(own.value).content, sid.content);
  }
  const [issuer, serial] = children(sid, tags.sequence);
  return sameBytes(certificate.issuer, issuer?.raw ?? new Uint8Array()) && sameBytes(certificate.serial, serial?.raw ?? new Uint8Array());
}

function attributeValues(node: DerNode | undefined): ReadonlyMap<string, DerNode> {
  const values = new Map<string, DerNode>();
  for (const attribute of children(node, context(0))) {
    const [type, set] = children(attribute, tags.sequence);
    const [value] = children(set, tags.set);
    if (value === undefined || values.has(id(type))) throw unverified('the timestamp has malformed attributes');
    values.set(id(type), value);
  }
  return values;
}

/** RFC 5816: the signed attributes name the certificate, so that no other one of the same key can take its place. */
function checkSigningCertificate(values: ReadonlyMap<string, DerNode>, certificate: Certificate): void {
  const v2 = values.get(ids.signingCertificateV2);
  const named = v2 ?? values.get(ids.signingCertificate);
  const [list] = children(named, tags.sequence);
  const parts = children(children(list, tags.sequence)[0], tags.sequence);
  const algorithm = v2 === undefined ? 'sha1' : parts[0]?.tag === tags.sequence ? hashes[id(children(parts.shift(), tags.sequence)[0])] : 'sha256';
  if (algorithm === undefined || !sameBytes(contentOf(parts[0], tags.octetString), hash(algorithm, certificate.x509.raw))) {
    throw unverified('the timestamp names another certificate than its signer');
  }
}

function checkInfo(info: Uint8Array, data: Uint8Array): TimestampRange {
  const [, , imprint, , time, accuracy] = children(readOne(info), tags.sequence);
  const [algorithm, hashed] = children(imprint, tags.sequence);
  const name = hashes[id(children(algorithm, tags.sequence)[0])];
  if (name === undefined) throw unverified('the timestamp uses a hash that is not supported');
  if (!sameBytes(contentOf(hashed, tags.octetString), hash(name, data))) throw unverified('the timestamp is for another signature');
  const at = generalizedTime(time);
  const around = accuracy?.tag === tags.sequence ? accuracyOf(accuracy) : 0;
  return {earliest: at - around, latest: at + around};
}

const timeShape = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\.\d{1,9})?Z$/;

function generalizedTime(node: DerNode | undefined): number {
  const match = timeShape.exec(Buffer.from(contentOf(node, tags.generalizedTime)).toString('latin1'));
  if (match === null) throw unverified('the timestamp tells no time');
  const [, year, month, day, hour, minute, second, fraction = ''] = match;
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}Z`);
}

/** Milliseconds. */
function accuracyOf(node: DerNode): number {
  let milliseconds = 0;
  for (const part of children(node, tags.sequence)) {
    if (part.tag === tags.integer) milliseconds += Number(integer(part)) * 1000;
    else if (part.tag === contextPrimitive(0)) milliseconds += Number(integer(part, part.tag));
    else if (part.tag === contextPrimitive(1)) milliseconds += 1;
  }
  return milliseconds;
}

/** From the signer to a self-signed certificate, by way of a trusted one. */
function chainTo(signer: Certificate, embedded: readonly Certificate[], trusted: readonly Certificate[]): Certificate[] {
  const pool = [...trusted, ...embedded];
  const chain = [signer];
  for (let last = signer; !isSelfSigned(last); last = chain.at(-1)!) {
    const issuer = pool.find(each => !chain.includes(each) && basicConstraints(each)?.ca && isIssuedBy(last, each));
    if (issuer === undefined) throw unverified(`the issuer of certificate ${nameOf(last)} of the timestamp authority is not known`);
    chain.push(issuer);
  }
  if (!chain.some(each => trusted.some(({x509}) => sameBytes(x509.raw, each.x509.raw)))) throw unverified('the timestamp authority is not among tsaCerts');
  return chain;
}

function id(node: DerNode | undefined): string {
  return objectId(node).join('.');
}

function hash(algorithm: string, data: Uint8Array): Buffer {
  return createHash(algorithm).update(data).digest();
}
