import {Buffer} from 'node:buffer';
import {createPublicKey, type KeyObject, verify} from 'node:crypto';
import type {RuleRun} from '../context/rule-run.js';
import {isPromise} from '../context/suspend.js';
import {type BlobQuery, ImageVerificationError, type Signer} from '../image/verification.js';
import type {Refusal} from '../verify-images/ask-source.js';

const nobody: Refusal = {reason: 'unreachable', message: 'only keys that stand in the policy can be verified here'};

/**
 * Whether the attestor has signed the bytes; `undefined` = it has. A key in the policy needs nobody else, all other signers
 * are asked for outside. May suspend.
 */
export function refusalOf(query: BlobQuery, run: RuleRun): Refusal | undefined {
  const {signer} = query.attestor;
  if (signer.type === 'key')
    return verifiedByKey(query, signer) ? undefined : {reason: 'unverified', message: 'invalid signature'};
  const {images} = run.loader;
  const {verifyBlob} = images ?? {};
  if (images === undefined || verifyBlob === undefined) return nobody;
  const key = `blob:${JSON.stringify({...query, payload: Buffer.from(query.payload).toString('base64')})}`;
  return run.settle<{readonly refusal?: Refusal}>(key, ({deadline}) => {
    try {
      const proven = images.verifyBlob?.(query, {deadline, useCache: true});
      return isPromise(proven) ? proven.then(() => ({}), refused) : {};
    } catch (error) {
      return refused(error);
    }
  }).refusal;
}

function refused(error: unknown): {readonly refusal: Refusal} {
  if (error instanceof ImageVerificationError) return {refusal: {reason: error.reason, message: error.message}};
  throw error;
}

function verifiedByKey({payload, signature}: BlobQuery, {publicKey, hash}: Signer & {readonly type: 'key'}): boolean {
  let key: KeyObject;
  try {
    key = createPublicKey(publicKey);
  } catch {
    // A text that is no key has signed nothing.
    return false;
  }
  const isEdwards = key.asymmetricKeyType === 'ed25519' || key.asymmetricKeyType === 'ed448';
  return verify(isEdwards ? null : hash, payload, key, Buffer.from(signature, 'base64'));
}
