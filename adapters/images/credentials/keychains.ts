import type {Clock} from '../../clock.js';
import type {Transport} from '../registry/transport.js';
import {createHelperKeychain, isHelperName} from './credential-helper.js';
import type {Keychain} from './credential.js';
import {createDockerKeychain, type DockerKeychainOptions} from './docker-keychain.js';

export interface KeychainsOptions extends DockerKeychainOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/**
 * Keychains by name: `default` is Docker's config, `amazon`, `azure`, `google` and `github` are what the process is to a
 * cloud, any other name is an installed helper `docker-credential-<name>`.
 */
export function createKeychains(options: KeychainsOptions): (transport: Transport) => (name: string) => Keychain | undefined {
  return _transport => {
    const made = new Map<string, Keychain>();
    const make = (name: string): Keychain | undefined => {
      if (name === 'default') return createDockerKeychain(options);
      return isHelperName(name) && options.directories.length > 0 ? createHelperKeychain(name, options) : undefined;
    };
    return name => {
      const known = made.get(name) ?? make(name);
      if (known !== undefined) made.set(name, known);
      return known;
    };
  };
}
