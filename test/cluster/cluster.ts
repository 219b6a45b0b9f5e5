import {join} from 'node:path';
import {type ApiClient, createApiClient} from './api-client.js';
import {
  type ApiServerOptions,
  apiServerArgs,
  controllerManagerArgs,
  etcdArgs,
  type Ports,
  serviceAddress,
} from './control-plane-args.js';
import {type ControlPlaneFiles, writeControlPlaneFiles} from './control-plane-files.js';
import {type Daemon, startDaemon} from './daemon.js';
import {eventually} from './eventually.js';
import {type KubectlOptions, type KubectlResult, runKubectl} from './kubectl.js';
import type {Authority, KeyPair} from './pki/certificates.js';
import {freePorts} from './ports.js';
import {findPrograms, type ProgramPaths} from './programs.js';
import {createSupervisor, type Supervisor} from './supervisor.js';

export interface ClusterOptions extends ApiServerOptions {
  /** Such as `1.33`; default `KUBERNETES_MINOR`, else the newest pinned. */
  readonly minor?: string;
  /** Run kube-controller-manager. Default true. */
  readonly controllerManager?: boolean;
  /** Approved CertificateSigningRequests get a certificate of the cluster's authority. Default false. */
  readonly certificateSigning?: boolean;
}

/** A running control plane; everything listens on 127.0.0.1. */
export interface Cluster extends Pick<ApiClient, 'request' | 'stream'> {
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Base URL of the API server. */
  readonly server: string;
  /** Base URL of etcd's JSON gateway; no credentials are asked for. */
  readonly etcd: string;
  /** The authority that signed the API server's certificate; issues client certificates too (O = group). */
  readonly authority: Authority;
  /** PEM of that authority. */
  readonly ca: string;
  /** The administrator's certificate (system:masters). */
  readonly admin: KeyPair;
  /** As `/version` tells it, such as `v1.37.2`. */
  readonly version: string;
  /** Temporary folder with the logs (`kube-apiserver.log`, `audit.log`, …). */
  readonly dir: string;
  /** Path of each program, kubectl among them. */
  readonly programs: ProgramPaths;
  readonly supervisor: Supervisor;
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<KubectlResult>;
  /** Freezes the API server: connections stay open and nothing answers. */
  pauseApiServer(): void;
  resumeApiServer(): void;
  /** Ends the API server; `kill` by SIGKILL. */
  stopApiServer(options?: {readonly kill?: boolean}): Promise<void>;
  /** Starts it again on the same port and waits until it is ready. */
  startApiServer(): Promise<void>;
  restartApiServer(): Promise<void>;
  /** Kills etcd and starts it again with its data; returns when the API server reads it. */
  restartEtcd(): Promise<void>;
  /** Ends all and deletes the folder. */
  stop(): Promise<void>;
}

/** Starts etcd, kube-apiserver and kube-controller-manager; returns when a ServiceAccount `default` is there. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const programs = await findPrograms(options.minor);
  const supervisor = await createSupervisor();
  try {
    return await start(programs, supervisor, options);
  } catch (error) {
    await supervisor.close();
    throw error;
  }
}

async function start(programs: ProgramPaths, supervisor: Supervisor, options: ClusterOptions): Promise<Cluster> {
  const {dir} = supervisor;
  const ports = await choosePorts();
  const server = `https://127.0.0.1:${ports.apiServer}`;
  const files: ControlPlaneFiles = await writeControlPlaneFiles({dir, server, addresses: [serviceAddress, ...(options.nodeAddress === undefined ? [] : [options.nodeAddress])]});
  const kubeconfig = files.path('admin.kubeconfig');
  const api = createApiClient({server, ca: files.authority.certificate, client: files.admin});
  const launch = (name: 'etcd' | 'kube-apiserver' | 'kube-controller-manager', args: readonly string[]) =>
    startDaemon(supervisor, {name, program: programs[name], args});

  let etcd: Daemon = launch('etcd', etcdArgs(dir, ports));
  const launchApiServer = () => launch('kube-apiserver', apiServerArgs(dir, ports, files, options));
  let apiServer: Daemon = launchApiServer();
  const apiServerReady = () =>
    eventually(async () => (await api.request('GET', '/readyz')).status === 200, {
      what: 'kube-apiserver ready',
      timeoutMs: 120_000,
      assertPossible: () => {
        etcd.assertRunning();
        apiServer.assertRunning();
      },
    });
  let controllerManager: Daemon | undefined;
  try {
    await apiServerReady();
    if (options.controllerManager !== false) {
      controllerManager = launch('kube-controller-manager', controllerManagerArgs(ports, files, options));
      const manager = controllerManager;
      await eventually(
        async () => (await api.request('GET', '/api/v1/namespaces/default/serviceaccounts/default')).status === 200,
        {what: 'ServiceAccount default', assertPossible: () => manager.assertRunning()},
      );
    }
  } catch (error) {
    api.close();
    throw error;
  }
  const stopApiServer: Cluster['stopApiServer'] = async ({kill = false} = {}) => {
    if (kill) apiServer.signal('SIGKILL');
    // A frozen process does not hear SIGTERM.
    apiServer.signal('SIGCONT');
    await apiServer.stop();
  };
  const startApiServer = async () => {
    apiServer = launchApiServer();
    await apiServerReady();
  };
  const version = (await api.request<{gitVersion: string}>('GET', '/version')).body.gitVersion;

  return {
    kubeconfig,
    server,
    etcd: `http://127.0.0.1:${ports.etcd}`,
    authority: files.authority,
    ca: files.authority.certificate,
    admin: files.admin,
    version,
    dir,
    programs,
    supervisor,
    request: api.request,
    stream: api.stream,
    kubectl: (args, kubectlOptions) =>
      runKubectl({program: programs.kubectl, kubeconfig, home: join(dir, 'home')}, args, kubectlOptions),
    pauseApiServer: () => apiServer.signal('SIGSTOP'),
    resumeApiServer: () => apiServer.signal('SIGCONT'),
    stopApiServer,
    startApiServer,
    async restartApiServer() {
      await stopApiServer();
      await startApiServer();
    },
    async restartEtcd() {
      etcd.signal('SIGKILL');
      await etcd.stop();
      etcd = launch('etcd', etcdArgs(dir, ports));
      await apiServerReady();
    },
    async stop() {
      api.close();
      // Nothing needs saving: the data goes with the folder.
      await Promise.all([controllerManager?.stop(0), apiServer.stop(0)]);
      await etcd.stop(0);
      await supervisor.close();
    },
  };
}

async function choosePorts(): Promise<Ports> {
  const [etcd = 0, etcdPeer = 0, apiServer = 0, controllerManager = 0] = await freePorts(4);
  return {etcd, etcdPeer, apiServer, controllerManager};
}
