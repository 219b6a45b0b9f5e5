import type {LogEntry} from './log-entry.js';

/** A signature with all that came with it; nothing of it is proven yet. */
export interface Signed {
  /** What the signature is over: the payload by itself, or wrapped by its type (DSSE). */
  readonly content:
    | {readonly kind: 'plain'; readonly payload: Buffer}
    | {readonly kind: 'dsse'; readonly payload: Buffer; readonly payloadType: string; readonly envelope: Buffer};
  readonly signatures: readonly Buffer[];
  /** DER; absent when a key signed. */
  readonly certificate: Buffer | undefined;
  /** DER. */
  readonly chain: readonly Buffer[];
  readonly entries: readonly LogEntry[];
  /** Answers of timestamp authorities (RFC 3161), DER. */
  readonly timestamps: readonly Buffer[];
}

/** The bytes that are signed. */
export function signedBytes({content}: Signed): Buffer {
  if (content.kind === 'plain') return content.payload;
  const {payload, payloadType} = content;
  const type = Buffer.from(payloadType);
  return Buffer.concat([Buffer.from(`DSSEv1 ${type.length} `), type, Buffer.from(` ${payload.length} `), payload]);
}
