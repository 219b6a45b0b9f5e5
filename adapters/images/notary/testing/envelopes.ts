import {type KeyObject, sign} from 'node:crypto';
import {encode, Tagged} from 'cborg';
import type {NotaryTarget} from '../verify.js';
import type {TestCertificate} from './certificates.js';

export interface TestEnvelope {
  readonly target: NotaryTarget;
  /** Leaf first. */
  readonly chain: readonly TestCertificate[];
  readonly key?: KeyObject;
  readonly algorithm?: string | number;
  /** In place of, or beside, the usual signed attributes; `undefined` takes one away. */
  readonly signed?: Readonly<Record<string, unknown>>;
  readonly critical?: readonly string[];
  readonly contentType?: string;
}

const scheme = 'io.cncf.notary.signingScheme';
const payloadType = 'application/vnd.cncf.notary.payload.v1+json';

/** A JWS envelope, wrong where it is wanted. */
export function makeJws({target, chain, key, algorithm = 'ES256', signed = {}, critical = [scheme], contentType = payloadType}: TestEnvelope): Buffer {
  const attributes = {alg: algorithm, cty: contentType, crit: critical, [scheme]: 'notary.x509', 'io.cncf.notary.signingTime': '2025-01-01T00:00:00Z', ...signed};
  const header = Buffer.from(JSON.stringify(attributes)).toString('base64url');
  const payload = Buffer.from(JSON.stringify({targetArtifact: target})).toString('base64url');
  const signature = sign('sha256', Buffer.from(`${header}.${payload}`), {key: key ?? chain[0]!.key, dsaEncoding: 'ieee-p1363'});
  const x5c = chain.map(each => each.der.toString('base64'));
  return Buffer.from(JSON.stringify({payload, protected: header, header: {x5c}, signature: signature.toString('base64url')}));
}

/** A COSE envelope, wrong where it is wanted. */
export function makeCose({target, chain, key, algorithm = -7, signed = {}, critical = [scheme], contentType = payloadType}: TestEnvelope): Uint8Array {
  const attributes = new Map<unknown, unknown>([
    [1, algorithm],
    [2, critical],
    [3, contentType],
    [scheme, 'notary.x509'],
    ['io.cncf.notary.signingTime', new Tagged(1, 1_735_689_600)],
    ...Object.entries(signed),
  ]);
  for (const [name, value] of attributes) if (value === undefined) attributes.delete(name);
  const header = encode(attributes);
  const payload = Buffer.from(JSON.stringify({targetArtifact: target}));
  const signature = sign('sha256', encode(['Signature1', header, new Uint8Array(), payload]), {key: key ?? chain[0]!.key, dsaEncoding: 'ieee-p1363'});
  return encode(new Tagged(18, [header, new Map([[33, chain.map(each => each.der)]]), payload, signature]));
}
