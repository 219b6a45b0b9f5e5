import type {KeylessSignature, KeylessSigned} from './keyless.js';
import {type Descriptor, type Layer, pushReferrer, type PushTarget, pushUnderTag, tagOf} from './push.js';

export const bundleType = 'application/vnd.dev.sigstore.bundle.v0.3+json';
export const notationType = 'application/vnd.cncf.notary.signature';
const signPredicate = 'https://sigstore.dev/cosign/sign/v1';

/** What cosign signs in its older format. */
export function simpleSigning(image: string, digest: string, annotations?: Readonly<Record<string, string>>): string {
  return JSON.stringify({
    critical: {identity: {'docker-reference': image}, image: {'docker-manifest-digest': digest}, type: 'cosign container image signature'},
    optional: annotations ?? null,
  });
}

/** What it signs in the format of bundles. */
export function signStatement(digest: string, predicateType = signPredicate, predicate: object = {}): string {
  const [algorithm = '', hex = ''] = digest.split(':');
  return JSON.stringify({_type: 'https://in-toto.io/Statement/v1', subject: [{digest: {[algorithm]: hex}}], predicateType, predicate});
}

export interface Signed extends Pick<KeylessSignature, 'payload'> {
  readonly signed: KeylessSigned;
}

/** Under the tag of the image, as the older format has it; envelopes of statements are attestations, and may be several. */
export function attachUnderTag(target: PushTarget, digest: string, ...all: readonly [Signed, ...Signed[]]): Promise<Descriptor> {
  const suffix = all[0].signed.envelope === undefined ? 'sig' : 'att';
  return pushUnderTag(target, tagOf(digest, suffix), all.map(layerOf));
}

function layerOf({payload, signed}: Signed): Layer {
  const proofs = {
    'dev.sigstore.cosign/certificate': signed.certificate,
    'dev.sigstore.cosign/chain': signed.chain,
    ...(signed.rekorBundle && {'dev.sigstore.cosign/bundle': JSON.stringify(signed.rekorBundle)}),
    ...(signed.timestamp && {'dev.sigstore.cosign/rfc3161timestamp': JSON.stringify({SignedRFC3161Timestamp: signed.timestamp})}),
  };
  if (signed.envelope) {
    const {predicateType} = JSON.parse(String(payload)) as {predicateType: string};
    const annotations = {'dev.cosignproject.cosign/signature': '', predicateType, ...proofs};
    return {content: JSON.stringify(signed.envelope), mediaType: 'application/vnd.dsse.envelope.v1+json', annotations};
  }
  const annotations = {'dev.cosignproject.cosign/signature': signed.signature, ...proofs};
  return {content: Buffer.from(payload), mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json', annotations};
}

/** A bundle among the referrers. */
export function attachBundle(target: PushTarget, subject: Descriptor, {bundle, referrersApi = true, predicateType = signPredicate}: {readonly bundle: object; readonly referrersApi?: boolean; readonly predicateType?: string}): Promise<Descriptor> {
  return pushReferrer(target, {
    subject,
    artifactType: bundleType,
    layers: [{content: JSON.stringify(bundle), mediaType: bundleType}],
    annotations: {'dev.sigstore.bundle.content': 'dsse-envelope', 'dev.sigstore.bundle.predicateType': predicateType},
    referrersApi,
  });
}

/** A notation signature among the referrers. */
export function attachNotation(target: PushTarget, subject: Descriptor, {envelope, mediaType, referrersApi = true}: {readonly envelope: string; readonly mediaType: string; readonly referrersApi?: boolean}): Promise<Descriptor> {
  return pushReferrer(target, {
    subject,
    artifactType: notationType,
    layers: [{content: Buffer.from(envelope, 'base64'), mediaType}],
    annotations: {'io.cncf.notary.x509chain.thumbprint#S256': '[]'},
    referrersApi,
  });
}
