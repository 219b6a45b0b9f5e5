import type {Clock} from '../../adapters/clock.js';
import {compareResourceVersions} from '../../adapters/kube/resource-version.js';

/** What came of a write: the report's version, or that it is gone since that version. */
export interface Written {
  readonly version: string;
  readonly gone: boolean;
}

/** Which reports are being written, or were and the mirror has not heard of it: what it says of them is of before. */
export interface UnheardWrites {
  begin(key: string): void;
  /** `undefined`: nothing was written. */
  end(key: string, written: Written | undefined): void;
  /** `mirrored`: version of the report as mirrored; `undefined`: there is none. */
  has(key: string, mirrored: string | undefined): boolean;
}

/** A mirror that is further behind has troubles of its own; nothing is kept longer. */
const longestMs = 60_000;

export function createUnheardWrites(clock: Pick<Clock, 'monotonic'>): UnheardWrites {
  /** In the order of `until`. */
  const writes = new Map<string, {readonly written: Written | undefined; readonly until: number}>();

  function put(key: string, written: Written | undefined): void {
    const now = clock.monotonic();
    for (const [oldest, {until}] of writes) {
      if (until > now) break;
      writes.delete(oldest);
    }
    writes.delete(key);
    writes.set(key, {written, until: now + longestMs});
  }

  return {
    begin: key => put(key, undefined),
    end(key, written) {
      if (written === undefined) writes.delete(key);
      else put(key, written);
    },
    has(key, mirrored) {
      const write = writes.get(key);
      if (write === undefined) return false;
      if (write.until > clock.monotonic() && !isHeard(write.written, mirrored)) return true;
      writes.delete(key);
      return false;
    },
  };
}

function isHeard(written: Written | undefined, mirrored: string | undefined): boolean {
  if (written === undefined) return false;
  if (mirrored === undefined) return written.gone;
  const order = compareResourceVersions(mirrored, written.version);
  return written.gone ? order > 0 : order >= 0;
}
