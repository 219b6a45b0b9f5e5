import type {KeyObject} from 'node:crypto';
import {ImageVerificationError, type Attestor, type HashAlgorithm} from '../../../engine/image/verification.js';
import type {RegexEngine} from '../../../engine/regex/types.js';
import {children, readOne, tags} from '../../../engine/x509/der.js';
import {type Certificate, readBundle, readCertificate} from '../notary/certificate.js';
import {unverified} from '../notary/refuse.js';
import {checkTimestamp} from '../notary/timestamp.js';
import {checkPathAt, findPath} from './certificate-path.js';
import {checkIdentity} from './identity.js';
import {hashesFor, isSignedBy, readPublicKeys} from './keys.js';
import {checkBody} from './log-body.js';
import {checkEntry} from './log-entry.js';
import {checkSct} from './sct.js';
import {type Signed, signedBytes} from './signed.js';
import {type Authority, holdsAt, type Trust} from './trust.js';

/** An attestor whose Secret, if any, is read. */
export type KnownAttestor = Omit<Attestor, 'signer'> & {
  readonly signer: Exclude<Attestor['signer'], {type: 'secret' | 'kms' | 'notary'}>;
};

export interface ProofQuestion {
  readonly signed: Signed;
  readonly attestor: KnownAttestor;
  readonly trust: Trust;
  readonly regex: RegexEngine;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Proves that the attestor made the signature: its bytes, its key or certificate, its publication and its time. Says nothing
 * about what is signed. Throws an `ImageVerificationError`.
 */
export function prove(question: ProofQuestion): void {
  const {signed, attestor} = question;
  const {signer} = attestor;
  if (signer.type === 'key') {
    const keys = readPublicKeys(signer.publicKey, 'key');
    const {key, signature} = signerOf(signed, keys, signer.hash);
    checkLog(question, {key, signature});
    return;
  }
  if (signer.type === 'certificate' && signer.certificate === undefined && signer.chain === undefined) {
    throw unverified('neither a certificate nor a chain is given');
  }
  const leaf = leafOf(question);
  const {key, signature} = signerOf(signed, [leaf.x509.publicKey], undefined);
  const times = [...checkLog(question, {key, signature}), ...checkTimestamps(question, signature)];
  if (signer.type === 'certificate' && signer.chain === undefined) return;
  if (times.length === 0 && !attestor.transparency.ignoreTlog) throw unverified('nothing proves when the signature was made');
  checkCertificate(question, leaf, times.length === 0 ? [question.now] : times);
  if (signer.type === 'keyless') checkIdentity(leaf, signer, question.regex);
}

/** Which of the attestor's keys, or the certificate that came along, made the signature; nobody has vouched for it yet. */
export function makerOf(question: Pick<ProofQuestion, 'signed' | 'attestor'>): {readonly signature: Buffer; readonly pem: string} {
  const {signed, attestor} = question;
  const {signer} = attestor;
  if (signer.type === 'key') {
    const {key, signature} = signerOf(signed, readPublicKeys(signer.publicKey, 'key'), signer.hash);
    return {signature, pem: key.export({type: 'spki', format: 'pem'}).toString()};
  }
  const {x509} = leafOf(question);
  return {signature: signerOf(signed, [x509.publicKey], undefined).signature, pem: x509.toString()};
}

interface Signature {
  readonly key: KeyObject;
  readonly signature: Buffer;
}

function signerOf(signed: Signed, keys: readonly KeyObject[], hash: HashAlgorithm | undefined): Signature {
  const data = signedBytes(signed);
  for (const signature of signed.signatures) {
    const key = keys.find(each => isSignedBy(each, data, {signature, hashes: hashesFor(each, hash)}));
    if (key !== undefined) return {key, signature};
  }
  throw unverified(keys.length > 1 ? 'the signature is by none of the keys' : 'invalid signature when validating by the key');
}

/** The certificate of the policy, else the one that came with the signature. */
function leafOf({signed, attestor}: Pick<ProofQuestion, 'signed' | 'attestor'>): Certificate {
  const {signer} = attestor;
  if (signer.type === 'certificate' && signer.certificate !== undefined) return readBundle(signer.certificate, 'certificate')[0]!;
  if (signed.certificate === undefined) throw unverified('the signature has no certificate: a key made it');
  return readCertificate(signed.certificate);
}

function checkCertificate({signed, attestor, trust}: ProofQuestion, leaf: Certificate, times: readonly number[]): void {
  const {signer, transparency} = attestor;
  const others = signed.chain.map(readCertificate);
  const authorities: readonly Authority[] =
    signer.type === 'certificate' && signer.chain !== undefined
      ? [{certificates: readBundle(signer.chain, 'certificate chain'), validFor: {start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY}}]
      : trust.fulcio;
  if (authorities.length === 0) throw unverified('no authority is trusted for certificates');
  const path = anyOf(authorities, authority => {
    const found = findPath({leaf, anchors: authority.certificates, others});
    for (const time of times) {
      if (!holdsAt(authority.validFor, time)) throw unverified('the authority of the certificate is not trusted for the time of the signature');
      checkPathAt(found, time);
    }
    return found;
  });
  if (!transparency.ignoreSct) checkSct(leaf, path[1]!, trust.ctlogs);
}

/** Times that the log's promises prove. One entry that holds is enough, and none that does not is passed over. */
function checkLog({signed, attestor, trust}: ProofQuestion, {key, signature}: Signature): number[] {
  const {ignoreTlog} = attestor.transparency;
  if (ignoreTlog) return [];
  if (signed.entries.length === 0) throw unverified('the signature has no entry of a transparency log, and ignoring that is not allowed here');
  const {content} = signed;
  const envelope = content.kind === 'dsse' ? content.envelope : undefined;
  return signed.entries.flatMap(entry => {
    const time = checkEntry(entry, trust.rekor);
    checkBody(entry, {payload: content.payload, envelope, signature, key});
    return time ?? [];
  });
}

/** Times of trusted authorities; where none is trusted, timestamps prove nothing and disturb nobody. */
function checkTimestamps({signed, trust}: ProofQuestion, signature: Buffer): number[] {
  if (trust.tsa.length === 0) return [];
  return signed.timestamps.flatMap(answer => {
    const token = tokenOf(answer);
    const range = anyOf(trust.tsa, authority => {
      const found = checkTimestamp({token, data: signature, trusted: authority.certificates});
      if (holdsAt(authority.validFor, found.earliest) && holdsAt(authority.validFor, found.latest)) return found;
      throw unverified('the timestamp authority was not trusted at that time');
    });
    return [range.earliest, range.latest];
  });
}

/** Of a TimeStampResp: status, token. */
function tokenOf(answer: Buffer): Uint8Array {
  try {
    const [, token] = children(readOne(answer), tags.sequence);
    if (token !== undefined) return token.raw;
  } catch {
    // Told below.
  }
  throw unverified('the timestamp is malformed');
}

/** The first that succeeds; throws the last failure. */
export function anyOf<T, U>(all: readonly T[], attempt: (one: T) => U): U {
  let failure: unknown;
  for (const one of all) {
    try {
      return attempt(one);
    } catch (error) {
      failure = error;
    }
  }
  throw failure instanceof ImageVerificationError ? failure : unverified('malformed data', {cause: failure});
}
