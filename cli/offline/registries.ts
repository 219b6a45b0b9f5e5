import {homedir} from 'node:os';
import {delimiter, isAbsolute, join} from 'node:path';
import {systemClock} from '../../adapters/clock.js';
import {createNameLookup} from '../../adapters/http/name-lookup.js';
import {createImages} from '../../adapters/images/create-image-source.js';
import {createKeychains} from '../../adapters/images/credentials/keychains.js';
import type {KeyServices} from '../../adapters/images/kms/key-services.js';
import {readProxies} from '../../adapters/images/registry/proxy.js';
import type {ImageSource} from '../../engine/image/verification.js';
import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {sharedRegex} from './regex.js';

/**
 * Registries as their user reaches them: with the logins of Docker, Secrets among the given objects, and wherever they are.
 */
export function registriesOf(objects: readonly JsonObject[], keyServices?: KeyServices): ImageSource {
  const {env} = process;
  const secrets = new Map(objects.filter(isSecret).map(secret => [keyOf(secret), secret]));
  return createImages({
    clock: systemClock,
    lookup: createNameLookup(),
    regex: sharedRegex(),
    // It is the user's own machine and network.
    allow: ['0.0.0.0/0', '::/0'],
    allowInsecureRegistry: true,
    proxy: readProxies(env),
    secrets: async ({namespace, name}) => secrets.get(`${namespace}/${name}`),
    keyServices,
    pullSecrets: [],
    helpers: ['default'],
    keychains: createKeychains({
      directory: env['DOCKER_CONFIG'] || join(homedir(), '.docker'),
      directories: (env['PATH'] ?? '').split(delimiter).filter(isAbsolute),
      environment: env,
      clock: systemClock,
    }),
    cache: {enabled: true, maxSize: 1000, ttlMs: 3_600_000},
  });
}

function isSecret(object: JsonObject): boolean {
  return own(object, 'kind') === 'Secret' && own(object, 'apiVersion') === 'v1' && isObject(own(object, 'metadata'));
}

function keyOf(secret: JsonObject): string {
  const namespace = ownPath(secret, 'metadata', 'namespace');
  return `${typeof namespace === 'string' ? namespace : 'default'}/${ownPath(secret, 'metadata', 'name')}`;
}
