import type {ImageSource} from '../../engine/image/verification.js';
import type {RegexEngine} from '../../engine/regex/types.js';
import {createEndpointGuard, type EndpointGuardOptions} from './registry/endpoint-guard.js';
import {createPool} from './registry/pool.js';
import type {ProxyChoice} from './registry/proxy.js';
import {createRegistryClient, type RegistryClientOptions} from './registry/registry-client.js';
import {createTokens, type TokenOptions} from './registry/tokens.js';
import {createTransport, type Transport} from './registry/transport.js';
import type {VerifierParts} from './create-verifier.js';
import {createImageSource, type ImageSourceOptions, type Verifier} from './image-source.js';
import {createSessions, type SessionOptions} from './sessions.js';

export interface ImageParts
  extends EndpointGuardOptions,
    Omit<SessionOptions, 'timeoutMs' | 'keychain'>,
    Pick<ImageSourceOptions, 'cache' | 'onLookup'>,
    Pick<RegistryClientOptions, 'mirrors' | 'onCall'>,
    Pick<TokenOptions, 'realms'>,
    Pick<VerifierParts, 'tuf' | 'keyServices'> {
  readonly regex: RegexEngine;
  /** Keychain of a provider or helper; calls of clouds go through `transport`. */
  readonly keychains: (transport: Transport) => SessionOptions['keychain'];
  /** PEM; beside the system's authorities. */
  readonly caBundle?: string | undefined;
  readonly proxy?: ProxyChoice | undefined;
  /** Milliseconds of one piece of work with registries; 30 s when absent. */
  readonly timeoutMs?: number | undefined;
  /** Proofs; those of this release when absent. */
  readonly verifier?: ((transport: Transport) => Promise<Verifier>) | undefined;
}

/** Registries at work: calls, credentials, caches and proofs put together. */
export function createImages(parts: ImageParts): ImageSource {
  const {clock, timeoutMs = 30_000, keychains, verifier} = parts;
  const guard = createEndpointGuard(parts);
  const transport = createTransport({...parts, guard, userAgent: 'kyverno-ts'});
  const tokens = createTokens({...parts, transport});
  const client = createRegistryClient({...parts, transport, tokens, pool: createPool({total: 32, perKey: 16})});
  const inSession = createSessions({...parts, timeoutMs, keychain: keychains(transport)});
  let loading: Promise<Verifier> | undefined;
  return createImageSource({
    ...parts,
    client,
    inSession,
    verifier: () => {
      // Read when a signature is first asked for: start-up does without.
      loading ??= verifier?.(transport) ?? import('./create-verifier.js').then(module => module.createVerifier({...parts, clock, transport}));
      return loading;
    },
  });
}
