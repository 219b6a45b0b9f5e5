import type {Cluster} from '../cluster.js';

export interface RegisterNodeOptions {
  readonly cluster: Pick<Cluster, 'request' | 'version'>;
  readonly nodeName: string;
  readonly kubeletPort: number;
}

/** Makes the Node object, or takes over the one of that name, and says that it is ready and where its kubelet is. */
export async function registerNode({cluster, nodeName, kubeletPort}: RegisterNodeOptions): Promise<void> {
  const labels = {'kubernetes.io/hostname': nodeName, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64'};
  const node = {apiVersion: 'v1', kind: 'Node', metadata: {name: nodeName, labels}};
  await expectStatus(cluster.request('POST', '/api/v1/nodes', node), [201, 409]);
  // Admission taints every new node as not ready, and no controller here would lift that.
  await expectStatus(cluster.request('PATCH', `/api/v1/nodes/${nodeName}`, {spec: {taints: null}}), [200]);
  const time = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const amounts = {cpu: '64', memory: '256Gi', pods: '500'};
  const status = {
    addresses: [
      {type: 'InternalIP', address: '127.0.0.1'},
      {type: 'Hostname', address: 'localhost'},
    ],
    daemonEndpoints: {kubeletEndpoint: {Port: kubeletPort}},
    capacity: amounts,
    allocatable: amounts,
    conditions: [
      {type: 'Ready', status: 'True', reason: 'NodeAgentReady', lastHeartbeatTime: time, lastTransitionTime: time},
    ],
    nodeInfo: {kubeletVersion: cluster.version, operatingSystem: 'linux', architecture: 'amd64'},
  };
  await expectStatus(cluster.request('PATCH', `/api/v1/nodes/${nodeName}/status`, {status}), [200]);
}

async function expectStatus(pending: ReturnType<Cluster['request']>, allowed: readonly number[]): Promise<void> {
  const {status, body} = await pending;
  if (!allowed.includes(status)) throw new Error(`registering the node: ${status} ${JSON.stringify(body)}`);
}
