import {mkdir} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import type {Cluster} from '../cluster.js';
import {type ContainerRunner, createContainerRunner} from './container-runner.js';
import {resolveEnvironment} from './environment.js';
import {choosePodPorts, type PodPorts} from './pod-ports.js';
import {createPodStatus, isReady} from './pod-status.js';
import type {PodSandboxes} from './sandbox.js';
import {mountServiceAccount} from './service-account.js';
import type {Container, Pod} from './types.js';

const loopback = '127.0.0.1';

export interface PodWorkerOptions {
  readonly cluster: Pick<Cluster, 'request' | 'ca' | 'server' | 'supervisor' | 'dir'>;
  readonly pod: Pod;
  readonly argvPrefix: (container: Container) => readonly string[];
  /** Variables of every container besides its own. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly onChange: () => void;
  readonly sandboxes?: PodSandboxes | undefined;
}

/** Runs one bound Pod until it is deleted. */
export interface PodWorker {
  readonly pod: Pod;
  readonly address: string;
  readonly ports: PodPorts;
  /** Ready and not being deleted. */
  readonly ready: boolean;
  readonly terminating: boolean;
  readonly containers: readonly ContainerRunner[];
  container(name: string): ContainerRunner | undefined;
  /** Ends the containers within the grace period, then deletes the Pod object. */
  terminate(pod: Pod): void;
  /** Ends the processes at once and leaves the object alone. */
  kill(): Promise<void>;
}

export async function startPodWorker(options: PodWorkerOptions): Promise<PodWorker> {
  const {cluster, pod, cwd, sandboxes} = options;
  const {name, namespace, uid} = pod.metadata;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  const dir = join(cluster.dir, 'pods', uid);
  const accountDir = join(dir, 'serviceaccount');
  const ports = await choosePodPorts(pod, sandboxes !== undefined);
  const closed = new AbortController();
  const sandbox = await sandboxes?.create(pod, closed.signal);
  const addresses = {podIP: sandbox?.address ?? loopback, hostIP: sandboxes?.nodeAddress ?? loopback};
  const computeStatus = createPodStatus();
  const startTime = now();
  let initialized = (pod.spec.initContainers ?? []).length === 0;
  let terminating = false;
  await mkdir(dir, {recursive: true});

  const {hostname, port} = new URL(cluster.server);
  const apiServer = sandboxes?.apiServer ?? {host: hostname, port};
  const base: Record<string, string> = {
    PATH: sandbox === undefined ? (process.env['PATH'] ?? '') : '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: sandbox === undefined ? dir : '/',
    HOSTNAME: name,
    KUBERNETES_SERVICE_HOST: apiServer.host,
    KUBERNETES_SERVICE_PORT: apiServer.port,
    ...ports.env,
    ...options.env,
  };
  // In a sandbox the account stands where it does in every container: in a volume that admission has added.
  if (sandbox === undefined && pod.spec.automountServiceAccountToken !== false) base['KYVERNO_SERVICEACCOUNT_DIR'] = accountDir;

  const runner = (restart: 'Always' | 'OnFailure' | 'Never') => (container: Container) =>
    createContainerRunner({
      container,
      restart,
      argvPrefix: options.argvPrefix,
      environment: () => resolveEnvironment({api: cluster, pod, container, base, addresses}),
      resolvePort: ports.resolve,
      host: addresses.podIP,
      wrap: argv => sandbox?.wrap(container, argv) ?? argv,
      cwd,
      dir,
      supervisor: cluster.supervisor,
      onChange: changed,
    });
  const policy = pod.spec.restartPolicy ?? 'Always';
  const initContainers = (pod.spec.initContainers ?? []).map(runner(policy === 'Never' ? 'Never' : 'OnFailure'));
  const containers = pod.spec.containers.map(runner(policy));

  const ready = () => !terminating && isReady({initialized, containers: containers.map(({view}) => view)});
  let dirty = false;
  let writing: Promise<void> | undefined;
  function changed(): void {
    dirty = true;
    writing ??= writeStatus().finally(() => {
      writing = undefined;
    });
    options.onChange();
  }
  async function writeStatus(): Promise<void> {
    while (dirty && !closed.signal.aborted) {
      dirty = false;
      const views = {
        initContainers: initContainers.map(({view}) => view),
        containers: containers.map(({view}) => view),
      };
      const status = computeStatus({startTime, initialized, addresses, ...views}, now());
      const answer = await cluster.request('PATCH', `${path}/status`, {metadata: {uid}, status}).catch(() => undefined);
      if (answer?.status === 200) continue;
      if (answer?.status === 404 || answer?.status === 409) return;
      if (answer?.status === 422) throw new Error(`${namespace}/${name} status: ${JSON.stringify(answer.body)}`);
      dirty = true;
      await delay(300);
    }
  }

  async function run(): Promise<void> {
    if (base['KYVERNO_SERVICEACCOUNT_DIR'] !== undefined) await mountAccount();
    for (const init of initContainers) {
      const code = await init.run();
      if (code !== 0 || terminating) return;
    }
    initialized = true;
    changed();
    if (!terminating) await Promise.all(containers.map(container => container.run()));
  }
  async function mountAccount(): Promise<void> {
    while (!closed.signal.aborted && !terminating) {
      try {
        return await mountServiceAccount({api: cluster, ca: cluster.ca, pod, dir: accountDir, signal: closed.signal});
      } catch (error) {
        process.stderr.write(`node agent: ${namespace}/${name}: ${(error as Error).message}\n`);
        await delay(500);
      }
    }
  }
  async function stopAll(graceMs: number): Promise<void> {
    terminating = true;
    changed();
    await Promise.all([...initContainers, ...containers].map(container => container.stop(graceMs)));
  }

  const running = run();
  changed();
  return {
    pod,
    address: addresses.podIP,
    ports,
    containers,
    get ready() {
      return ready();
    },
    get terminating() {
      return terminating;
    },
    container: wanted => [...initContainers, ...containers].find(({view}) => view.name === wanted),
    terminate(latest) {
      if (terminating) return;
      const grace = latest.metadata.deletionGracePeriodSeconds ?? latest.spec.terminationGracePeriodSeconds ?? 30;
      void stopAll(grace * 1000).then(async () => {
        await running;
        await writing;
        await sandbox?.remove();
        await deleteObject(cluster, path, uid, closed.signal);
      });
    },
    async kill() {
      closed.abort();
      await stopAll(0);
      await running;
      await sandbox?.remove();
    },
  };
}

async function deleteObject(
  api: Pick<Cluster, 'request'>,
  path: string,
  uid: string,
  signal: AbortSignal,
): Promise<void> {
  const body = {apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0, preconditions: {uid}};
  while (!signal.aborted) {
    const answer = await api.request('DELETE', path, body).catch(() => undefined);
    if (answer !== undefined && [200, 404, 409].includes(answer.status)) return;
    await delay(300);
  }
}

function now(): string {
  return new Date().toISOString().replace(/\.\d+Z$/, 'Z');
}
