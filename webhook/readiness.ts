import {expiresAt, validFrom, verifyChain} from '../adapters/tls/index.js';
import type {Clock} from '../adapters/clock.js';
import type {CertificateSource, ReadinessReport, ServingCertificate} from './types.js';

/** Says why it is not ready, or nothing. Answers from memory. */
export type ReadinessCheck = () => string | undefined;

/** All checks as one report. */
export function readinessOf(checks: readonly ReadinessCheck[]): () => ReadinessReport {
  return () => {
    const reasons = checks.map(check => check()).filter(reason => reason !== undefined);
    return {ready: reasons.length === 0, reasons};
  };
}

/**
 * The serving certificate verifies against the published bundle. Signatures are checked once per certificate and
 * bundle; between them only the clock decides.
 */
export function certificateCheck(source: CertificateSource, clock: Clock): ReadinessCheck {
  let checked: ServingCertificate | undefined;
  let until = Number.NEGATIVE_INFINITY;
  let from = Number.POSITIVE_INFINITY;
  return () => {
    const current = source.current();
    const now = clock.now();
    const same = checked !== undefined && checked.cert === current.cert && checked.ca === current.ca;
    if (same && now >= from && now < until) return undefined;
    const problem = verifyChain(current.cert, current.ca, now);
    checked = problem === undefined ? current : undefined;
    if (problem === undefined) {
      from = validFrom(current.cert);
      until = Math.min(expiresAt(current.cert), now + recheckMs);
    }
    return problem;
  };
}

/** An authority of the bundle may end before the leaf does. */
const recheckMs = 3_600_000;
