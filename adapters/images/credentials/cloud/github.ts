import type {Keychain} from '../credential.js';
import type {CloudParts} from './cloud-calls.js';

/** The token of the environment, for GitHub's registry. */
export function createGithubKeychain({environment}: Pick<CloudParts, 'environment'>): Keychain {
  return async registry => {
    const password = environment['GITHUB_TOKEN'] ?? '';
    if (registry !== 'ghcr.io' || password === '') return undefined;
    return {username: environment['GITHUB_ACTOR'] || 'unset', password, owner: 'provider github'};
  };
}
