import type {RegexEngine} from '../../engine/regex/types.js';
import type {Clock} from '../clock.js';
import type {SecretReader} from './credentials/pull-secrets.js';
import type {Verifier} from './image-source.js';
import {unverified} from './notary/refuse.js';
import type {Transport} from './registry/transport.js';
import {createTrustSource, type TrustSourceOptions} from './sigstore/trust-source.js';
import {createCosign} from './verify-cosign.js';
import {createNotation} from './verify-notation.js';

export interface VerifierParts {
  readonly clock: Clock;
  readonly regex: RegexEngine;
  readonly secrets: SecretReader;
  readonly transport: Transport;
  readonly trust?: Partial<TrustSourceOptions> | undefined;
}

/** Proofs of all formats. */
export function createVerifier({clock, regex, secrets, trust}: VerifierParts): Verifier {
  const tuf = async (): Promise<never> => {
    throw unverified('TUF repositories are not read here');
  };
  const cosign = createCosign({clock, regex, secrets, trust: createTrustSource({tuf, ...trust})});
  const notation = createNotation(clock);
  return {
    verifySignature: (query, parts) => (query.attestor.signer.type === 'notary' ? notation : cosign).verifySignature(query, parts),
    verifyAttestations: (query, parts) => (query.kind === 'referrer' ? notation : cosign).verifyAttestations(query, parts),
    verifyBlob: (query, session) => cosign.verifyBlob(query, session),
  };
}
