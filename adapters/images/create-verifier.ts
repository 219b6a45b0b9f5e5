import type {RegexEngine} from '../../engine/regex/types.js';
import type {Clock} from '../clock.js';
import type {SecretReader} from './credentials/pull-secrets.js';
import type {Verifier} from './image-source.js';
import type {KeyServices} from './kms/key-services.js';
import type {Transport} from './registry/transport.js';
import {createLogSearch} from './sigstore/log-search.js';
import {createTrustSource} from './sigstore/trust-source.js';
import {createTufRoots} from './tuf/tuf-roots.js';
import {createCosign} from './verify-cosign.js';
import {createNotation} from './verify-notation.js';

export interface VerifierParts {
  readonly clock: Clock;
  readonly regex: RegexEngine;
  readonly secrets: SecretReader;
  readonly transport: Transport;
  /** Repository that the trusted root of keyless signatures is kept up to date from; absent = that of this release counts. */
  readonly tuf?: {readonly mirror: string | undefined; readonly rootPath: string | undefined; readonly root: string | undefined} | undefined;
  readonly allowInsecureRegistry: boolean;
  /** Absent: keys of key services are refused. */
  readonly keyServices?: Pick<KeyServices, 'publicKey'> | undefined;
}

/** Proofs of all formats. */
export function createVerifier({clock, regex, secrets, transport, tuf, allowInsecureRegistry, keyServices}: VerifierParts): Verifier {
  const roots = createTufRoots({transport, clock, insecure: allowInsecureRegistry});
  const trust = createTrustSource({tuf: roots, ...(tuf && {refreshed: () => roots(tuf)})});
  const cosign = createCosign({clock, regex, secrets, keyServices, trust, logs: createLogSearch(transport)});
  const notation = createNotation(clock);
  return {
    verifySignature: (query, parts) => (query.attestor.signer.type === 'notary' ? notation : cosign).verifySignature(query, parts),
    verifyAttestations: (query, parts) => (query.kind === 'referrer' ? notation : cosign).verifyAttestations(query, parts),
    verifyBlob: (query, session) => cosign.verifyBlob(query, session),
  };
}
