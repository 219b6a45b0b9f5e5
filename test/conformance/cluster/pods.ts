import {writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Cluster} from '../../cluster/cluster.js';
import {kubeconfigText} from '../../cluster/control-plane-files.js';
import {startDaemon} from '../../cluster/daemon.js';
import {eventually} from '../../cluster/eventually.js';
import {freePorts} from '../../cluster/ports.js';
import {kwok, scheduler} from './programs.js';

/** Suites name it. */
const nodeName = 'kind-control-plane';

/** A scheduler, and a node that does not exist whose Pods say that they run. */
export async function startPods(cluster: Cluster, minor: string): Promise<void> {
  const [kwokProgram, schedulerProgram] = [await kwok(), await scheduler(minor)];
  const [schedulerPort = 0, kwokPort = 0] = await freePorts(2);
  const client = cluster.authority.issue({commonName: 'system:kube-scheduler'});
  const schedulerConfig = join(cluster.dir, 'scheduler.kubeconfig');
  await writeFile(schedulerConfig, kubeconfigText({server: cluster.server, ca: cluster.ca, user: {client}}), {
    mode: 0o600,
  });
  const schedulerDaemon = startDaemon(cluster.supervisor, {
    name: 'kube-scheduler',
    program: schedulerProgram,
    args: [
      `--kubeconfig=${schedulerConfig}`,
      `--authentication-kubeconfig=${schedulerConfig}`,
      `--authorization-kubeconfig=${schedulerConfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${schedulerPort}`,
      '--leader-elect=false',
    ],
  });
  const kwokDaemon = startDaemon(cluster.supervisor, {
    name: 'kwok',
    program: kwokProgram,
    args: [
      `--kubeconfig=${cluster.kubeconfig}`,
      '--manage-all-nodes=false',
      '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
      '--cidr=10.99.0.0/16',
      '--node-ip=127.0.0.1',
      '--node-port=0',
      `--server-address=127.0.0.1:${kwokPort}`,
      '--enable-crds=',
    ],
  });
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: nodeName,
      annotations: {'kwok.x-k8s.io/node': 'fake'},
      labels: {
        'kubernetes.io/hostname': nodeName,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'node-role.kubernetes.io/control-plane': '',
      },
    },
    status: {
      capacity: {cpu: '64', memory: '256Gi', pods: '500'},
      allocatable: {cpu: '64', memory: '256Gi', pods: '500'},
    },
  };
  const {status, body} = await cluster.request('POST', '/api/v1/nodes', node);
  if (status !== 201) throw new Error(`node ${nodeName}: ${status} ${JSON.stringify(body)}`);
  // Admission taints every new node as not ready, and no controller here lifts that.
  await cluster.request('PATCH', `/api/v1/nodes/${nodeName}`, {spec: {taints: null}});
  await eventually(
    async () => {
      const {body: read} = await cluster.request<{status?: {conditions?: readonly {type: string; status: string}[]}}>(
        'GET',
        `/api/v1/nodes/${nodeName}`,
      );
      return read.status?.conditions?.some(({type, status: is}) => type === 'Ready' && is === 'True');
    },
    {
      what: `node ${nodeName} ready`,
      assertPossible: () => {
        schedulerDaemon.assertRunning();
        kwokDaemon.assertRunning();
      },
    },
  );
}
