import {chmod, mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import type {Cluster} from '../cluster/cluster.js';
import type {PodSandbox, PodSandboxes} from '../cluster/node-agent/sandbox.js';
import type {Container, Pod} from '../cluster/node-agent/types.js';
import type {PodNetwork} from './network.js';
import {prepareVolumes} from './volumes.js';

/** As OpenShift gives one out: no name, no home, the root group. */
const arbitraryUser = 1_000_680_000;
const group = 0;

export interface SandboxesOptions {
  readonly cluster: Pick<Cluster, 'request' | 'dir' | 'server'>;
  readonly network: PodNetwork;
  /** What an image holds beside this machine's own files: folder on this machine → where it stands in the container. */
  readonly folders: ReadonlyArray<readonly [from: string, to: string]>;
}

/**
 * A root of its own for each Pod, as a container runtime gives it: a read-only view of this machine with the Pod's volumes
 * laid in, in a private mount namespace, in the network namespace of the Pod, without privileges.
 */
export function createSandboxes({cluster, network, folders}: SandboxesOptions): PodSandboxes {
  const {port} = new URL(cluster.server);
  return {
    nodeAddress: network.nodeAddress,
    apiServer: {host: network.nodeAddress, port},
    async create(pod, signal) {
      const dir = join(cluster.dir, 'sandboxes', pod.metadata.uid);
      await mkdir(dir, {recursive: true});
      const link = await network.add(pod.metadata.name);
      const addresses = {podIP: link.address, hostIP: network.nodeAddress};
      const volumes = await untilThere(() => prepareVolumes({api: cluster, pod, dir, user: userOf(pod), addresses, signal}), pod, signal);
      for (const [name, folder] of volumes) if (pod.spec.volumes?.some(volume => volume.name === name && volume.emptyDir)) await chmod(folder, 0o777);
      const sandbox: PodSandbox = {
        address: link.address,
        wrap: (container, argv) => ['ip', 'netns', 'exec', link.namespace, 'sh', '-c', script({pod, container, volumes, folders, dir}), 'sandbox', ...argv],
        remove: () => link.remove(),
      };
      return sandbox;
    },
  };
}

/** What a Pod refers to may come after it; meanwhile it waits, as with any kubelet. */
async function untilThere<T>(prepare: () => Promise<T>, {metadata}: Pod, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await prepare();
    } catch (error) {
      if (signal.aborted) throw error;
      process.stderr.write(`kubelet: ${metadata.namespace}/${metadata.name}: ${(error as Error).message}\n`);
      await delay(500);
    }
  }
}

function userOf({spec}: Pod, container?: Container): number {
  return container?.securityContext?.runAsUser ?? spec.securityContext?.runAsUser ?? arbitraryUser;
}

/** Where containers have nothing of this machine's. */
const scratch = ['/tmp', '/run', '/root'];

interface Script {
  readonly pod: Pod;
  readonly container: Container;
  readonly volumes: ReadonlyMap<string, string>;
  readonly folders: SandboxesOptions['folders'];
  readonly dir: string;
}

function script({pod, container, volumes, folders, dir}: Script): string {
  const root = join(dir, `root-${container.name}`);
  const into = (path: string) => quote(`${root}/merged${path}`);
  const lines = [
    'set -e',
    'mount --make-rprivate /',
    `mkdir -p ${quote(root)}`,
    `mount -t tmpfs tmpfs ${quote(root)}`,
    `mkdir ${quote(`${root}/upper`)} ${quote(`${root}/work`)} ${into('')}`,
    // `ip netns exec` has laid a /sys of its own; the view below is of the root file system alone.
    `mount -t overlay overlay -o ${quote(`lowerdir=/,upperdir=${root}/upper,workdir=${root}/work`)} ${into('')}`,
    `mount --rbind /proc ${into('/proc')}`,
    `mount --rbind /dev ${into('/dev')}`,
    // Neither this machine's scratch space nor its credentials are part of any image.
    ...scratch.map(path => `mount -t tmpfs -o mode=755 tmpfs ${into(path)}`),
  ];
  const mounts = [
    ...folders.map(([from, to]) => ({from, to, readOnly: true})),
    ...(container.volumeMounts ?? []).map(({name, mountPath, readOnly = false}) => {
      const from = volumes.get(name);
      if (from === undefined) throw new Error(`container ${container.name} mounts ${name}, which the Pod does not have`);
      return {from, to: mountPath, readOnly};
    }),
  ];
  // Paths are followed from inside: /var/run is a link to /run.
  const enter = `chroot ${into('')}`;
  for (const {to} of mounts) lines.push(`${enter} mkdir -p ${quote(to)}`);
  if (container.securityContext?.readOnlyRootFilesystem === true) {
    for (const path of [...scratch, '']) lines.push(`mount -o remount,ro ${into(path)}`);
  }
  for (const {from, to, readOnly} of mounts) {
    lines.push(`at=${into('')}$(${enter} readlink -f ${quote(to)})`, `mount --bind ${quote(from)} "$at"`);
    if (readOnly) lines.push('mount -o remount,bind,ro "$at"');
  }
  const privileges = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all', '--clear-groups'];
  lines.push(`exec ${enter} /usr/bin/setpriv --reuid=${userOf(pod, container)} --regid=${group} ${privileges.join(' ')} -- "$@"`);
  return lines.join('\n');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
