import {readFileSync} from 'node:fs';
import type {Cluster} from '../../cluster/cluster.js';
import type {Witness} from '../../cluster/eventually.js';
import type {NodeAgent} from '../../cluster/node-agent.js';
import type {Thing} from './policies.js';

interface List {
  readonly items?: readonly (Thing & {readonly webhooks?: readonly {readonly name: string}[]})[];
}

const lastLines = 40;
const groups = {
  webhooks: '/apis/admissionregistration.k8s.io/v1',
  leases: '/apis/coordination.k8s.io/v1/namespaces/kyverno/leases',
  policies: '/apis/kyverno.io/v1',
};

/** What explains why an operator did not do in time what a test waited for: policies, webhooks, Leases, last log lines. */
export function operatorWitness(cluster: Pick<Cluster, 'request'>, agent: NodeAgent): Witness {
  const list = async (path: string) => {
    const {status, body} = await cluster.request<List>('GET', path);
    return status === 200 ? (body.items ?? []) : [];
  };
  const version = ({metadata}: Thing) => `${metadata.name} at ${metadata.resourceVersion}, generation ${metadata.generation}`;

  return async () => {
    const lines: string[] = [];
    for (const resource of ['clusterpolicies', 'policies']) {
      for (const policy of await list(`${groups.policies}/${resource}`)) {
        lines.push(`policy ${version(policy)}: ${JSON.stringify(policy.status?.conditions ?? 'no status')}`);
      }
    }
    for (const kind of ['validating', 'mutating']) {
      for (const configuration of await list(`${groups.webhooks}/${kind}webhookconfigurations`)) {
        const entries = (configuration.webhooks ?? []).map(({name}) => name).join(' ');
        lines.push(`${kind} ${version(configuration)}: ${entries || 'no entry'} ${JSON.stringify(configuration.metadata.annotations ?? {})}`);
      }
    }
    for (const {metadata, spec} of await list(groups.leases)) {
      lines.push(`Lease ${metadata.name} at ${metadata.resourceVersion}: ${JSON.stringify({spec, annotations: metadata.annotations})}`);
    }
    for (const replica of agent.replicas()) {
      const {name, pid, ready, terminating, restarts, logFile} = replica;
      lines.push(`replica ${JSON.stringify({name, pid, ready, terminating, restarts})}:`);
      if (logFile !== undefined) lines.push(...readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lastLines));
    }
    return lines.join('\n');
  };
}
