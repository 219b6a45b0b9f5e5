/** What a registry is shown. */
export interface Credential {
  readonly username: string;
  readonly password: string;
  /** OAuth2 refresh token instead of a password. */
  readonly identityToken?: string | undefined;
  /** Bearer token as it is. */
  readonly registryToken?: string | undefined;
  /** Where it is from, for messages and caches: `Secret apps/pull`, `provider amazon`. */
  readonly owner: string;
}

/** The credential for a repository of a registry; `undefined` when this keychain has none. */
export type Keychain = (registry: string, repository: string, signal: AbortSignal) => Promise<Credential | undefined>;

/** The first that has one. */
export function joinKeychains(keychains: readonly Keychain[]): Keychain {
  return async (registry, repository, signal) => {
    for (const keychain of keychains) {
      const found = await keychain(registry, repository, signal);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}
