import {readFile, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {createHelperKeychain, type HelperOptions} from './credential-helper.js';
import type {Keychain} from './credential.js';
import {type DockerConfig, loginOf, readDockerConfig} from './docker-config.js';

export interface DockerKeychainOptions extends HelperOptions {
  /** Folder of `config.json`: `$DOCKER_CONFIG`, else `~/.docker`. */
  readonly directory: string;
}

const maxBytes = 1024 * 1024;

/** Docker's own keychain: `config.json`, with the helpers that it names where they are installed. Read again when it changes. */
export function createDockerKeychain({directory, ...helpers}: DockerKeychainOptions): Keychain {
  const path = join(directory, 'config.json');
  let loaded: {readonly stamp: string; readonly config: DockerConfig} | undefined;

  async function load(): Promise<DockerConfig | undefined> {
    try {
      const {mtimeMs, size} = await stat(path);
      if (size > maxBytes) throw new Error(`${path} exceeds ${maxBytes} bytes`);
      const stamp = `${mtimeMs} ${size}`;
      if (loaded?.stamp !== stamp) loaded = {stamp, config: readDockerConfig(await readFile(path))};
      return loaded.config;
    } catch (error) {
      // Without the file there are no logins of Docker.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  return async (registry, repository, signal) => {
    const config = await load();
    if (config === undefined) return undefined;
    const helper = config.helpers.get(registry) ?? config.store;
    if (helper !== '') {
      const found = await createHelperKeychain(helper, helpers)(registry, repository, signal);
      if (found !== undefined) return found;
    }
    const login = loginOf(config, registry, repository);
    return login && {...login, owner: 'the Docker config'};
  };
}
