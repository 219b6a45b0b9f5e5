import {ImageVerificationError} from '../../../engine/image/verification.js';
import {isObject, own} from '../../../engine/json/types.js';
import {holds, keyAlgorithm} from './algorithm.js';
import {basicConstraints, type Certificate, isSelfSigned, nameOf, readBundle, readCertificate, sameBytes} from './certificate.js';
import {checkChain, checkValidity} from './chain.js';
import {readCose} from './cose.js';
import type {NotaryEnvelope} from './envelope.js';
import {readFields} from './fields.js';
import {readJws} from './jws.js';
import {unverified} from './refuse.js';
import {checkTimestamp} from './timestamp.js';

/** Artifact type of signatures among the referrers of an image. */
export const notaryArtifactType = 'application/vnd.cncf.notary.signature';
/** Media types of envelopes. */
export const notaryMediaTypes = {jws: 'application/jose+json', cose: 'application/cose'} as const;
/** So many signatures of one image are looked at. */
export const maxSignatureAttempts = 10;

const payloadType = 'application/vnd.cncf.notary.payload.v1+json';
const maxEnvelopeBytes = 1 << 20;

/** Descriptor of what was signed. */
export interface NotaryTarget {
  readonly mediaType: string;
  /** `algorithm:hex`. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

export interface NotaryVerification {
  readonly envelope: Uint8Array;
  readonly mediaType: string;
  /** PEM; one of them has to be in the chain. */
  readonly certificates: string;
  /** PEM; with it, only signatures with a timestamp of these authorities count. */
  readonly tsaCertificates: string | undefined;
  readonly target: NotaryTarget;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Proves that the envelope is a signature of `target` by a certificate that is trusted: integrity, identity, expiry and
 * time, as the Notary Project's level "strict", but for revocation, which would ask servers that the signer names.
 * Returns, or throws an `ImageVerificationError` with reason `unverified`.
 */
export function verifyNotary(verification: NotaryVerification): void {
  try {
    check(verification);
  } catch (error) {
    if (error instanceof ImageVerificationError) throw error;
    // What the signer wrote and neither DER nor OpenSSL can read.
    throw unverified('the signature is malformed', {cause: error});
  }
}

function check({envelope: bytes, mediaType, certificates, tsaCertificates, target, now}: NotaryVerification): void {
  if (bytes.length > maxEnvelopeBytes) throw unverified(`the signature envelope has more than ${maxEnvelopeBytes} bytes`);
  const envelope = read(bytes, mediaType);
  const chain = envelope.chain.map(readCertificate);
  checkIntegrity(envelope, chain);
  checkTrust(chain, readBundle(certificates, 'certificates'));
  checkTarget(envelope, target);
  if (envelope.expiry !== undefined) {
    if (envelope.expiry <= envelope.signingTime) throw unverified('the signature expires before it was made');
    if (now >= envelope.expiry.getTime()) throw unverified(`the signature expired at ${envelope.expiry.toISOString()}`);
  }
  checkTime(envelope, chain, {tsaCertificates, now});
}

function read(bytes: Uint8Array, mediaType: string): NotaryEnvelope {
  if (mediaType === notaryMediaTypes.jws) return readJws(bytes);
  if (mediaType === notaryMediaTypes.cose) return readCose(bytes);
  throw unverified(`signature envelopes of type ${JSON.stringify(mediaType)} are not supported`);
}

function checkIntegrity(envelope: NotaryEnvelope, chain: readonly Certificate[]): void {
  const [leaf] = chain;
  if (leaf === undefined) throw unverified('the envelope has no certificates');
  checkChain(chain, 'codeSigning');
  const wanted = keyAlgorithm(leaf);
  if (envelope.algorithm !== wanted) throw unverified(`the signature is by ${envelope.algorithm}, its certificate's key demands ${wanted}`);
  if (!holds(wanted, leaf.x509.publicKey, envelope.signedBytes, envelope.signature)) throw unverified('the signature does not hold');
}

function checkTrust(chain: readonly Certificate[], trusted: readonly Certificate[]): void {
  for (const certificate of trusted) {
    if (!basicConstraints(certificate)?.ca && !isSelfSigned(certificate)) throw unverified(`certificate ${nameOf(certificate)} of the policy is neither an authority's nor self-signed`);
  }
  if (!chain.some(({x509}) => trusted.some(each => sameBytes(each.x509.raw, x509.raw)))) {
    throw unverified(`the signature is by ${nameOf(chain[0]!)}, whose chain has none of the trusted certificates`);
  }
}

function checkTarget({contentType, payload}: NotaryEnvelope, target: NotaryTarget): void {
  if (contentType !== payloadType) throw unverified(`the signature is for content of type ${JSON.stringify(contentType)}`);
  const artifact = own(readFields(payload, 'the payload'), 'targetArtifact');
  if (!isObject(artifact)) throw unverified('the payload names no target artifact');
  for (const name of ['mediaType', 'digest', 'size'] as const) {
    const signed = own(artifact, name);
    if (signed !== target[name]) throw unverified(`the signature is for another artifact: ${name} is ${JSON.stringify(signed)}, wanted ${JSON.stringify(target[name])}`);
  }
}

/**
 * Without timestamp a signature counts as long as its certificates do, since its time is the signer's word. The time that
 * a signing authority tells is not taken for more, as policies don't say which certificates are such authorities'.
 */
function checkTime(envelope: NotaryEnvelope, chain: readonly Certificate[], {tsaCertificates, now}: Pick<NotaryVerification, 'tsaCertificates' | 'now'>): void {
  if (envelope.scheme === 'notary.x509.signingAuthority') checkValidity(chain, envelope.signingTime.getTime(), 'at signing');
  if (tsaCertificates === undefined || envelope.scheme === 'notary.x509.signingAuthority') {
    checkValidity(chain, now, 'at verification');
    return;
  }
  if (envelope.timestampToken === undefined) throw unverified('the signature has no timestamp, which tsaCerts demand');
  const {earliest, latest} = checkTimestamp({
    token: envelope.timestampToken,
    data: envelope.signature,
    trusted: readBundle(tsaCertificates, 'tsaCertificates'),
  });
  if (earliest > now) throw unverified('the timestamp is of the future');
  checkValidity(chain, earliest, 'at the time of the timestamp');
  checkValidity(chain, latest, 'at the time of the timestamp');
}
