import type {SecretReference} from '../../../engine/image/verification.js';
import {isObject, type JsonObject, own} from '../../../engine/json/types.js';
import {textOf} from '../../../engine/json/text.js';
import type {Keychain} from './credential.js';
import {type DockerConfig, loginOf, readDockerConfig} from './docker-config.js';

/**
 * Reads one Secret; `undefined` when it does not exist. Rejects with an error whose text can be shown to a user and names
 * the missing permission where that is why.
 */
export type SecretReader = (reference: SecretReference, signal: AbortSignal) => Promise<JsonObject | undefined>;

export interface PullSecretOptions {
  readonly secrets: readonly SecretReference[];
  readonly read: SecretReader;
  /** Why a Secret does not count; images of public registries go on without. */
  readonly note: (text: string) => void;
}

/** Secrets of types `kubernetes.io/dockerconfigjson` and `kubernetes.io/dockercfg`, in their order. */
export function createPullSecrets({secrets, read, note}: PullSecretOptions): Keychain {
  const configs = new Map<SecretReference, Promise<DockerConfig | undefined>>();

  async function load(reference: SecretReference, signal: AbortSignal): Promise<DockerConfig | undefined> {
    const name = nameOf(reference);
    try {
      const secret = await read(reference, signal);
      if (secret !== undefined) return configOf(secret);
      note(`${name} does not exist`);
    } catch (error) {
      note(`${name}: ${error instanceof Error ? error.message : 'it cannot be read'}`);
    }
    return undefined;
  }

  return async (registry, repository, signal) => {
    for (const reference of secrets) {
      const loading = configs.get(reference) ?? load(reference, signal);
      configs.set(reference, loading);
      const config = await loading;
      const login = config && loginOf(config, registry, repository);
      if (login !== undefined) return {...login, owner: nameOf(reference)};
    }
    return undefined;
  };
}

function configOf(secret: JsonObject): DockerConfig {
  const data = own(secret, 'data');
  const field = (key: string) => (isObject(data) ? textOf(own(data, key)) : '');
  const current = field('.dockerconfigjson');
  const legacy = current === '' ? field('.dockercfg') : '';
  if (current === '' && legacy === '') throw new Error('it has no key .dockerconfigjson');
  return readDockerConfig(Buffer.from(current || legacy, 'base64'), current === '');
}

function nameOf({namespace, name}: SecretReference): string {
  return `Secret ${namespace}/${name}`;
}
