/**
 * What a registry (or a service beside it) did not give. `missing`: there is no such thing; `denied`: not with these
 * credentials; `unreachable`: no answer, too busy, broken or out of time; `malformed`: an answer that breaks the protocol
 * or a limit. The text names host and path, and never repeats what the other side said.
 */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
  constructor(
    message: string,
    readonly kind: 'missing' | 'denied' | 'unreachable' | 'malformed',
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof RegistryError && error.kind === 'missing';
}
