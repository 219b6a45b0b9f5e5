import type {RegistryAccess, SecretReference} from '../../engine/image/verification.js';
import type {Clock} from '../clock.js';
import {type Credential, joinKeychains, type Keychain} from './credentials/credential.js';
import {createPullSecrets, type SecretReader} from './credentials/pull-secrets.js';
import type {Session} from './registry/session.js';

export interface SessionOptions {
  readonly clock: Clock;
  readonly secrets: SecretReader;
  /** Pull secrets of the installation, for all policies. */
  readonly pullSecrets: readonly SecretReference[];
  /** Credential helpers of the installation, for all policies, in their order. */
  readonly helpers: readonly string[];
  /** Keychain of a provider or helper; `undefined` when there is none of that name. */
  readonly keychain: (name: string) => Keychain | undefined;
  readonly allowInsecureRegistry: boolean;
  /** Milliseconds of one piece of work, whoever waits for it. */
  readonly timeoutMs: number;
}

/** Runs one piece of work with the credentials of an access: those of the policy first, then the installation's. */
export type InSession = <T>(access: RegistryAccess, work: (session: Session) => Promise<T>) => Promise<T>;

export function createSessions(options: SessionOptions): InSession {
  const {clock, secrets, pullSecrets, helpers, keychain, allowInsecureRegistry, timeoutMs} = options;
  return async (access, work) => {
    const notes = new Set<string>();
    const note = (text: string) => notes.add(text);
    const named = (name: string): Keychain => {
      const found = keychain(name);
      if (found === undefined) note(`${name} is no credential helper of this installation`);
      return tolerant(found ?? (async () => undefined), name, note);
    };
    const fromSecrets = (references: readonly SecretReference[]) => createPullSecrets({secrets: references, read: secrets, note});
    const chain = joinKeychains([
      fromSecrets(access.secrets),
      ...access.providers.map(named),
      fromSecrets(pullSecrets),
      ...helpers.map(named),
    ]);
    const found = new Map<string, Promise<Credential | undefined>>();
    const controller = new AbortController();
    const cancel = clock.schedule(timeoutMs, () => controller.abort());
    try {
      return await work({
        insecure: allowInsecureRegistry && access.allowInsecureRegistry,
        signal: controller.signal,
        deadline: clock.now() + timeoutMs,
        credential(registry, repository) {
          const key = `${registry}/${repository}`;
          const known = found.get(key) ?? chain(registry, repository, controller.signal);
          found.set(key, known);
          return known;
        },
        notes: () => [...notes],
      });
    } finally {
      cancel();
      controller.abort();
    }
  };
}

/** A helper that fails is one that has no credentials; the refusal of the registry, if any, tells why. */
function tolerant(keychain: Keychain, name: string, note: (text: string) => void): Keychain {
  return async (registry, repository, signal) => {
    try {
      return await keychain(registry, repository, signal);
    } catch (error) {
      note(`${name}: ${error instanceof Error ? error.message : 'it failed'}`);
      return undefined;
    }
  };
}
