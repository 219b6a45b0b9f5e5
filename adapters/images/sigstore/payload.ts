import {isObject, own, ownPath, type Json} from '../../../engine/json/types.js';
import {unverified} from '../notary/refuse.js';
import {readJsonObject, readStatement, subjectsOf} from './envelope.js';
import type {Signed} from './signed.js';

const signType = 'https://sigstore.dev/cosign/sign/v1';
const claimTypes = new Set(['cosign container image signature', 'https://sigstore.dev/cosign/sign/v1']);

type Annotations = Readonly<Record<string, string>>;

/** Whether a statement is a signature and claims nothing else. */
export function isSignStatement(predicateType: string): boolean {
  return predicateType === signType;
}

export interface Claim {
  readonly digest: string;
  /** Whether a statement of this type counts as a signature. */
  readonly counts: (predicateType: string) => boolean;
  readonly annotations: Annotations;
}

/** Proves that a signature's content is about the digest, with the annotations asked for. Throws an `ImageVerificationError`. */
export function checkClaim(signed: Signed, {digest, counts, annotations: wanted}: Claim): void {
  if (signed.content.kind === 'dsse') {
    const statement = readStatement(signed);
    if (!counts(statement.predicateType)) throw unverified('the statement is an attestation, not a signature');
    checkAnnotations(subjectsOf(statement, digest).map(subject => own(subject, 'annotations')), wanted);
    return;
  }
  const payload = readJsonObject(signed.content.payload, 'the signed payload');
  if (!claimTypes.has(String(ownPath(payload, 'critical', 'type')))) throw unverified('the signed payload is no claim about an image');
  if (ownPath(payload, 'critical', 'image', 'docker-manifest-digest') !== digest) throw unverified('the signature is for another digest');
  checkAnnotations([own(payload, 'optional')], wanted);
}

function checkAnnotations(all: ReadonlyArray<Json | undefined>, wanted: Annotations): void {
  const pairs = Object.entries(wanted);
  const holds = (given: Json | undefined) => pairs.every(([key, value]) => isObject(given) && own(given, key) === value);
  if (pairs.length === 0 || all.some(holds)) return;
  throw unverified(`no signature matched the required annotations: ${pairs.map(([key, value]) => `${key}=${value}`).join(', ')}`);
}
