import {execFile} from 'node:child_process';
import {promisify} from 'node:util';

const exec = promisify(execFile);
const bridge = 'kubelet0';
const prefix = '10.244.0.';

/** A network of Pods: a bridge in this network namespace, and a namespace with an address of its own for each Pod. */
export interface PodNetwork {
  /** The node's address on the bridge; servers that Pods reach listen here. */
  readonly nodeAddress: string;
  add(name: string): Promise<PodInterface>;
  remove(): Promise<void>;
}

export interface PodInterface {
  readonly address: string;
  /** Name of the network namespace, for `ip netns exec`. */
  readonly namespace: string;
  remove(): Promise<void>;
}

const ip = (...args: readonly string[]) => exec('ip', [...args]);

/** Why no such network can be made here; `undefined` when it can. */
export async function missingForPodNetwork(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'root is needed for network namespaces';
  for (const program of ['ip', 'unshare', 'setpriv', 'mount', 'chroot']) {
    const found = await exec('sh', ['-c', `command -v ${program}`]).catch(() => undefined);
    if (found === undefined) return `${program} is not installed (packages iproute2 and util-linux)`;
  }
  return undefined;
}

/** Has to run in a network namespace that the test made itself: nothing of it is seen outside. */
export async function createPodNetwork(): Promise<PodNetwork> {
  const nodeAddress = `${prefix}1`;
  await ip('link', 'add', bridge, 'type', 'bridge');
  await ip('addr', 'add', `${nodeAddress}/24`, 'dev', bridge);
  await ip('link', 'set', bridge, 'up');
  const taken = new Set<number>([0, 1, 255]);
  const present = new Set<PodInterface>();
  return {
    nodeAddress,
    async add(name) {
      const last = Array.from({length: 254}, (_, index) => index).find(index => !taken.has(index));
      if (last === undefined) throw new Error('every address of the Pod network is in use');
      taken.add(last);
      const namespace = `${bridge}-${process.pid}-${name}`;
      const outer = `veth${last}`;
      const address = `${prefix}${last}`;
      await ip('netns', 'add', namespace);
      const added: PodInterface = {
        address,
        namespace,
        async remove() {
          if (!present.delete(added)) return;
          // The pair of interfaces goes with it.
          await ip('netns', 'delete', namespace);
          taken.delete(last);
        },
      };
      present.add(added);
      await ip('link', 'add', outer, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace);
      await ip('link', 'set', outer, 'master', bridge, 'up');
      await ip('-n', namespace, 'addr', 'add', `${address}/24`, 'dev', 'eth0');
      await ip('-n', namespace, 'link', 'set', 'eth0', 'up');
      await ip('-n', namespace, 'link', 'set', 'lo', 'up');
      return added;
    },
    async remove() {
      await Promise.all([...present].map(each => each.remove()));
      await ip('link', 'delete', bridge);
    },
  };
}
