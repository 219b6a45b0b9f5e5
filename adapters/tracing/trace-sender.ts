/** Hands encoded spans to a collector. */
export interface TraceSender {
  /** One request; rejects with a `SendError` or what the network says. */
  send(body: Uint8Array, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** An answer of the collector that is no success. */
export class SendError extends Error {
  override readonly name = 'SendError';

  constructor(
    message: string,
    /** Another try may help. */
    readonly isTransient: boolean,
  ) {
    super(message);
  }
}
