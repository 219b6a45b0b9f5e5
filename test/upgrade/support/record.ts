import {X509Certificate} from 'node:crypto';
import {setTimeout as delay} from 'node:timers/promises';
import type {Cluster} from '../../cluster/cluster.js';
import {eventually} from '../../cluster/eventually.js';
import {idOf, type Item} from '../../takeover/support/kinds.js';
import {ofKind, type Snapshot, takeSnapshot} from '../../takeover/support/snapshot.js';

export interface Result {
  readonly policy: string;
  readonly rule?: string;
  readonly result: string;
  readonly source?: string;
  readonly properties?: Readonly<Record<string, string>>;
}

type Report = Item & {readonly scope?: {readonly uid?: string; readonly namespace?: string}; readonly results?: readonly Result[]};

/** Changes as long as the operator lives, or every minute. */
const restless = /^(coordination\.k8s\.io\/Lease|kyverno\.io\/ClusterCleanupPolicy|\/Pod|\/Namespace)\//;

/** All that is stored, once nothing of it has changed for a while. */
export async function atRest(cluster: Pick<Cluster, 'request'>): Promise<Snapshot> {
  const versions = (snapshot: Snapshot) => [...snapshot].filter(([id]) => !restless.test(id)).map(([id, {metadata}]) => `${id} ${metadata.uid} ${metadata.resourceVersion}`).sort().join('\n');
  let last = await takeSnapshot(cluster);
  return eventually(
    async () => {
      await delay(8_000);
      const now = await takeSnapshot(cluster);
      const isSame = versions(now) === versions(last);
      last = now;
      return isSame ? now : undefined;
    },
    {what: 'the cluster at rest', timeoutMs: 300_000},
  );
}

export function reportsOf(snapshot: Snapshot): readonly Report[] {
  return ofKind(snapshot, 'PolicyReport', 'ClusterPolicyReport') as readonly Report[];
}

/** What a report says, as comparable lines: `policy/rule/source: result`; a rule that changes other objects has one for each. */
export function linesOf({results = []}: Report): readonly string[] {
  return results.map(({policy, rule = '', source = '', result, properties}) => `${policy}/${rule}/${source} ${properties?.['patched-target'] ?? ''}: ${result}`).sort();
}

/** By the report's id; for those of a namespace. */
export function said(snapshot: Snapshot, namespace: string): ReadonlyMap<string, readonly string[]> {
  return new Map(reportsOf(snapshot).filter(({metadata}) => metadata.namespace === namespace).map(report => [idOf(report), linesOf(report)]));
}

/** Objects with two reports, and reports that say two things of one rule. */
export function doubled(snapshot: Snapshot): readonly string[] {
  const seen = new Set<string>();
  const found: string[] = [];
  for (const report of reportsOf(snapshot)) {
    const places = linesOf(report).map(line => `${idOf(report)} ${line.slice(0, line.lastIndexOf(': '))}`);
    for (const place of [`of ${report.scope?.uid ?? idOf(report)}`, ...places]) {
      if (seen.has(place)) found.push(place);
      seen.add(place);
    }
  }
  return found;
}

type Tls = Item & {readonly data: {readonly 'tls.crt': string}};

/** Fingerprints of the newest certificate of each of the operator's Secrets, by their ids. */
export function certificates(snapshot: Snapshot): ReadonlyMap<string, string> {
  return new Map(tlsSecrets(snapshot).map(secret => [idOf(secret), new X509Certificate(Buffer.from(secret.data['tls.crt'], 'base64')).fingerprint256]));
}

function tlsSecrets(snapshot: Snapshot): readonly Tls[] {
  return ofKind(snapshot, 'Secret').filter(({metadata, type}) => metadata.namespace === 'kyverno' && type === 'kubernetes.io/tls') as unknown as readonly Tls[];
}

interface Webhook {
  readonly name: string;
  readonly failurePolicy: 'Fail' | 'Ignore';
  readonly clientConfig: {readonly caBundle?: string; readonly service?: {readonly path?: string; readonly namespace?: string}};
}

/** The operator's entries, by configuration and name. */
export function webhookEntries(snapshot: Snapshot): ReadonlyMap<string, Webhook> {
  const entries = new Map<string, Webhook>();
  for (const item of ofKind(snapshot, 'ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration')) {
    for (const webhook of (item['webhooks'] ?? []) as readonly Webhook[]) if (webhook.clientConfig.service?.namespace === 'kyverno') entries.set(`${item.metadata.name}/${webhook.name}`, webhook);
  }
  return entries;
}

/** Entries whose bundle does not trust the certificate that is served. */
export function untrusting(snapshot: Snapshot): readonly string[] {
  const served = tlsSecrets(snapshot).map(({data}) => new X509Certificate(Buffer.from(data['tls.crt'], 'base64'))).find(({ca}) => !ca);
  if (served === undefined) return ['no serving certificate'];
  return [...webhookEntries(snapshot)].flatMap(([name, {clientConfig}]) => {
    const bundle = Buffer.from(clientConfig.caBundle ?? '', 'base64').toString('utf8');
    const authorities = (bundle.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(pem => new X509Certificate(pem));
    return authorities.some(authority => served.checkIssued(authority) && served.verify(authority.publicKey)) ? [] : [name];
  });
}
