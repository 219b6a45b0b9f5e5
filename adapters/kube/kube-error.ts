export type KubeFailure = 'Network' | 'Timeout' | 'Aborted' | 'TooLarge' | 'Redirect' | 'Malformed';

interface KubeErrorInit {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly retryAfterMs?: number | undefined;
  readonly continueAt?: string | undefined;
  readonly cause?: unknown;
}

/** A call to the API server that did not give an answer, or a refusal as the server worded it. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  /** HTTP status; 0 when there was none. */
  readonly status: number;
  /** `reason` of the server's Status (`NotFound`, `Conflict`, `Expired`, …), or a `KubeFailure`. */
  readonly reason: string;
  /** Milliseconds the server asked to wait. */
  readonly retryAfter: number | undefined;
  /** Of a list whose pages have expired: the token to go on with, in objects as they are now. */
  readonly continueAt: string | undefined;

  constructor(init: KubeErrorInit) {
    super(init.message, init.cause === undefined ? undefined : {cause: init.cause});
    this.status = init.status;
    this.reason = init.reason;
    this.retryAfter = init.retryAfterMs;
    this.continueAt = init.continueAt;
  }
}

/** True when `error` is a `KubeError` of this HTTP status. */
export function hasStatus(error: unknown, status: number): error is KubeError {
  return error instanceof KubeError && error.status === status;
}
