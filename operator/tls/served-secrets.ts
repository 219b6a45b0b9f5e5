import type {CertificateSource} from '../../webhook/types.js';

/** A serving certificate that comes from Secrets. */
export interface ServedSecrets extends CertificateSource {
  /** What the Secrets say now; for every replica, on each of their changes. */
  refresh(): void;
  /** Issues what is missing or about to end; for the leader. `'later'`: a leaf waits until clients trust its CA. */
  renew(): Promise<'done' | 'later'>;
  /** Resolves with the first usable certificate. */
  readonly available: Promise<void>;
}
