import {join} from 'node:path';
import type {ControlPlaneFiles} from './control-plane-files.js';

export interface Ports {
  readonly etcd: number;
  readonly etcdPeer: number;
  readonly apiServer: number;
  readonly controllerManager: number;
}

/** Loopback too: a webhook Service with a cluster address can never lead off this machine. */
export const serviceRange = '127.96.0.0/16';
export const serviceAddress = '127.96.0.1';

export function etcdArgs(dir: string, ports: Ports): string[] {
  const client = `http://127.0.0.1:${ports.etcd}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  return [
    '--name=test',
    `--data-dir=${join(dir, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=test=${peer}`,
    '--unsafe-no-fsync',
    '--quota-backend-bytes=8589934592',
    '--log-level=warn',
  ];
}

/** Options that shape the API server. */
export interface ApiServerOptions {
  /** A further address that it listens on, and tells the cluster as its own. Default: loopback alone. */
  readonly nodeAddress?: string;
  /** The ServiceAccount admission plugin (mounts tokens, demands that the account exists). Default true. */
  readonly serviceAccountAdmission?: boolean;
  /** Webhook Services are reached through their endpoints instead of their address. Default false. */
  readonly aggregatorRouting?: boolean;
  /** Write `audit.log` in the cluster's folder, a line per request with both bodies, or without: bodies cost the server as much as the request. Default false. */
  readonly auditLog?: boolean | 'metadata';
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /** Further arguments; the last of a name wins. */
  readonly apiServerArgs?: readonly string[];
}

export function apiServerArgs(
  dir: string,
  ports: Ports,
  files: ControlPlaneFiles,
  options: ApiServerOptions,
): string[] {
  const args = [
    `--bind-address=${options.nodeAddress === undefined ? '127.0.0.1' : '0.0.0.0'}`,
    `--advertise-address=${options.nodeAddress ?? '127.0.0.1'}`,
    `--secure-port=${ports.apiServer}`,
    // Endpoints refuse loopback addresses, so the kubernetes Service stays without.
    '--endpoint-reconciler-type=none',
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    `--service-cluster-ip-range=${serviceRange}`,
    `--cert-dir=${join(dir, 'apiserver')}`,
    `--tls-cert-file=${files.path('apiserver.crt')}`,
    `--tls-private-key-file=${files.path('apiserver.key')}`,
    `--client-ca-file=${files.path('ca.crt')}`,
    '--authorization-mode=RBAC',
    '--allow-privileged=true',
    '--profiling=false',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${files.path('service-accounts.pub')}`,
    `--service-account-signing-key-file=${files.path('service-accounts.key')}`,
    '--kubelet-preferred-address-types=InternalIP',
    `--kubelet-certificate-authority=${files.path('ca.crt')}`,
    `--kubelet-client-certificate=${files.path('kubelet-client.crt')}`,
    `--kubelet-client-key=${files.path('kubelet-client.key')}`,
    `--requestheader-client-ca-file=${files.path('front-proxy-ca.crt')}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-username-headers=X-Remote-User',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    `--proxy-client-cert-file=${files.path('front-proxy.crt')}`,
    `--proxy-client-key-file=${files.path('front-proxy.key')}`,
    `--enable-aggregator-routing=${options.aggregatorRouting ?? false}`,
  ];
  if (options.serviceAccountAdmission === false) args.push('--disable-admission-plugins=ServiceAccount');
  if (options.auditLog !== undefined && options.auditLog !== false) {
    const policy = files.path(options.auditLog === 'metadata' ? 'audit-metadata-policy.json' : 'audit-policy.json');
    // One file to the end: whoever reads it counts what is in it.
    args.push(`--audit-log-path=${join(dir, 'audit.log')}`, '--audit-log-maxsize=100000', `--audit-policy-file=${policy}`);
  }
  return [...args, ...gates(options.featureGates), ...(options.apiServerArgs ?? [])];
}

/** Only what tests lean on: no nodes, volumes, quotas or certificates are looked after. */
const controllers = [
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'root-ca-certificate-publisher-controller',
  'clusterrole-aggregation-controller',
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'daemonset-controller',
  'job-controller',
  'cronjob-controller',
  'ttl-after-finished-controller',
  'disruption-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'validatingadmissionpolicy-status-controller',
];

const signers = ['certificatesigningrequest-signing-controller', 'certificatesigningrequest-approving-controller'];

export function controllerManagerArgs(
  ports: Ports,
  files: ControlPlaneFiles,
  {certificateSigning = false}: {readonly certificateSigning?: boolean} = {},
): string[] {
  const kubeconfig = files.path('controller-manager.kubeconfig');
  const signing = [
    `--cluster-signing-cert-file=${files.path('ca.crt')}`,
    `--cluster-signing-key-file=${files.path('ca.key')}`,
  ];
  return [
    ...(certificateSigning ? signing : []),
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${ports.controllerManager}`,
    `--controllers=${[...controllers, ...(certificateSigning ? signers : [])].join(',')}`,
    '--leader-elect=false',
    '--use-service-account-credentials=true',
    `--service-account-private-key-file=${files.path('service-accounts.key')}`,
    `--root-ca-file=${files.path('ca.crt')}`,
    '--profiling=false',
    // The defaults fit clusters of thousands; tests wait for these.
    '--concurrent-gc-syncs=4',
    '--kube-api-qps=200',
    '--kube-api-burst=300',
  ];
}

function gates(featureGates: Readonly<Record<string, boolean>> = {}): string[] {
  const list = Object.entries(featureGates).map(([name, on]) => `${name}=${on}`);
  return list.length > 0 ? [`--feature-gates=${list.join(',')}`] : [];
}
