/** Why a provider of registry credentials has nothing to answer with in this installation; `undefined` when it may have. */
export type ProviderLack = (provider: string) => string | undefined;

export interface NamedCredentials {
  readonly providers: readonly string[];
  readonly secrets: readonly string[];
}

/**
 * Why credentials of a policy open nothing, whatever registry is asked: all that they name are providers that have nothing.
 * `undefined` where a Secret or another provider may help, or nothing is named.
 */
export function idleProviders(
  {providers, secrets}: NamedCredentials,
  lack: ProviderLack | undefined,
): string | undefined {
  if (lack === undefined || providers.length === 0 || secrets.length > 0) return undefined;
  const reasons = providers.map(provider => {
    // What a variable comes to is known with the request.
    const why = provider.includes('{{') ? undefined : lack(provider);
    return why === undefined ? undefined : `${provider} (${why})`;
  });
  return reasons.includes(undefined) ? undefined : `no credentials of provider ${reasons.join(', ')}`;
}
