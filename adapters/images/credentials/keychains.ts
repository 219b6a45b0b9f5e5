import type {Clock} from '../../clock.js';
import type {Transport} from '../registry/transport.js';
import {createAnswerCache} from '../cache/answer-cache.js';
import {createAmazonKeychain} from './cloud/amazon.js';
import {createAzureKeychain} from './cloud/azure.js';
import type {CloudParts} from './cloud/cloud-calls.js';
import {createGithubKeychain} from './cloud/github.js';
import {createGoogleKeychain} from './cloud/google.js';
import {createHelperKeychain, isHelperName} from './credential-helper.js';
import type {Credential, Keychain} from './credential.js';
import {createDockerKeychain, type DockerKeychainOptions} from './docker-keychain.js';

export interface KeychainsOptions extends DockerKeychainOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

const clouds: Readonly<Record<string, (parts: CloudParts) => Keychain>> = {
  amazon: createAmazonKeychain,
  azure: createAzureKeychain,
  google: createGoogleKeychain,
  github: createGithubKeychain,
};
/** Milliseconds for which a cloud's token counts; all of them last longer. */
const tokenTtlMs = 10 * 60_000;

/**
 * Keychains by name: `default` is Docker's config, `amazon`, `azure`, `google` and `github` are what the process is to a
 * cloud, any other name is an installed helper `docker-credential-<name>`.
 */
export function createKeychains(options: KeychainsOptions): (transport: Transport) => (name: string) => Keychain | undefined {
  return transport => {
    const made = new Map<string, Keychain>();
    const make = (name: string): Keychain | undefined => {
      if (name === 'default') return createDockerKeychain(options);
      if (Object.hasOwn(clouds, name)) return remembered(clouds[name]!({...options, transport}), options.clock);
      return isHelperName(name) && options.directories.length > 0 ? createHelperKeychain(name, options) : undefined;
    };
    return name => {
      const known = made.get(name) ?? make(name);
      if (known !== undefined) made.set(name, known);
      return known;
    };
  };
}

/** One exchange per registry at a time, its token kept. */
function remembered(keychain: Keychain, clock: Clock): Keychain {
  const kept = createAnswerCache<Credential | undefined>({clock, maxSize: 100, ttlMs: tokenTtlMs, failureTtlMs: () => 10_000});
  return async (registry, repository, signal) => kept.get(registry, () => keychain(registry, repository, signal));
}
