import type {Credential} from '../credentials/credential.js';

/** One piece of work with registries: who asks, how, and until when. */
export interface Session {
  /** Plain HTTP and unproven certificates. */
  readonly insecure: boolean;
  readonly signal: AbortSignal;
  /** Milliseconds on the clock's `now()` scale. */
  readonly deadline: number;
  /** Asked once per registry and repository; `undefined` = anonymously. */
  readonly credential: (registry: string, repository: string) => Promise<Credential | undefined>;
  /** What stood in the way of credentials, for the message of a refusal. */
  readonly notes: () => readonly string[];
}
