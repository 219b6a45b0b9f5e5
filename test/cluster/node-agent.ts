import {resolve} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import type {Backend} from './balancer.js';
import type {Cluster} from './cluster.js';
import {startKubeletServer} from './node-agent/kubelet-server.js';
import {mirror} from './node-agent/mirror.js';
import type {PodSandboxes} from './node-agent/sandbox.js';
import {type PodWorker, startPodWorker} from './node-agent/pod-worker.js';
import {registerNode} from './node-agent/register-node.js';
import type {Container, Pod} from './node-agent/types.js';

export interface NodeAgentOptions {
  /** The only namespace whose Pods are bound and run. Default `kyverno`. */
  readonly namespace?: string;
  /** Default `test-node`. */
  readonly nodeName?: string;
  /**
   * Command line that stands for the program of an image, by image name without tag and digest: it replaces the first
   * word of the container's command. A container of another image runs its own command.
   */
  readonly images?: Readonly<Record<string, readonly string[]>>;
  /** Further variables of every container. */
  readonly env?: Readonly<Record<string, string>>;
  /** Gives each Pod a network and files of its own. */
  readonly sandboxes?: PodSandboxes;
  /** Working folder of the processes. Default: the repository. */
  readonly cwd?: string;
  /** Is told the webhook ports of the ready replicas at each change. */
  readonly balancer?: {setBackends(backends: readonly Backend[]): void};
}

/** A Pod that the agent runs. */
export interface Replica {
  readonly name: string;
  readonly uid: string;
  readonly pod: Pod;
  /** Process number of the first container while it runs. */
  readonly pid: number | undefined;
  /** Where its ports are. */
  readonly address: string;
  readonly webhookPort: number;
  readonly metricsPort: number;
  readonly ready: boolean;
  readonly terminating: boolean;
  readonly restarts: number;
  /** Output of the first container's running or last process. */
  readonly logFile: string | undefined;
}

/** A stand-in for the kubelet and scheduler of one namespace. */
export interface NodeAgent {
  readonly nodeName: string;
  /** The Pods it runs now, oldest first. */
  replicas(): readonly Replica[];
  /** Ends all processes at once; the objects stay. */
  stop(): Promise<void>;
}

export async function startNodeAgent(cluster: Cluster, options: NodeAgentOptions = {}): Promise<NodeAgent> {
  const {namespace = 'kyverno', nodeName = 'test-node', images = {}, env = {}, balancer, sandboxes} = options;
  const cwd = options.cwd ?? resolve(import.meta.dirname, '../..');
  const stopped = new AbortController();
  /** By uid; a promise while it starts. */
  const workers = new Map<string, {worker?: PodWorker; readonly starting: Promise<void>; latest: Pod}>();
  const binding = new Set<string>();
  const list = () => [...workers.values()].flatMap(({worker}) => worker ?? []);
  const kubelet = await startKubeletServer({
    authority: cluster.authority,
    find: (ns, pod, container) =>
      list()
        .find(({pod: {metadata}}) => metadata.namespace === ns && metadata.name === pod)
        ?.container(container),
  });
  try {
    await registerNode({cluster, nodeName, kubeletPort: kubelet.port});
  } catch (error) {
    await kubelet.close();
    throw error;
  }

  function argvPrefix({image, command}: Container): readonly string[] {
    const name = image.replace(/@.*$/, '').replace(/:[^/]*$/, '');
    const program = Object.hasOwn(images, name) ? images[name] : undefined;
    const argv = program === undefined ? command : [...program, ...(command ?? []).slice(1)];
    if (argv === undefined) throw new Error(`image ${image} stands for no command and the container names none`);
    return argv;
  }
  function told(): void {
    const ready = list().filter(worker => worker.ready && worker.ports.servesWebhooks);
    balancer?.setBackends(ready.map(({ports}) => ({host: '127.0.0.1', port: ports.webhook})));
  }

  async function bind({metadata: {name, uid}}: Pod): Promise<void> {
    if (binding.has(uid)) return;
    binding.add(uid);
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/binding`;
    const body = {apiVersion: 'v1', kind: 'Binding', metadata: {name, uid}, target: {kind: 'Node', name: nodeName}};
    while (!stopped.signal.aborted) {
      const answer = await cluster.request('POST', path, body).catch(() => undefined);
      // 404 and 409: it is gone, being deleted or bound already; the mirror tells.
      if (answer !== undefined && [201, 404, 409].includes(answer.status)) break;
      await delay(300);
    }
    binding.delete(uid);
  }

  function start(pod: Pod): void {
    const entry: {worker?: PodWorker; starting: Promise<void>; latest: Pod} = {
      latest: pod,
      starting: Promise.resolve(),
    };
    entry.starting = startPodWorker({cluster, pod, argvPrefix, env, cwd, onChange: told, sandboxes}).then(worker => {
      entry.worker = worker;
      if (stopped.signal.aborted) return worker.kill();
      if (entry.latest.metadata.deletionTimestamp !== undefined) worker.terminate(entry.latest);
      return undefined;
    });
    workers.set(pod.metadata.uid, entry);
  }

  function onPod(pod: Pod): void {
    const {uid, deletionTimestamp} = pod.metadata;
    const entry = workers.get(uid);
    if (entry !== undefined) {
      entry.latest = pod;
      if (deletionTimestamp !== undefined) entry.worker?.terminate(pod);
    } else if (pod.spec.nodeName === nodeName) {
      const phase = pod.status?.phase;
      if (phase !== 'Succeeded' && phase !== 'Failed') start(pod);
    } else if (pod.spec.nodeName === undefined && deletionTimestamp === undefined) {
      if ((pod.spec.schedulingGates ?? []).length === 0) void bind(pod);
    }
  }
  function onGone(uid: string): void {
    const entry = workers.get(uid);
    workers.delete(uid);
    void entry?.starting.then(() => entry.worker?.kill());
    told();
  }

  const path = `/api/v1/namespaces/${namespace}/pods`;
  const mirroring = mirror<Pod>({api: cluster, path, signal: stopped.signal, onObject: onPod, onGone});
  return {
    nodeName,
    replicas: () => list().map(asReplica),
    async stop() {
      stopped.abort();
      await mirroring;
      await Promise.all([...workers.values()].map(({starting}) => starting));
      await Promise.all(list().map(worker => worker.kill()));
      await kubelet.close();
    },
  };
}

function asReplica({pod, address, ports, ready, terminating, containers}: PodWorker): Replica {
  const main = containers[0];
  return {
    name: pod.metadata.name,
    uid: pod.metadata.uid,
    pod,
    pid: main?.view.pid,
    address,
    webhookPort: ports.webhook,
    metricsPort: ports.metrics,
    ready,
    terminating,
    restarts: main?.view.restartCount ?? 0,
    logFile: main?.logs.current,
  };
}
