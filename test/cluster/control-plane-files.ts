import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {type Authority, createAuthority, createTokenKey, type KeyPair} from './pki/certificates.js';

/** Everything the programs read from disk, written into one folder. */
export interface ControlPlaneFiles {
  readonly authority: Authority;
  readonly admin: KeyPair;
  /** Path of a file by its name below. */
  path(name: FileName): string;
}

type FileName =
  | 'ca.crt'
  | 'ca.key'
  | 'apiserver.crt'
  | 'apiserver.key'
  | 'kubelet-client.crt'
  | 'kubelet-client.key'
  | 'front-proxy-ca.crt'
  | 'front-proxy.crt'
  | 'front-proxy.key'
  | 'service-accounts.key'
  | 'service-accounts.pub'
  | 'audit-policy.json'
  | 'audit-metadata-policy.json'
  | 'controller-manager.kubeconfig'
  | 'admin.kubeconfig';

export interface ControlPlaneFilesOptions {
  readonly dir: string;
  readonly server: string;
  /** What the API server's certificate must name beside loopback: the first address of the service range, the node's. */
  readonly addresses: readonly string[];
}

export async function writeControlPlaneFiles(options: ControlPlaneFilesOptions): Promise<ControlPlaneFiles> {
  const dir = join(options.dir, 'files');
  const authority = createAuthority('test-cluster');
  const frontAuthority = createAuthority('test-cluster-front-proxy');
  const names = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'];
  const hosts = ['127.0.0.1', ...options.addresses, 'localhost', ...names];
  const apiServer = authority.issue({commonName: 'kube-apiserver', hosts});
  const kubeletClient = authority.issue({commonName: 'kube-apiserver-kubelet-client', organization: 'system:masters'});
  const frontProxy = frontAuthority.issue({commonName: 'front-proxy-client'});
  const controllerManager = authority.issue({commonName: 'system:kube-controller-manager'});
  const admin = authority.issue({commonName: 'kubernetes-admin', organization: 'system:masters'});
  const tokens = createTokenKey();
  const access = {server: options.server, ca: authority.certificate};
  const contents: Readonly<Record<FileName, string>> = {
    'ca.crt': authority.certificate,
    'ca.key': authority.key,
    'apiserver.crt': apiServer.certificate,
    'apiserver.key': apiServer.key,
    'kubelet-client.crt': kubeletClient.certificate,
    'kubelet-client.key': kubeletClient.key,
    'front-proxy-ca.crt': frontAuthority.certificate,
    'front-proxy.crt': frontProxy.certificate,
    'front-proxy.key': frontProxy.key,
    'service-accounts.key': tokens.privateKey,
    'service-accounts.pub': tokens.publicKey,
    'audit-policy.json': JSON.stringify(auditPolicy('RequestResponse')),
    'audit-metadata-policy.json': JSON.stringify(auditPolicy('Metadata')),
    'controller-manager.kubeconfig': kubeconfigText({...access, user: {client: controllerManager}}),
    'admin.kubeconfig': kubeconfigText({...access, user: {client: admin}}),
  };
  await mkdir(dir, {recursive: true});
  const path = (name: FileName) => join(dir, name);
  await Promise.all(
    Object.entries(contents).map(([name, content]) => writeFile(path(name as FileName), content, {mode: 0o600})),
  );
  return {authority, admin, path};
}

/** One line per request when its answer is complete. */
const auditPolicy = (level: 'Metadata' | 'RequestResponse') => ({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    {level: 'None', nonResourceURLs: ['/readyz*', '/livez*', '/healthz*', '/openapi/*']},
    {level: 'None', resources: [{group: 'coordination.k8s.io'}]},
    {level},
  ],
});

export interface KubeconfigOptions {
  readonly server: string;
  readonly ca: string;
  readonly user: {readonly client: KeyPair} | {readonly token: string};
  readonly namespace?: string;
}

/** A kubeconfig (JSON is YAML) with one context. */
export function kubeconfigText({server, ca, user, namespace}: KubeconfigOptions): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const credentials =
    'token' in user
      ? {token: user.token}
      : {'client-certificate-data': base64(user.client.certificate), 'client-key-data': base64(user.client.key)};
  const name = 'test-cluster';
  return `${JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': name,
      clusters: [{name, cluster: {server, 'certificate-authority-data': base64(ca)}}],
      users: [{name, user: credentials}],
      contexts: [{name, context: {cluster: name, user: name, ...(namespace === undefined ? {} : {namespace})}}],
    },
    null,
    2,
  )}\n`;
}
