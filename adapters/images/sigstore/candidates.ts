import type {SignatureFormat} from '../../../engine/image/verification.js';
import {own} from '../../../engine/json/types.js';
import {textOf} from '../../../engine/json/text.js';
import {unverified} from '../notary/refuse.js';
import type {ResolvedImage} from '../image-source.js';
import type {Repository} from '../image-name.js';
import {type Descriptor, readDescriptors} from '../registry/descriptor.js';
import type {RegistryClient} from '../registry/registry-client.js';
import {isMissing} from '../registry/registry-error.js';
import type {Session} from '../registry/session.js';
import {isBundleType, readBundle} from './bundle.js';
import {dsseEnvelope, readLayer, simpleSigning} from './layer.js';
import type {Signed} from './signed.js';

/** A signature or attestation that is somewhere, not fetched yet. */
export interface Candidate {
  /** Predicate type as the registry has it noted, which proves nothing; empty when it is not noted. */
  readonly noted: string;
  readonly load: () => Promise<Signed>;
}

export interface CandidateQuestion {
  readonly client: RegistryClient;
  readonly session: Session;
  readonly image: ResolvedImage;
  /** Where signatures are. */
  readonly place: Repository;
  readonly tagPrefix: string;
  readonly kind: 'sig' | 'att';
  readonly ociReferrers: boolean;
}

const maxCandidates = 100;
const maxSignatureBytes = 256 * 1024;
const maxAttestationBytes = 16 * 1024 * 1024;
const vague = new Set(['', 'application/vnd.oci.empty.v1+json', 'application/vnd.oci.image.config.v1+json']);

/** Places in the order in which they are looked at; each is asked only when those before it prove nothing. */
export function placesOf(format: SignatureFormat): ReadonlyArray<(question: CandidateQuestion) => Promise<Candidate[]>> {
  if (format === 'tag') return [tagged];
  return format === 'bundle' ? [referring] : [referring, tagged];
}

/** Bundles among the referrers, and layers of the older scheme where those are asked for. */
export async function referring(question: CandidateQuestion): Promise<Candidate[]> {
  const {client, session, image, place, kind, ociReferrers} = question;
  const isWanted = ({artifactType}: Descriptor) =>
    vague.has(artifactType) || isBundleType(artifactType) || (ociReferrers && artifactType === olderType(kind));
  const found = (await client.referrers(place, image.digest, session)).filter(isWanted);
  if (found.length > maxCandidates) throw unverified(`more than ${maxCandidates} signatures refer to the image`);
  return found.map(descriptor => ({
    noted: descriptor.annotations['dev.sigstore.bundle.predicateType'] ?? '',
    async load() {
      const {json} = await client.manifest(place, descriptor.digest, session);
      const layer = readDescriptors(json, maxCandidates, 'layers').find(
        ({mediaType}) => isBundleType(mediaType) || (ociReferrers && isOlder(mediaType, kind)),
      );
      if (layer === undefined) throw unverified('a referrer holds no signature');
      if (!isBundleType(layer.mediaType)) return readLayer(layer, await blobOf(question, layer));
      const bytes = await blobOf(question, layer, maxAttestationBytes);
      const isMessage = bytes.includes('"messageSignature"');
      return readBundle(bytes, isMessage ? (await client.manifest(image, image.digest, session)).bytes : Buffer.alloc(0));
    },
  }));
}

/** Layers of the manifest that is tagged `sha256-<hex>.sig` or `.att`. */
export async function tagged(question: CandidateQuestion): Promise<Candidate[]> {
  const {client, session, image, place, tagPrefix, kind} = question;
  const tag = `${tagPrefix}${image.digest.replace(':', '-')}.${kind}`;
  if (!/^\w[\w.-]{0,127}$/.test(tag)) throw unverified('the prefix makes no tag');
  try {
    const {json} = await client.manifest(place, tag, session);
    const layers = readDescriptors(json, maxCandidates, 'layers').filter(({mediaType}) => isOlder(mediaType, kind));
    return layers.map(layer => ({
      noted: textOf(own({...layer.annotations}, 'predicateType')),
      load: async () => readLayer(layer, await blobOf(question, layer)),
    }));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function isOlder(mediaType: string, kind: 'sig' | 'att'): boolean {
  return mediaType === (kind === 'sig' ? simpleSigning : dsseEnvelope);
}

function olderType(kind: 'sig' | 'att'): string {
  return kind === 'sig' ? 'application/vnd.dev.cosign.artifact.sig.v1+json' : 'application/vnd.in-toto+json';
}

function blobOf({client, session, place, kind}: CandidateQuestion, {digest}: Descriptor, maxBytes = kind === 'sig' ? maxSignatureBytes : maxAttestationBytes): Promise<Buffer> {
  return client.blob(place, digest, {maxBytes, session});
}
