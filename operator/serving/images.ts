import {readFileSync} from 'node:fs';
import {homedir} from 'node:os';
import {join} from 'node:path';
import type {KubeConfig} from '@kubernetes/client-node';
import type {Registry} from 'prom-client';
import type {Clock} from '../../adapters/clock.js';
import {createNameLookup} from '../../adapters/http/name-lookup.js';
import {createAnswerCache} from '../../adapters/images/cache/answer-cache.js';
import {createImages} from '../../adapters/images/create-image-source.js';
import {createKeychains} from '../../adapters/images/credentials/keychains.js';
import type {SecretReader} from '../../adapters/images/credentials/pull-secrets.js';
import {hostName} from '../../adapters/images/image-name.js';
import type {KeyServices} from '../../adapters/images/kms/key-services.js';
import {readProxies} from '../../adapters/images/registry/proxy.js';
import {apiServerHosts} from '../../adapters/kube/config.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {ImageSource, SecretReference} from '../../engine/image/verification.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {RegexEngine} from '../../engine/regex/types.js';
import type {Flags} from '../config/flags.js';
import {imageMetrics} from './image-metrics.js';

export interface OperatorImageParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly kubeConfig: KubeConfig;
  readonly flags: Flags;
  /** The operator's. */
  readonly namespace: string;
  readonly regex: RegexEngine;
  /** Of metrics. */
  readonly registry: Registry;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly keyServices: KeyServices;
}

/** Milliseconds for which a Secret that was read counts. */
const secretTtlMs = 30_000;
/** For which it counts that there is none: whoever was told so makes one, and tries again. */
const absentTtlMs = 1_000;

/** Registries as the flags let policies reach them. Throws for a flag whose value says nothing. */
export function createOperatorImages(parts: OperatorImageParts): ImageSource {
  const {client, clock, kubeConfig, flags, namespace, regex, registry, environment, keyServices} = parts;
  return createImages({
    clock,
    regex,
    lookup: createNameLookup(),
    apiServer: apiServerHosts(kubeConfig),
    allow: [...flags.httpAllowlist, ...flags.registryAllowlist],
    block: flags.httpBlocklist.filter(entry => !flags.registryAllowlist.includes(entry)),
    allowInsecureRegistry: flags.allowInsecureRegistry,
    caBundle: readBundle(flags.registryCABundle, environment['NODE_EXTRA_CA_CERTS']),
    proxy: readProxies(environment),
    mirrors: readPairs(flags.registryMirrors, 'registryMirrors'),
    realms: new Map([...readPairs(flags.registryTokenHosts, 'registryTokenHosts')].map(([name, [host = '']]) => [name, host])),
    secrets: createSecretReader(client, clock),
    pullSecrets: flags.imagePullSecrets.map(name => referenceOf(name, namespace)),
    helpers: flags.registryCredentialHelpers.length === 0 ? ['default'] : flags.registryCredentialHelpers,
    keychains: createKeychains({
      directory: environment['DOCKER_CONFIG'] || join(homedir(), '.docker'),
      directories: flags.registryCredentialHelperDirs,
      environment,
      clock,
    }),
    keyServices,
    tuf: flags.enableTuf ? {mirror: flags.tufMirror || undefined, rootPath: flags.tufRoot || undefined, root: flags.tufRootRaw || undefined} : undefined,
    cache: {
      enabled: flags.imageVerifyCacheEnabled,
      maxSize: flags.imageVerifyCacheMaxSize,
      ttlMs: flags.imageVerifyCacheTTLDuration,
    },
    ...imageMetrics(registry),
  });
}

/** Node leaves its own extra authorities out as soon as others are given. */
export function readBundle(file: string, extra: string | undefined): string | undefined {
  if (file === '') return undefined;
  const own = readFileSync(file, 'utf8');
  if (!extra) return own;
  try {
    return `${own}\n${readFileSync(extra, 'utf8')}`;
  } catch {
    // Node has warned of a file that it cannot read, and goes on without.
    return own;
  }
}

function referenceOf(text: string, home: string): SecretReference {
  const slash = text.indexOf('/');
  return slash < 0 ? {namespace: home, name: text} : {namespace: text.slice(0, slash), name: text.slice(slash + 1)};
}

/** `name=value` entries, several of one name in their order. */
function readPairs(entries: readonly string[], flag: string): ReadonlyMap<string, readonly string[]> {
  const pairs = new Map<string, string[]>();
  for (const entry of entries) {
    const [name = '', value = '', ...rest] = entry.split('=');
    if (name === '' || value === '' || rest.length > 0) {
      throw new Error(`--${flag}: ${JSON.stringify(entry)} is not of the form registry=host`);
    }
    const key = hostName(name);
    pairs.set(key, [...(pairs.get(key) ?? []), value]);
  }
  return pairs;
}

/** What stands for a Secret that is not there, which is remembered for less long than one that is. */
class AbsentError extends Error {}

/** Reads Secrets with the operator's rights; what is missing is named as the rule that would allow it. */
export function createSecretReader(client: Pick<KubeClient, 'get'>, clock: Clock): SecretReader {
  const failureTtlMs = (error: unknown) => (error instanceof AbsentError ? absentTtlMs : 5_000);
  const kept = createAnswerCache<JsonObject>({clock, maxSize: 500, ttlMs: secretTtlMs, failureTtlMs});

  async function read({namespace, name}: SecretReference): Promise<JsonObject> {
    try {
      return await client.get({group: '', version: 'v1', resource: 'secrets', namespace, name}, {timeoutMs: 10_000, maxBytes: 2 * 1024 * 1024});
    } catch (error) {
      if (hasStatus(error, 404)) throw new AbsentError();
      if (hasStatus(error, 403) || hasStatus(error, 401)) {
        throw new Error(
          `permission denied: the operator's ServiceAccount needs a Role in namespace ${namespace} with verb get on secrets`,
        );
      }
      throw new Error('the API server gave no answer');
    }
  }

  return async reference => {
    try {
      return await kept.get(`${reference.namespace}/${reference.name}`, () => read(reference));
    } catch (error) {
      if (error instanceof AbsentError) return undefined;
      throw error;
    }
  };
}
