import type {AttestationQuery, SignatureQuery} from '../../engine/image/verification.js';
import {isObject, type JsonObject} from '../../engine/json/types.js';
import {parseJsonBytes} from '../../engine/json/parse.js';
import type {Clock} from '../clock.js';
import type {VerificationParts} from './image-source.js';
import {readRepository, type Repository} from './image-name.js';
import {maxSignatureAttempts, notaryArtifactType, type NotaryTarget, verifyNotary} from './notary/index.js';
import {unverified} from './notary/refuse.js';
import {readDescriptors} from './registry/descriptor.js';

const maxEnvelopeBytes = 1024 * 1024;
const maxPayloadBytes = 16 * 1024 * 1024;
const maxReferrers = 100;

type Signer = Extract<SignatureQuery['attestor']['signer'], {type: 'notary'}>;

interface Question {
  readonly parts: VerificationParts;
  readonly place: Repository;
  readonly target: NotaryTarget;
  readonly signer: Signer;
}

/** Signatures as notation makes them: referrers of an image, or of another referrer. */
export function createNotation(clock: Clock) {
  async function check({parts, place, target, signer}: Question): Promise<void> {
    const {client, session} = parts;
    const referrers = (await client.referrers(place, target.digest, session)).filter(({artifactType}) => artifactType === notaryArtifactType);
    if (referrers.length === 0) throw unverified('no signatures found');
    const failures = new Set<string>();
    for (const {digest} of referrers.slice(0, maxSignatureAttempts)) {
      const {json} = await client.manifest(place, digest, session);
      const [layer] = readDescriptors(json, maxReferrers, 'layers');
      if (layer === undefined) continue;
      const envelope = await client.blob(place, layer.digest, {maxBytes: maxEnvelopeBytes, session});
      try {
        const {certificates, tsaCertificates} = signer;
        verifyNotary({envelope, mediaType: layer.mediaType, certificates, tsaCertificates, target, now: clock.now()});
        return;
      } catch (error) {
        failures.add(error instanceof Error ? error.message : 'malformed signature');
      }
    }
    throw unverified([...failures].slice(0, 3).join('; ') || 'no signatures found');
  }

  async function targetOf({client, image, session}: VerificationParts): Promise<NotaryTarget> {
    const {digest, mediaType, bytes} = await client.manifest(image, image.digest, session);
    return {digest, mediaType, size: bytes.length};
  }

  const placeOf = (repository: string | undefined, {image}: VerificationParts): Repository =>
    repository === undefined ? image : readRepository(repository);

  function signerOf(query: Pick<SignatureQuery, 'attestor'>): Signer {
    const {signer} = query.attestor;
    if (signer.type === 'notary') return signer;
    throw unverified('signatures of notation are proven by certificates');
  }

  return {
    async verifySignature(query: SignatureQuery, parts: VerificationParts): Promise<void> {
      const signer = signerOf(query);
      await check({parts, place: placeOf(query.attestor.repository, parts), target: await targetOf(parts), signer});
    },

    /** Referrers of a type, each signed in its turn; their JSON payloads. */
    async verifyAttestations(query: AttestationQuery, parts: VerificationParts) {
      const {client, session, image} = parts;
      const {attestor, type} = query;
      const place = placeOf(attestor?.repository, parts);
      const all = await client.referrers(place, image.digest, session);
      if (all.length > maxReferrers) throw unverified(`more than ${maxReferrers} referrers`);
      const statements: JsonObject[] = [];
      for (const referrer of all.filter(({artifactType}) => artifactType === type)) {
        const {json, mediaType, digest, bytes} = await client.manifest(place, referrer.digest, session);
        if (attestor !== undefined) await check({parts, place, target: {digest, mediaType, size: bytes.length}, signer: signerOf({attestor})});
        for (const layer of readDescriptors(json, maxReferrers, 'layers')) {
          const payload = jsonOf(await client.blob(place, layer.digest, {maxBytes: maxPayloadBytes, session}));
          if (payload !== undefined) statements.push(payload);
        }
      }
      const others = new Set(all.map(({artifactType}) => artifactType).filter(other => other !== type && other !== notaryArtifactType && other !== ''));
      return {statements, otherTypes: [...others].sort()};
    },
  };
}

function jsonOf(bytes: Uint8Array): JsonObject | undefined {
  try {
    const json = parseJsonBytes(bytes);
    return isObject(json) ? json : undefined;
  } catch {
    // A layer that is no JSON has nothing for conditions.
    return undefined;
  }
}
