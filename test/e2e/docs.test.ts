import {mkdir, symlink} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {docCommands} from '../guide/doc-blocks.js';
import {program, repository} from './support/build.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {createShell, type Shell} from './support/shell.js';

let operator: OperatorCluster;
let shell: Shell;

beforeAll(async () => {
  operator = await startOperatorCluster();
  shell = createShell(operator.cluster);
});
afterAll(() => operator?.stop());

/** A block of a page as it stands; the first command that fails ends it. */
async function run(page: string, name: string): Promise<string> {
  const {code, stdout, stderr} = await shell.run(`set -e\ncd ${repository}\n${docCommands(page, name)}`);
  expect(code, `${page}, ${name}\n${stderr}${stdout}`).toBe(0);
  return stdout;
}

/** What the API server answers to a Pod without labels. */
async function pod(name: string, namespace = 'default'): Promise<string> {
  const {stdout, stderr} = await shell.run(`kubectl run ${name} -n ${namespace} --image=nginx:1.29 --labels=x=y --dry-run=server`);
  return `${stdout}${stderr}`;
}

describe('docs/rollout.md', () => {
  it('reports first', async () => {
    expect((await shell.run('kubectl run web --image=nginx:1.29 --labels=x=y')).code).toBe(0);
    await run('rollout.md', 'audit');
    expect(await pod('more')).toContain('created');
    await eventually(async () => (await run('rollout.md', 'reports')).includes('default/web'), {what: 'the report of the Pod', timeoutMs: 120_000});
  });

  it('refuses in one namespace, then everywhere', async () => {
    await run('rollout.md', 'one namespace');
    await eventually(async () => (await pod('more', 'test')).includes('require-app-label'), {what: 'refusal in the namespace'});
    expect(await pod('more')).toContain('created');
    await run('rollout.md', 'enforce');
    await eventually(async () => (await pod('more')).includes('label app is required'), {what: 'refusal everywhere'});
    expect((await shell.run('kubectl get pod web')).code).toBe(0);
  });
});

describe('docs/exceptions.md', () => {
  it('frees what it names until it is deleted', async () => {
    expect(await run('exceptions.md', 'except')).toContain('legacy-web');
    await eventually(async () => (await pod('legacy-one')).includes('created'), {what: 'the exception in force'});
    expect(await pod('other')).toContain('label app is required');
    await run('exceptions.md', 'end');
    await eventually(async () => (await pod('legacy-one')).includes('label app is required'), {what: 'the rule back'});
  });
});

describe('docs/troubleshooting.md', () => {
  const page = 'troubleshooting.md';

  it('the log tells of the policy', async () => {
    expect(await run(page, 'log')).toContain('require-app-label');
  });

  it('shows where the webhook leads', async () => {
    const shown = await run(page, 'webhook');
    expect(shown).toContain('kyverno-webhook-cfg');
    expect(shown).toContain('kyverno-svc');
  });

  it('shows a policy and what it said of a Pod', async () => {
    expect(await run(page, 'policy')).toContain('require-app-label');
  });

  it('shows refusals', async () => {
    await shell.run('kubectl run refused --image=nginx:1.29 --labels=x=y');
    await eventually(async () => (await shell.run('kubectl get events -A')).stdout.includes('webhook denied'), {what: 'the Event of a refusal'});
    expect(await run(page, 'denied')).toContain('webhook denied');
  });

  it('shows timeouts and resources', async () => {
    expect(await run(page, 'timeout')).toContain('timeoutSeconds: 10');
  });

  it('shows work in the background and its limit', async () => {
    expect(await run(page, 'generate')).toMatch(/limit/i);
  });
});

describe('docs/migration.md', () => {
  it('reads policies without changing anything', async () => {
    await run('migration.md', 'policies');
  });
});

describe('the page of the policy pack', () => {
  it('installs by kustomize', async () => {
    const {code, stderr} = await shell.run(`cd ${repository} && kubectl apply --server-side -k install/policies/pod-security/policies/classic/baseline`);
    expect(code, stderr).toBe(0);
    await eventually(
      async () => {
        const {stdout} = await shell.run(`kubectl get clusterpolicies -l app.kubernetes.io/part-of=pod-security -o jsonpath='{.items[*].status.conditions[?(@.type=="Ready")].status}'`);
        return stdout.split(' ').length === 12 && !stdout.includes('False');
      },
      {what: 'twelve policies Ready', timeoutMs: 120_000},
    );
  });
});

describe('docs/takeover.md', () => {
  it('shows what is in charge', async () => {
    expect(await run('takeover.md', 'look')).toContain('kyverno-resource-validating-webhook-cfg');
  });
});

describe('docs/break-glass.md', () => {
  it('shows who is in the way, and frees the cluster', async () => {
    expect(await run('break-glass.md', 'messages')).toContain('require-app-label');
    expect(await run('break-glass.md', 'pods')).toContain('deployment.apps/kyverno');
    expect(await run('break-glass.md', 'managers')).toContain('manager: kyverno');
    await run('break-glass.md', 'stop');
    const bin = join(operator.cluster.dir, 'bin');
    await mkdir(bin, {recursive: true});
    await symlink(program, join(bin, 'kyverno'));
    const {code, stderr} = await shell.run(`set -e\ncd ${repository}\nPATH=${bin}:$PATH\n${docCommands('break-glass.md', 'free')}`);
    // The operator takes its webhooks along at its end; who comes second finds none.
    expect(code === 0 || stderr.includes('not found'), stderr).toBe(true);
    expect(await pod('anything')).toContain('created');
  });
});
