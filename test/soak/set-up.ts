import {cpSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {stringify} from 'yaml';
import {type Cluster, startCluster} from '../cluster/cluster.js';
import {eventually} from '../cluster/eventually.js';
import {type InstalledOperator, installOperator} from '../cluster/install-operator.js';
import type {Replica} from '../cluster/node-agent.js';
import {cores, keepApart} from './cores.js';

export interface Soak {
  readonly cluster: Cluster;
  readonly operator: InstalledOperator;
  readonly say: (line: string) => void;
}

export interface OperatorOptions {
  /** Goes before the command line. */
  readonly prefix?: readonly string[];
  readonly replicas?: number;
  /** Control plane and replica have a core each. */
  readonly apart?: boolean;
}

/**
 * A control plane with an audit log and replicas (one, unless told otherwise) of a copy of the bundle: a build meanwhile changes
 * nothing.
 */
export async function withOperator(args: readonly string[], say: Soak['say'], run: (soak: Soak) => Promise<void>, {prefix = [], replicas = 1, apart = false}: OperatorOptions = {}): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'kyverno-soak-'));
  cpSync(resolve(import.meta.dirname, '../../dist'), join(work, 'dist'), {recursive: true});
  const cluster = await startCluster({auditLog: 'metadata'});
  let operator: InstalledOperator | undefined;
  try {
    if (apart) keepApart(cluster);
    const core = apart ? ['taskset', '--cpu-list', cores.replica] : [];
    operator = await installOperator(cluster, {replicas, args, command: [...prefix, ...core, process.execPath, ...nodeArgs, join(work, 'dist/kyverno.cjs')]});
    await run({cluster, operator, say});
  } finally {
    await operator?.stop();
    await cluster.stop();
    rmSync(work, {recursive: true, force: true});
  }
}

/** Arguments of the replica's Node: as the image has it, and further ones, such as those of a profile. */
const nodeArgs = ['--v8-pool-size=1', ...(process.env['SOAK_NODE_ARGS'] ?? '').split(' ').filter(text => text !== '')];

/** The one replica, once it is ready. */
export function replicaOf({operator}: Pick<Soak, 'operator'>): Replica & {readonly pid: number} {
  const found = operator.agent.replicas().find(({ready}) => ready);
  if (found?.pid === undefined) throw new Error('no replica is ready');
  return found as Replica & {readonly pid: number};
}

export async function applyAll(cluster: Cluster, objects: readonly unknown[]): Promise<void> {
  for (let at = 0; at < objects.length; at += 500) {
    const input = objects.slice(at, at + 500).map(object => `---\n${stringify(object)}`).join('');
    await cluster.kubectl(['create', '-f', '-'], {input});
  }
}

export async function policiesReady(cluster: Pick<Cluster, 'request'>, count: number): Promise<void> {
  interface List {
    readonly items: ReadonlyArray<{readonly status?: {readonly conditions?: ReadonlyArray<{readonly type: string; readonly status: string}>}}>;
  }
  await eventually(
    async () => {
      const {items} = (await cluster.request<List>('GET', '/apis/kyverno.io/v1/clusterpolicies')).body;
      return items.filter(({status}) => status?.conditions?.some(({type, status: value}) => type === 'Ready' && value === 'True')).length >= count;
    },
    {what: `${count} policies Ready`, timeoutMs: 300_000, everyMs: 500},
  );
}

export async function caOf(cluster: Pick<Cluster, 'request'>): Promise<string> {
  const path = '/api/v1/namespaces/kyverno/secrets/kyverno-svc.kyverno.svc.kyverno-tls-ca';
  const {body} = await cluster.request<{readonly data: Readonly<Record<string, string>>}>('GET', path);
  return Buffer.from(body.data['tls.crt'] ?? '', 'base64').toString('utf8');
}
