import {readdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {parseAllDocuments} from 'yaml';
import {type Cluster, startCluster} from '../../cluster/cluster.js';
import {kubeconfigText} from '../../cluster/control-plane-files.js';
import {eventually} from '../../cluster/eventually.js';
import {type InstalledOperator, installCrds, installOperator} from '../../cluster/install-operator.js';
import {type Baseline, takeBaseline} from './leftovers.js';
import {startPods} from './pods.js';
import type {Profile} from './profiles.js';
import {programsFolder} from './programs-folder.js';
import {accountArgs, serviceAccounts, standardRoles} from './standard-roles.js';

/** A control plane with the operator, as a profile wants it. */
export interface Environment {
  readonly profile: Profile;
  readonly cluster: Cluster;
  readonly operator: InstalledOperator | undefined;
  readonly baseline: Baseline;
  /** Kubeconfig of the administrator that suites act as. */
  readonly kubeconfig: string;
  /** Folder for PATH. */
  readonly programs: string;
  /** A namespace with its ServiceAccount `default`. */
  createNamespace(name: string): Promise<void>;
  /** The operator's log of the replica that runs now. */
  operatorLog(): string | undefined;
  stop(): Promise<void>;
}

export interface EnvironmentOptions {
  /** Path of the bundle, which no build changes meanwhile. */
  readonly bundle: string;
  /** Copy of the suites. */
  readonly workspace: string;
}

export async function startEnvironment(profile: Profile, options: EnvironmentOptions): Promise<Environment> {
  const {minor, featureGates, runtimeConfig, operatorArgs, pods} = profile;
  const cluster = await startCluster({
    minor,
    featureGates,
    apiServerArgs: runtimeConfig.length > 0 ? [`--runtime-config=${runtimeConfig.join(',')}`] : [],
    certificateSigning: true,
  });
  let operator: InstalledOperator | undefined;
  const stop = async () => {
    await operator?.stop();
    await cluster.stop();
  };
  try {
    if (pods) await startPods(cluster, minor);
    if (profile.libraryDefinitions)
      await applyDefinitions(cluster, join(options.workspace, 'policies-chainsaw/.chainsaw/crds'));
    if (operatorArgs === undefined) await installCrds(cluster);
    else {
      await create(cluster, [...serviceAccounts, ...standardRoles]);
      operator = await installOperator(cluster, {
        replicas: 1,
        args: [...operatorArgs, ...accountArgs, '--v=3'],
        command: [process.execPath, options.bundle],
        // Else a real scheduler would put them on a node that does not exist.
        ...(pods ? {schedulerName: 'test-node-agent'} : {}),
      });
    }
    const kubeconfig = await adminKubeconfig(cluster);
    const programs = await programsFolder(join(cluster.dir, 'bin'), {
      kubectl: cluster.programs.kubectl,
      bundle: options.bundle,
    });
    return {
      profile,
      cluster,
      operator,
      kubeconfig,
      programs,
      baseline: await takeBaseline(cluster),
      createNamespace: name => createNamespace(cluster, name),
      operatorLog: () => operator?.agent.replicas().at(-1)?.logFile,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** As kubeadm makes it: no member of system:masters, but of a group that is bound to cluster-admin. */
async function adminKubeconfig(cluster: Cluster): Promise<string> {
  const group = 'kubeadm:cluster-admins';
  await create(cluster, [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: {name: group},
      roleRef: {apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin'},
      subjects: [{apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group}],
    },
  ]);
  const client = cluster.authority.issue({commonName: 'kubernetes-admin', organization: group});
  const file = join(cluster.dir, 'suites.kubeconfig');
  await writeFile(file, kubeconfigText({server: cluster.server, ca: cluster.ca, user: {client}}), {mode: 0o600});
  return file;
}

async function create(cluster: Cluster, objects: readonly object[]): Promise<void> {
  await cluster.kubectl(['apply', '-f', '-'], {
    input: JSON.stringify({apiVersion: 'v1', kind: 'List', items: objects}),
  });
}

async function applyDefinitions(cluster: Cluster, folder: string): Promise<void> {
  const files = (await readdir(folder, {recursive: true})).filter(name => /\.ya?ml$/.test(name));
  for (const file of files) {
    for (const document of parseAllDocuments(await readFile(join(folder, file), 'utf8'))) {
      const definition = document.toJS() as {kind?: string; metadata?: {name?: string}} | null;
      if (definition?.kind !== 'CustomResourceDefinition') continue;
      // By raw requests: kubectl would read the whole schema anew, and applying is limited in size.
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      const {status, body} = await cluster.request('POST', path, definition);
      if (status !== 201 && status !== 409) throw new Error(`${file}: ${status} ${JSON.stringify(body).slice(0, 500)}`);
    }
  }
}

async function createNamespace(cluster: Cluster, name: string): Promise<void> {
  const body = {apiVersion: 'v1', kind: 'Namespace', metadata: {name}};
  const answer = await cluster.request('POST', '/api/v1/namespaces', body);
  if (answer.status !== 201) throw new Error(`namespace ${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
  const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
  await eventually(async () => (await cluster.request('GET', account)).status === 200, {
    what: `ServiceAccount of ${name}`,
  });
}
