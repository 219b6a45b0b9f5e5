import {writeFile} from 'node:fs/promises';
import {request as httpsRequest} from 'node:https';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {type Balancer, startBalancer} from '../cluster/balancer.js';
import {type Cluster, startCluster} from '../cluster/cluster.js';
import {eventually} from '../cluster/eventually.js';
import {resolveMinor} from '../cluster/minors.js';
import {type NodeAgent, type Replica, startNodeAgent} from '../cluster/node-agent.js';

const script = join(import.meta.dirname, '../cluster/testdata/replica.mjs');
const podsPath = '/api/v1/namespaces/kyverno/pods';
let cluster: Cluster;
let balancer: Balancer;
let agent: NodeAgent;

beforeAll(async () => {
  const begun = performance.now();
  cluster = await startCluster({auditLog: true});
  console.log(`control plane ${cluster.version} ready after ${((performance.now() - begun) / 1000).toFixed(1)} s`);
  balancer = await startBalancer();
  agent = await startNodeAgent(cluster, {balancer});
});

afterAll(async () => {
  await agent?.stop();
  await balancer?.stop();
  await cluster?.stop();
});

describe('the control plane for tests', () => {
  it('tells its true version', async () => {
    const {stdout} = await cluster.kubectl(['version', '-o', 'json']);
    const {clientVersion, serverVersion} = JSON.parse(stdout);
    const pinned = resolveMinor();
    const [major, minor] = pinned.version.split('.');
    for (const version of [clientVersion, serverVersion]) {
      expect(version).toMatchObject({major, minor, gitVersion: `v${pinned.version}`});
    }
  });

  it('gives a new namespace its ServiceAccount and root certificate', async () => {
    await cluster.kubectl(['create', 'namespace', 'fresh']);
    for (const path of ['serviceaccounts/default', 'configmaps/kube-root-ca.crt']) {
      await found(`/api/v1/namespaces/fresh/${path}`);
    }
    await cluster.kubectl(['delete', 'namespace', 'fresh', '--timeout=60s']);
  });

  it('leaves Pods of other namespaces pending', async () => {
    await cluster.kubectl(['run', 'idle', '--image=example/idle', '-n', 'default']);
    const {body} = await cluster.request<{status: {phase: string}}>('GET', '/api/v1/namespaces/default/pods/idle');
    expect(body.status.phase).toBe('Pending');
  });

  it('lets role bindings decide what a certificate may do', async () => {
    const {status} = await cluster.request('GET', '/api/v1/namespaces', undefined, {
      headers: {'Impersonate-User': 'nobody', 'Impersonate-Group': 'system:authenticated'},
    });
    expect(status).toBe(403);
  });
});

describe('the node agent', () => {
  beforeAll(async () => {
    const {certificate, key} = cluster.authority.issue({
      commonName: 'replica',
      hosts: ['localhost', '127.0.0.1', 'kyverno-svc.kyverno.svc'],
    });
    await writeFile(join(cluster.dir, 'replica.crt'), certificate);
    await writeFile(join(cluster.dir, 'replica.key'), key);
    await cluster.kubectl(['create', 'namespace', 'kyverno']);
    await cluster.kubectl(['apply', '-f', '-'], {input: JSON.stringify(deployment())});
    await cluster.kubectl(['rollout', 'status', 'deployment/replica', '-n', 'kyverno', '--timeout=60s']);
  });

  it('runs the container of a Deployment and reports it running and ready', async () => {
    expect(agent.replicas()).toHaveLength(2);
    const name = agent.replicas()[0]!.name;
    const {body} = await cluster.request<PodBody>('GET', `${podsPath}/${name}`);
    expect(body.status).toMatchObject({
      phase: 'Running',
      podIP: '127.0.0.1',
      containerStatuses: [{name: 'replica', ready: true, started: true, restartCount: 0, state: {running: {}}}],
    });
    expect(body.status.conditions).toContainEqual(expect.objectContaining({type: 'Ready', status: 'True'}));
  });

  it('hands the container a token of its own ServiceAccount', async () => {
    const token = await get(agent.replicas()[0]!.webhookPort, '/token');
    const review = {apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: {token: token.text}};
    const {body} = await cluster.request('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review);
    expect(body).toMatchObject({
      status: {authenticated: true, user: {username: 'system:serviceaccount:kyverno:default'}},
    });
  });

  it('serves logs, their tail, and follows them', async () => {
    const {name} = agent.replicas()[0]!;
    const logs = async (...args: string[]) => (await cluster.kubectl(['logs', '-n', 'kyverno', name, ...args])).stdout;
    expect(await logs()).toMatch(new RegExp(`^${name} listens ${name} from args\n`));
    await eventually(async () => (await logs()).includes('beat 3\n'), {what: 'third beat'});
    const tail = (await logs('--tail=2')).trimEnd().split('\n');
    // What comes while they are read is served, too.
    expect(tail.length).toBeGreaterThanOrEqual(2);
    expect(tail[0]).not.toContain('listens');
    const stop = new AbortController();
    const followed = cluster.kubectl(['logs', '-n', 'kyverno', name, '-f', '--tail=1'], {signal: stop.signal});
    const seen = (await logs()).trimEnd().split('\n').length;
    await eventually(async () => (await logs()).trimEnd().split('\n').length > seen + 10, {what: 'more beats'});
    stop.abort();
    expect((await followed).stdout.trimEnd().split('\n').length).toBeGreaterThan(3);
  });

  it('is reached by the API server through a Service of type ExternalName', async () => {
    await cluster.kubectl(['apply', '-f', '-'], {
      input: JSON.stringify({apiVersion: 'v1', kind: 'List', items: webhook()}),
    });
    const refused = await eventually(
      async () => {
        const result = await cluster.kubectl(['create', 'configmap', 'refused', '--dry-run=server'], {
          allowFailure: true,
        });
        return result.code !== 0 && result.stderr;
      },
      {what: 'webhook called'},
    );
    expect(refused).toMatch(/denied the request: refused by replica-/);
    await cluster.kubectl(['delete', 'validatingwebhookconfiguration', 'replica']);
  });

  it('spreads connections on port 443 over the ready replicas and keeps open ones where they are', async () => {
    const names = agent.replicas().map(({name}) => name);
    const answers = new Set<string>();
    for (let index = 0; index < 4; index++) answers.add((await get(443, '/')).text);
    expect([...answers].sort()).toEqual([...names].sort());

    const [first, second] = agent.replicas() as [Replica, Replica];
    await get(first.webhookPort, '/unready');
    await eventually(() => balancer.backends.length === 1, {what: 'unready replica out'});
    for (let index = 0; index < 4; index++) expect((await get(443, '/')).text).toBe(second.name);
    const {body} = await cluster.request<PodBody>('GET', `${podsPath}/${first.name}`);
    expect(body.status.conditions).toContainEqual(expect.objectContaining({type: 'Ready', status: 'False'}));
  });

  it('starts a container again that ended, and keeps the log of the one before', async () => {
    const [, second] = agent.replicas() as [Replica, Replica];
    await get(second.webhookPort, '/crash').catch(() => undefined);
    const again = await eventually(
      () => agent.replicas().find(({name, restarts, ready}) => name === second.name && restarts === 1 && ready),
      {what: 'restart'},
    );
    expect(again.pid).not.toBe(second.pid);
    const status = await eventually(
      async () => {
        const {body} = await cluster.request<PodBody>('GET', `${podsPath}/${second.name}`);
        return body.status.containerStatuses[0]?.restartCount === 1 && body.status.containerStatuses[0];
      },
      {what: 'restart reported'},
    );
    expect(status).toMatchObject({lastState: {terminated: {exitCode: 3, reason: 'Error'}}});
    const {stdout} = await cluster.kubectl(['logs', '-n', 'kyverno', second.name, '--previous']);
    expect(stdout).toContain('listens');
  });

  it('keeps data and replicas over an API server that is away', async () => {
    const before = agent.replicas().map(({pid}) => pid);
    await cluster.stopApiServer({kill: true});
    expect((await get(443, '/')).status).toBe(200);
    await cluster.startApiServer();
    await cluster.kubectl(['get', 'deployment/replica', '-n', 'kyverno']);
    expect(agent.replicas().map(({pid}) => pid)).toEqual(before);
  });

  it('answers again after a frozen API server is let go', async () => {
    cluster.pauseApiServer();
    const answer = cluster.request('GET', '/readyz');
    cluster.resumeApiServer();
    expect((await answer).status).toBe(200);
  });

  it('ends replicas with SIGTERM when they are deleted', async () => {
    const replicas = agent.replicas();
    await cluster.kubectl(['scale', 'deployment/replica', '-n', 'kyverno', '--replicas=0']);
    await eventually(() => agent.replicas().length === 0, {what: 'replicas gone'});
    expect(balancer.backends).toEqual([]);
    await expect(get(443, '/')).rejects.toThrow();
    for (const {pid} of replicas) expect(() => process.kill(pid!, 0)).toThrow('ESRCH');
    const {body} = await cluster.request<{items: unknown[]}>('GET', podsPath);
    expect(body.items).toEqual([]);
  });
});

interface PodBody {
  readonly status: {
    readonly phase: string;
    readonly conditions: readonly {readonly type: string; readonly status: string}[];
    readonly containerStatuses: readonly {readonly restartCount: number}[];
  };
}

async function found(path: string): Promise<void> {
  await eventually(async () => (await cluster.request('GET', path)).status === 200, {what: path});
}

function get(port: number, path: string): Promise<{readonly status: number | undefined; readonly text: string}> {
  return new Promise((resolve, reject) => {
    const options = {host: 'localhost', port, path, ca: cluster.ca, agent: false};
    const request = httpsRequest(options, response => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({status: response.statusCode, text}));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end();
  });
}

function deployment(): object {
  const labels = {app: 'replica'};
  const probe = (path: string) => ({httpGet: {path, port: 'https', scheme: 'HTTPS'}, periodSeconds: 1});
  const container = {
    name: 'replica',
    image: 'example/replica:1',
    command: [process.execPath, script],
    args: ['$(POD_NAME)', 'from', 'args'],
    env: [
      {name: 'POD_NAME', valueFrom: {fieldRef: {fieldPath: 'metadata.name'}}},
      {name: 'CERTIFICATE', value: join(cluster.dir, 'replica.crt')},
      {name: 'KEY', value: join(cluster.dir, 'replica.key')},
    ],
    ports: [{name: 'https', containerPort: 9443}],
    startupProbe: {...probe('/live'), failureThreshold: 30},
    livenessProbe: probe('/live'),
    readinessProbe: {...probe('/ready'), failureThreshold: 1},
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {name: 'replica', namespace: 'kyverno'},
    spec: {
      replicas: 2,
      selector: {matchLabels: labels},
      template: {metadata: {labels}, spec: {containers: [container], terminationGracePeriodSeconds: 5}},
    },
  };
}

function webhook(): object[] {
  const service = {namespace: 'kyverno', name: 'kyverno-svc', path: '/admit'};
  const rule = {apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE']};
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {name: 'kyverno-svc', namespace: 'kyverno'},
      spec: {type: 'ExternalName', externalName: 'localhost'},
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: {name: 'replica'},
      webhooks: [
        {
          name: 'replica.example.com',
          clientConfig: {service, caBundle: Buffer.from(cluster.ca).toString('base64')},
          rules: [rule],
          namespaceSelector: {matchLabels: {'kubernetes.io/metadata.name': 'default'}},
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    },
  ];
}
