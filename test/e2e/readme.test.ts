import {spawn} from 'node:child_process';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {type Balancer, startBalancer} from '../cluster/balancer.js';
import {type Cluster, startCluster} from '../cluster/cluster.js';
import {eventually} from '../cluster/eventually.js';
import {type NodeAgent, startNodeAgent} from '../cluster/node-agent.js';
import {readmeBlocks, readmeCommands} from '../guide/readme-blocks.js';
import {ensureBuilt, program, repository} from './support/build.js';
import {createShell, type Shell, type ShellResult} from './support/shell.js';

let cluster: Cluster;
let shell: Shell;

/** Runs a block of the README as it stands; the first command that fails ends it. */
function block(name: string): Promise<ShellResult> {
  return shell.run(`set -e\ncd ${repository}\n${readmeCommands(name)}`);
}

async function succeeds(name: string): Promise<string> {
  const {code, stdout, stderr} = await block(name);
  expect(code, stderr).toBe(0);
  return stdout;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** The refusal that the README shows is the one that kubectl prints. */
async function refused(): Promise<void> {
  const shown = readmeBlocks().find(({text}) => text.startsWith('Error from server'))?.text ?? '';
  const {code, stderr} = await block('denied');
  expect(code).toBe(1);
  expect(oneLine(stderr)).toContain(oneLine(shown));
}

beforeAll(async () => {
  await ensureBuilt();
  cluster = await startCluster();
  shell = createShell(cluster);
});

afterAll(() => stopCluster());

/** At most once: the last suite needs port 443 and ends the cluster before. */
let stopping: Promise<void> | undefined;
function stopCluster(): Promise<void> {
  stopping ??= cluster === undefined ? Promise.resolve() : cluster.stop();
  return stopping;
}

describe('the README without an image', () => {
  it('runs the operator beside the cluster, and leaves no webhook behind', async () => {
    const command = `set -e\ncd ${repository}\n${readmeCommands('operator')} 2>&1`;
    await shell.watch(
      command,
      async () => {
        await eventually(async () => (await shell.run('kubectl get lease -n kyverno kyverno')).code === 0, {
          what: 'operator started',
          timeoutMs: 180_000,
        });
        await succeeds('first policy');
        await eventually(async () => (await block('denied')).code === 1, {what: 'refusal', everyMs: 500});
        await refused();
        await shell.run('kubectl delete clusterpolicy --all');
      },
      output => output.includes('ready: '),
    );
    await eventually(noWebhooks, {what: 'webhooks gone'});
    await shell.run('kubectl delete pod web --ignore-not-found --now');
  });
});

describe('the README in a cluster', () => {
  let balancer: Balancer;
  let agent: NodeAgent;

  beforeAll(async () => {
    // There is one port 443: a run beside ours has to end first.
    balancer = await eventually(() => startBalancer(), {what: 'port 443', timeoutMs: 600_000, everyMs: 1000});
    const images = {'kyverno-ts': [process.execPath, program]};
    agent = await startNodeAgent(cluster, {images, balancer, cwd: repository});
  });

  afterAll(async () => {
    await agent?.stop();
    await balancer?.stop();
  });

  it('installs by kubectl apply', async () => {
    await succeeds('install');
    expect(agent.replicas().filter(({ready}) => ready)).toHaveLength(2);
    // Without a network for Pods the Service leads to a balancer on loopback.
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {name: 'kyverno-svc', namespace: 'kyverno'},
      spec: {type: 'ExternalName', externalName: 'localhost'},
    };
    await cluster.kubectl(['replace', '--force', '-f', '-'], {input: JSON.stringify(service)});
    await eventually(() => balancer.backends.length === 2, {what: 'replicas behind the Service'});
  });

  it('has a first policy that is Ready, refuses what the README says, and lets the rest in', async () => {
    await succeeds('first policy');
    await eventually(async () => (await shell.run(`${readmeCommands('denied')} --dry-run=server`)).code === 1, {
      what: 'the policy in force',
    });
    await refused();
    expect(await succeeds('allowed')).toContain('pod/web created');
  });

  it('judges samples without storing them', async () => {
    const output = await succeeds('dry run');
    expect(output.trim().split('\n').length).toBeGreaterThan(5);
    for (const line of output.trim().split('\n')) expect(line).toMatch(/created \(server dry run\)$/);
    expect((await shell.run('kubectl get clusterpolicies -o name')).stdout.trim()).toBe(
      'clusterpolicy.kyverno.io/require-app-label',
    );
  });

  it('is freed by the last resort', async () => {
    const {code, stderr} = await block('break glass');
    // The operator takes its webhooks along at its end; who comes second finds none.
    expect(code === 0 || stderr.includes('not found'), stderr).toBe(true);
    await eventually(() => agent.replicas().length === 0, {what: 'no replica', timeoutMs: 120_000});
    expect(await noWebhooks()).toBe(true);
    expect((await shell.run('kubectl run free --image=nginx:1.29')).code).toBe(0);
  });
});

describe('npm run cluster', () => {
  it('leaves a control plane with the operator in it, and ends with Ctrl-C', async () => {
    await stopCluster();
    const child = spawn('bash', ['-c', readmeCommands('cluster')], {
      cwd: repository,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = new Promise(done => child.once('close', done));
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    try {
      await eventually(() => /Ctrl-C ends it all/.test(output), {
        what: 'control plane with operator',
        timeoutMs: 280_000,
        assertPossible() {
          if (child.exitCode !== null) throw new Error(output);
        },
      });
      const kubeconfig = /^export KUBECONFIG=(.+)$/m.exec(output)?.[1] ?? '';
      const kubectl = /^alias kubectl=(.+)$/m.exec(output)?.[1] ?? '';
      const play = (commands: string) =>
        shell.run(`kubectl() { ${kubectl} "$@"; }\nset -e\ncd ${repository}\n${commands}`, {
          KUBECONFIG: kubeconfig,
          HOME: join(repository, '.cache'),
        });
      expect(await play(readmeCommands('first policy'))).toMatchObject({code: 0});
      await eventually(async () => (await play(`${readmeCommands('denied')} --dry-run=server`)).code === 1, {
        what: 'refusal',
      });
    } finally {
      if (child.exitCode === null) process.kill(-child.pid!, 'SIGINT');
      await closed;
    }
  });
});

async function noWebhooks(): Promise<boolean> {
  const {stdout} = await shell.run(
    'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -l webhook.kyverno.io/managed-by=kyverno -o name',
  );
  return stdout.trim() === '';
}
