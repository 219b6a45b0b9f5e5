import {existsSync} from 'node:fs';
import {readdir, readFile} from 'node:fs/promises';
import {join, resolve} from 'node:path';
import {parse, parseAllDocuments} from 'yaml';
import {type Balancer, startBalancer} from './balancer.js';
import type {Cluster} from './cluster.js';
import {eventually} from './eventually.js';
import type {PodSandboxes} from './node-agent/sandbox.js';
import {type NodeAgent, startNodeAgent} from './node-agent.js';

const root = resolve(import.meta.dirname, '../..');

export interface InstallOperatorOptions {
  /** Default: as in the install manifests. */
  readonly replicas?: number;
  /** Appended to the arguments of the operator's container. */
  readonly args?: readonly string[];
  /** Further variables of the operator's container. */
  readonly env?: Readonly<Record<string, string>>;
  /** What stands for the program of the operator's image. Default: node with `dist/kyverno.cjs`. */
  readonly command?: readonly string[];
  /** Keeps a real scheduler from the operator's Pods. */
  readonly schedulerName?: string;
  /** Each replica in a network and with files of its own, reached through its Service's endpoints. */
  readonly sandboxes?: PodSandboxes;
  /** What is applied instead of the install manifests. */
  readonly manifests?: readonly Manifest[];
  /** Wait until every replica is ready. Default true. */
  readonly wait?: boolean;
}

/** The operator in its cluster, reached on loopback port 443. */
export interface InstalledOperator {
  readonly agent: NodeAgent;
  readonly balancer: Balancer;
  /** Ends the replicas and the balancer; all objects stay. */
  stop(): Promise<void>;
}

export interface Manifest {
  kind?: string;
  metadata?: {name?: string; namespace?: string};
  spec?: Record<string, unknown>;
}

interface PodTemplate {
  template: {
    spec: {
      schedulerName?: string;
      containers: {args?: string[]; env?: {name: string; value: string}[]; image: string}[];
    };
  };
}

export interface CustomResourceDefinition {
  readonly metadata: {readonly name: string; readonly resourceVersion?: string};
  readonly spec: {
    readonly group: string;
    readonly names: {readonly plural: string};
    readonly versions: readonly {readonly name: string; readonly served: boolean}[];
  };
}

/** Where the bundle stands in a sandbox. */
export const programFolder = '/opt/kyverno';

const namespace = 'kyverno';
const definitionsPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** What keeps the operator from being installed from this work tree, or undefined. */
export function missingForOperator(): string | undefined {
  if (!existsSync(join(root, 'dist/kyverno.cjs'))) return 'dist/kyverno.cjs is missing (npm run build)';
  return undefined;
}

/** Creates every CustomResourceDefinition of `crds/`, or puts it in place of the one there, and waits until all are served. */
export async function installCrds(cluster: Pick<Cluster, 'request'>): Promise<void> {
  const files = (await readdir(join(root, 'crds'))).filter(name => name.endsWith('.yaml'));
  const definitions = await Promise.all(
    files.map(async file => parse(await readFile(join(root, 'crds', file), 'utf8')) as CustomResourceDefinition),
  );
  // Raw requests side by side: kubectl would fetch the schema of the API anew after each one.
  await Promise.all(definitions.map(definition => putDefinition(cluster, definition)));
}

/** Creates a definition, or puts it in place of the one there, and waits until it is served. */
export async function putDefinition(cluster: Pick<Cluster, 'request'>, definition: CustomResourceDefinition): Promise<void> {
  const {name} = definition.metadata;
  const path = `${definitionsPath}/${name}`;
  let answer = await cluster.request('POST', definitionsPath, definition);
  if (answer.status === 409) {
    const {resourceVersion} = (await cluster.request<CustomResourceDefinition>('GET', path)).body.metadata;
    answer = await cluster.request('PUT', path, {...definition, metadata: {...definition.metadata, resourceVersion}});
  }
  if (answer.status !== 201 && answer.status !== 200) {
    throw new Error(`CustomResourceDefinition ${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  const {group, names, versions} = definition.spec;
  // Asked for objects, not for the definition: those are small.
  for (const version of versions.filter(({served}) => served)) {
    const collection = `/apis/${group}/${version.name}/${names.plural}?limit=1`;
    await eventually(async () => (await cluster.request('GET', collection)).status === 200, {
      what: `${collection} served`,
      everyMs: 250,
    });
  }
}

/** Applies `crds/` and the rest of `install/manifest.yaml`, and runs the operator's Pods as local processes. */
export async function installOperator(
  cluster: Cluster,
  options: InstallOperatorOptions = {},
): Promise<InstalledOperator> {
  await installCrds(cluster);
  const manifests = [...(options.manifests ?? (await readManifests()))].map(manifest => adapt(manifest, options));
  const command = options.command ?? [process.execPath, options.sandboxes === undefined ? join(root, 'dist/kyverno.cjs') : join(programFolder, 'kyverno.cjs')];
  const images = Object.fromEntries(
    manifests
      .filter(isDeployment)
      .flatMap(({spec}) => spec.template.spec.containers.map(({image}) => [imageName(image), command])),
  );
  const balancer = await startBalancer();
  let agent: NodeAgent | undefined;
  const stop = async () => {
    await agent?.stop();
    await balancer.stop();
  };
  try {
    agent = await startNodeAgent(cluster, {namespace, images, balancer, cwd: root, ...(options.sandboxes === undefined ? {} : {sandboxes: options.sandboxes})});
    const input = JSON.stringify({apiVersion: 'v1', kind: 'List', items: manifests});
    await cluster.kubectl(['apply', '-f', '-'], {input});
    if (options.wait !== false) await allReady(cluster, agent);
  } catch (error) {
    await stop();
    throw error;
  }
  return {agent, balancer, stop};
}

/** Waits until each Deployment of the operator's namespace has all its replicas ready, and the balancer knows. */
async function allReady(cluster: Cluster, agent: NodeAgent): Promise<void> {
  interface DeploymentList {
    readonly items: readonly {
      readonly metadata: {readonly generation: number};
      readonly spec: {readonly replicas: number};
      readonly status: {readonly observedGeneration?: number; readonly readyReplicas?: number};
    }[];
  }
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  await eventually(
    async () => {
      const {items} = (await cluster.request<DeploymentList>('GET', path)).body;
      return items.every(
        ({metadata, spec, status}) =>
          status.observedGeneration === metadata.generation && (status.readyReplicas ?? 0) === spec.replicas,
      );
    },
    {what: 'operator ready', timeoutMs: 120_000},
  ).catch(async (cause: unknown) => {
    const logs = agent.replicas().map(({name, logFile}) => (logFile === undefined ? `${name}: no process yet` : tail(name, logFile)));
    throw new Error(`the operator did not become ready\n${(await Promise.all(logs)).join('\n')}`, {cause});
  });
}

async function tail(name: string, file: string): Promise<string> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return [`${name}:`, ...lines.slice(-20)].join('\n');
}

/** As users apply it, so that a right that is missing shows here. */
export async function readManifests(): Promise<Manifest[]> {
  const text = await readFile(join(root, 'install/manifest.yaml'), 'utf8');
  return parseAllDocuments(text)
    .map(document => document.toJS() as Manifest)
    .filter(manifest => manifest.kind !== 'CustomResourceDefinition');
}

/** The webhook Service leads to the balancer; the Deployment gets the options. */
function adapt(manifest: Manifest, {replicas, schedulerName, args = [], env = {}, sandboxes}: InstallOperatorOptions): Manifest {
  if (sandboxes === undefined && manifest.kind === 'Service' && manifest.metadata?.name === 'kyverno-svc') {
    return {...manifest, spec: {type: 'ExternalName', externalName: 'localhost'}};
  }
  if (!isDeployment(manifest)) return manifest;
  const copy = structuredClone(manifest);
  if (replicas !== undefined) copy.spec.replicas = replicas;
  if (schedulerName !== undefined) copy.spec.template.spec.schedulerName = schedulerName;
  for (const container of copy.spec.template.spec.containers) {
    container.args = [...(container.args ?? []), ...args];
    container.env = [...(container.env ?? []), ...Object.entries(env).map(([name, value]) => ({name, value}))];
  }
  return copy;
}

function isDeployment(manifest: Manifest): manifest is Manifest & {spec: PodTemplate & {replicas?: number}} {
  return manifest.kind === 'Deployment';
}

function imageName(image: string): string {
  return image.replace(/@.*$/, '').replace(/:[^/]*$/, '');
}
