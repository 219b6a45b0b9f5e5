import type {Log} from '../../adapters/log.js';
import {keyMatches} from '../../adapters/tls/index.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {ServingCertificate} from '../../webhook/types.js';
import type {ServedSecrets} from './served-secrets.js';
import {materialOf} from './secret-material.js';

export interface FollowedPairOptions {
  readonly log: Log;
  /** The Secret as the cache has it. */
  readonly read: () => JsonObject | undefined;
  /** For the log. */
  readonly secret: string;
}

/** A serving pair that somebody else makes and renews: read, never written. */
export function followPair({log, read, secret}: FollowedPairOptions): ServedSecrets {
  const listeners = new Set<(certificate: ServingCertificate) => void>();
  let certificate: ServingCertificate | undefined;
  let first: () => void = () => {};
  const available = new Promise<void>(resolve => {
    first = resolve;
  });
  return {
    available,
    renew: () => Promise.resolve('done'),
    refresh() {
      const pair = materialOf(read());
      // A Secret that is gone takes nothing away.
      if (pair === undefined || (pair.cert === certificate?.cert && pair.key === certificate.key)) return;
      if (!isPair(pair)) {
        log.warn(`Secret ${secret}: tls.crt and tls.key are no pair; what is served stays`);
        return;
      }
      // Whoever connects has the CA from elsewhere.
      certificate = {...pair, ca: ''};
      first();
      for (const listener of listeners) listener(certificate);
    },
    current() {
      if (certificate === undefined) throw new Error('no serving certificate yet');
      return certificate;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function isPair({cert, key}: {readonly cert: string; readonly key: string}): boolean {
  try {
    return keyMatches(cert, key);
  } catch {
    // Unreadable: as good as none.
    return false;
  }
}
