import type {Clock} from '../../adapters/clock.js';
import {hasStatus} from '../../adapters/kube/kube-error.js';
import type {KubeClient, ObjectRef} from '../../adapters/kube/types.js';
import type {Log} from '../../adapters/log.js';
import {type IssuedCertificate, type KeyAlgorithm, verifyChain} from '../../adapters/tls/index.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {ServingCertificate} from '../../webhook/types.js';
import {materialOf} from './secret-material.js';
import type {ServedSecrets} from './served-secrets.js';
import {planTls, type TlsMaterial} from './tls-material.js';

export const managedByLabel = 'cert.kyverno.io/managed-by';

export interface TlsControllerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly namespace: string;
  readonly caSecret: string;
  readonly tlsSecret: string;
  readonly service: string;
  readonly serverIP: string;
  readonly algorithm: KeyAlgorithm;
  /** Milliseconds. */
  readonly renewBefore: number;
  /** False: Secrets are somebody else's, only read. */
  readonly manage: boolean;
  /** The Secrets as the cache has them. */
  readonly read: () => {readonly ca: JsonObject | undefined; readonly tls: JsonObject | undefined};
  /** The CA bundle has changed: webhook configurations have to follow. */
  readonly onBundle: () => void;
  /** Every webhook configuration carries this bundle (PEM). */
  readonly isPublished: (bundle: string) => boolean;
}

export interface TlsController extends ServedSecrets {
  /** Undefined until both Secrets hold something usable. */
  readonly certificate: ServingCertificate | undefined;
}

/** What the API server needs at most to act on a webhook configuration that was written. */
const publishMs = 3_000;
/** After so long a leaf is written although configurations do not carry its CA. */
const patienceMs = 60_000;

/** Serving certificate and CA from two Secrets, renewed by the leader, followed by every replica. */
export function createTlsController(options: TlsControllerOptions): TlsController {
  const {client, clock, log, namespace} = options;
  const listeners = new Set<(certificate: ServingCertificate) => void>();
  let certificate: ServingCertificate | undefined;
  let published: {readonly bundle: string; readonly askedAt: number; seenAt: number | undefined} | undefined;
  let first: () => void = () => {};
  const available = new Promise<void>(resolve => {
    first = resolve;
  });

  function refresh(): void {
    const {ca, tls} = options.read();
    const bundle = materialOf(ca)?.cert ?? certificate?.ca;
    const leaf = materialOf(tls) ?? certificate;
    // A Secret that was deleted takes nothing away: we serve with what we have until the leader has made it anew.
    if (bundle === undefined || leaf === undefined) return;
    const next: ServingCertificate = {ca: bundle, cert: leaf.cert, key: leaf.key};
    // Between the writes of the two Secrets they may not fit: keep serving with the pair that does.
    if (certificate !== undefined && verifyChain(next.cert, next.ca, clock.now()) !== undefined) return;
    const bundleChanged = certificate?.ca !== next.ca;
    if (!bundleChanged && certificate?.cert === next.cert) return;
    certificate = next;
    first();
    for (const listener of listeners) listener(next);
    if (bundleChanged) options.onBundle();
  }

  /** No client must meet a leaf before it trusts its CA: true once configurations have carried the bundle for a while. */
  function isTrusted(bundle: string): boolean {
    const now = clock.monotonic();
    if (published?.bundle !== bundle) published = {bundle, askedAt: now, seenAt: undefined};
    if (!options.isPublished(bundle)) published.seenAt = undefined;
    else published.seenAt ??= now;
    if (published.seenAt !== undefined && now - published.seenAt >= publishMs) return true;
    if (now - published.askedAt < patienceMs) return false;
    log.warn('the webhook configurations do not carry the CA bundle; the serving certificate is renewed all the same');
    return true;
  }

  async function renew(): Promise<'done' | 'later'> {
    const [ca, tls] = await Promise.all([options.caSecret, options.tlsSecret].map(name => readSecret(name)));
    const managed = options.manage && [ca, tls].every(secret => secret === undefined || isManaged(secret));
    if (!managed) {
      refresh();
      return 'done';
    }
    const material: TlsMaterial = {ca: materialOf(ca), leaf: materialOf(tls)};
    const {service, serverIP} = options;
    const host = serverIP.replace(/:\d+$/, '');
    const isIp = /^[\d.]+$|:/.test(host);
    const plan = await planTls(material, {
      now: clock.now(),
      renewBefore: options.renewBefore,
      algorithm: options.algorithm,
      commonName: `*.${namespace}.svc`,
      dnsNames: [service, `${service}.${namespace}`, `${service}.${namespace}.svc`, ...(host !== '' && !isIp ? [host] : [])],
      ipAddresses: host !== '' && isIp ? [host] : [],
      trusted: certificate?.ca,
    });
    const written: Array<'ca' | 'leaf'> = [];
    if (plan.renewed.includes('ca')) {
      await writeSecret(options.caSecret, ca, plan.ca);
      written.push('ca');
    }
    const mayServe = certificate === undefined || isTrusted(plan.ca.cert);
    if (plan.renewed.includes('leaf') && mayServe) {
      await writeSecret(options.tlsSecret, tls, plan.leaf);
      written.push('leaf');
    }
    if (written.length > 0) log.info('issued certificates', {renewed: written.join(','), namespace});
    return plan.renewed.includes('leaf') && !mayServe ? 'later' : 'done';
  }

  function secretRef(name: string): ObjectRef {
    return {group: '', version: 'v1', resource: 'secrets', namespace, name};
  }

  async function readSecret(name: string): Promise<JsonObject | undefined> {
    try {
      return await client.get(secretRef(name));
    } catch (error) {
      if (hasStatus(error, 404)) return undefined;
      throw error;
    }
  }

  async function writeSecret(name: string, live: JsonObject | undefined, pair: IssuedCertificate): Promise<void> {
    const data = {'tls.crt': base64(pair.cert), 'tls.key': base64(pair.key)};
    const labels = {[managedByLabel]: 'kyverno'};
    const version = ownPath(live, 'metadata', 'resourceVersion');
    const resourceVersion = typeof version === 'string' ? version : undefined;
    // Only what was read is replaced: a leader of before must not pair its leaf with the authority of the next one.
    if (live !== undefined && ownPath(live, 'type') !== 'kubernetes.io/tls') {
      await client.delete(secretRef(name), {resourceVersion});
    } else if (live !== undefined) {
      const metadata = {labels, ...(resourceVersion !== undefined && {resourceVersion})};
      await client.patch(secretRef(name), {metadata, data}, {type: 'merge'});
      return;
    }
    await client.create(secretRef(name), {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: {name, namespace, labels},
      data,
    });
  }

  return {
    refresh,
    renew,
    available,
    get certificate() {
      return certificate;
    },
    current() {
      if (certificate === undefined) throw new Error('no serving certificate yet');
      return certificate;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function isManaged(secret: JsonObject): boolean {
  return ownPath(secret, 'metadata', 'labels', managedByLabel) === 'kyverno';
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
