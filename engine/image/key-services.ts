/** Why keys of a service (`awskms`) cannot be had in this installation; `undefined` when they may be. */
export type KeyServiceLack = (scheme: string) => string | undefined;

/** Where nobody asks key services. */
export const noKeyServices: KeyServiceLack = () => 'none is installed';

/** `awskms` of `awskms:///alias/release`; `undefined` for a text that is no address of a key service. A path has no place in it. */
export function keyServiceOf(address: string): string | undefined {
  const scheme = /^([a-z0-9][a-z0-9-]{0,62}):\/\/./.exec(address)?.[1];
  return scheme === 'http' || scheme === 'https' ? undefined : scheme;
}
