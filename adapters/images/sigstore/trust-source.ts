import type {Attestor} from '../../../engine/image/verification.js';
import type {JsonObject} from '../../../engine/json/types.js';
import publicGood from './data/public-good.generated.json' with {type: 'json'};
import {noTrust, readTrustedRoot, type Trust, trustedRootOf, withOwnTrust} from './trust.js';

/** Trusted roots by a TUF repository, kept up to date; rejects with an `ImageVerificationError`. */
export type TufRoots = (tuf: NonNullable<Attestor['transparency']['tuf']>) => Promise<Trust>;

export interface TrustSourceOptions {
  /** For policies that name a repository of their own. */
  readonly tuf: TufRoots;
  /** For the others; that of this release when absent. */
  readonly refreshed?: (() => Promise<Trust>) | undefined;
}

/** Whom an attestor's signatures are believed by; asks nobody where the policy gives all that is needed. */
export type TrustSource = (attestor: Attestor) => Promise<Trust>;

const maxKept = 50;

export function createTrustSource({tuf, refreshed}: TrustSourceOptions): TrustSource {
  const read = new Map<string, Trust>();
  let included: Trust | undefined;

  function written(text: string): Trust {
    const known = read.get(text) ?? readTrustedRoot(text);
    if (read.size >= maxKept) read.delete(read.keys().next().value!);
    read.set(text, known);
    return known;
  }

  async function base(attestor: Attestor): Promise<Trust> {
    const {transparency} = attestor;
    if (transparency.trustedRoot !== undefined) return written(transparency.trustedRoot);
    if (!needsRoot(attestor)) return noTrust;
    if (transparency.tuf !== undefined) return tuf(transparency.tuf);
    if (refreshed !== undefined) return refreshed();
    included ??= trustedRootOf(publicGood.trustedRoot as unknown as JsonObject);
    return included;
  }

  return async attestor => {
    const {signer, transparency} = attestor;
    const roots = signer.type === 'keyless' ? signer.roots : undefined;
    return withOwnTrust(await base(attestor), transparency, roots);
  };
}

function needsRoot({signer, transparency}: Attestor): boolean {
  const {ignoreTlog, rekorPublicKey, ignoreSct, ctlogPublicKey} = transparency;
  const needsLog = !ignoreTlog && rekorPublicKey === undefined;
  const isCertificate = signer.type === 'keyless' || (signer.type === 'certificate' && signer.chain !== undefined);
  const needsSct = isCertificate && !ignoreSct && ctlogPublicKey === undefined;
  return needsLog || needsSct || (signer.type === 'keyless' && signer.roots === undefined);
}
