import {readFile} from 'node:fs/promises';
import {ImageVerificationError} from '../../../engine/image/verification.js';
import type {Clock} from '../../clock.js';
import {parseUrl} from '../../http/pinned-request.js';
import {createAnswerCache} from '../cache/answer-cache.js';
import {canonical} from '../cache/canonical.js';
import {unverified} from '../notary/refuse.js';
import type {Transport} from '../registry/transport.js';
import publicGood from '../sigstore/data/public-good.generated.json' with {type: 'json'};
import type {TufRoots} from '../sigstore/trust-source.js';
import {readTrustedRoot, type Trust} from '../sigstore/trust.js';
import {readTarget} from './tuf-client.js';

export interface TufRootsOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly insecure: boolean;
}

export const publicMirror = 'https://tuf-repo-cdn.sigstore.dev';
/** Milliseconds for which a trusted root counts before the repository is asked again. */
const ttlMs = 6 * 3_600_000;
const maxBytes = 512 * 1024;

/**
 * Trusted roots by their repositories. One that cannot be refreshed goes on counting for a day; after that, and without
 * one, what needs it is an error.
 */
export function createTufRoots({transport, clock, insecure}: TufRootsOptions): TufRoots {
  const kept = createAnswerCache<Trust>({clock, maxSize: 20, ttlMs, peekMs: 24 * 3_600_000, failureTtlMs: () => 60_000});
  const last = new Map<string, {readonly trust: Trust; readonly at: number}>();

  async function firstRoot(root: string | undefined, rootPath: string | undefined): Promise<Buffer> {
    if (rootPath !== undefined && rootPath !== '') {
      const url = /^https?:/.test(rootPath) ? parseUrl(rootPath) : undefined;
      if (url === undefined) return readFile(rootPath);
      if (url.protocol !== 'https:' && !insecure) throw unverified('the first TUF root is not at an https URL');
      const {status, body} = await transport({url, method: 'GET', headers: {}, maxBytes, insecure, signal: AbortSignal.timeout(10_000)});
      if (status !== 200) throw new ImageVerificationError(`the first TUF root: HTTP ${status}`, 'unreachable');
      return body;
    }
    if (root === undefined || root === '') return Buffer.from(JSON.stringify(publicGood.tufRoot));
    return Buffer.from(root.trimStart().startsWith('{') ? root : Buffer.from(root, 'base64'));
  }

  return async ({root, rootPath, mirror = publicMirror}) => {
    const key = canonical([root, rootPath, mirror]);
    try {
      return await kept.get(key, async () => {
        const first = await firstRoot(root, rootPath);
        const bytes = await readTarget('trusted_root.json', {transport, clock, mirror, root: first, insecure});
        const trust = readTrustedRoot(bytes.toString('utf8'));
        last.set(key, {trust, at: clock.now()});
        return trust;
      });
    } catch (error) {
      const old = last.get(key);
      const isProof = error instanceof ImageVerificationError && error.reason === 'unverified';
      if (old !== undefined && !isProof && clock.now() - old.at < 24 * 3_600_000) return old.trust;
      throw error;
    }
  };
}
