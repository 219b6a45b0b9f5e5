import {createNameLookup} from '../../adapters/http/name-lookup.js';
import {createImages, type ImageParts} from '../../adapters/images/create-image-source.js';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {systemClock} from '../../adapters/clock.js';
import type {Attestor, ImageSource, RegistryAccess, SignatureFormat, Signer, Transparency} from '../../engine/image/verification.js';
import type {CosignFormat} from './cosign.js';
import type {ImagesWorld} from './world.js';

export const access: RegistryAccess = {secrets: [], providers: [], allowInsecureRegistry: true};

/** As operators have it, without credentials. */
export function createWorldImages(parts: Partial<ImageParts> = {}): ImageSource {
  return createImages({
    clock: systemClock,
    lookup: createNameLookup(),
    regex: createRegexEngine(),
    allowInsecureRegistry: true,
    secrets: async () => undefined,
    pullSecrets: [],
    helpers: [],
    keychains: () => () => undefined,
    cache: {enabled: true, maxSize: 1000, ttlMs: 3_600_000},
    ...parts,
  });
}

/** Of nothing but the key's or certificate's signature. */
export const noTransparency: Transparency = {
  rekorUrl: undefined,
  rekorPublicKey: undefined,
  ignoreTlog: true,
  ctlogPublicKey: undefined,
  ignoreSct: true,
  tsaCertChain: undefined,
  trustedRoot: undefined,
  tuf: undefined,
};

export function attestorOf(signer: Signer, more: Partial<Attestor> = {}): Attestor {
  return {signer, transparency: noTransparency, annotations: {}, repository: undefined, tagPrefix: undefined, pullSecrets: [], ...more};
}

export function keyOf(world: ImagesWorld, name: keyof ImagesWorld['keys'] = 'right'): Signer {
  return {type: 'key', publicKey: world.keys[name].publicKey, hash: 'sha256'};
}

export const signatureFormats: Readonly<Record<CosignFormat, SignatureFormat>> = {tag: 'tag', bundle: 'bundle'};
