import type {RegistryAccess} from '../../../engine/image/verification.js';
import {systemClock} from '../../clock.js';
import {createRegexEngine} from '../../regex/regex-engine.js';
import {createImages, type ImageParts} from '../create-image-source.js';

export const openAccess: RegistryAccess = {secrets: [], providers: [], allowInsecureRegistry: true};

/** A source of images over loopback registries. */
export function testImages(parts: Partial<ImageParts> = {}) {
  return createImages({
    clock: systemClock,
    regex: createRegexEngine(),
    lookup: async name => {
      if (name === 'localhost') return ['127.0.0.1'];
      throw Object.assign(new Error('no such name'), {code: 'ENOTFOUND'});
    },
    allowInsecureRegistry: true,
    secrets: async () => undefined,
    pullSecrets: [],
    helpers: [],
    keychains: () => () => undefined,
    cache: {enabled: true, maxSize: 100, ttlMs: 60_000},
    timeoutMs: 5_000,
    ...parts,
  });
}

/** The data of a pull Secret for one registry. */
export function pullSecret(host: string, username: string, password: string) {
  const auth = Buffer.from(`${username}:${password}`).toString('base64');
  const config = JSON.stringify({auths: {[host]: {auth}}});
  return {type: 'kubernetes.io/dockerconfigjson', data: {'.dockerconfigjson': Buffer.from(config).toString('base64')}};
}
