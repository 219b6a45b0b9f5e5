import {readdirSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {docCommands} from '../guide/doc-blocks.js';
import {repository} from './support/build.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {createShell, type Shell, type ShellResult} from './support/shell.js';

/** Every kustomization that people may sync, and what it needs beside itself. */
const layouts = [
  'samples/gitops/policies',
  'samples/gitops/argo-cd',
  'samples/gitops/argo-cd/apps',
  'samples/gitops/flux',
  'install/policies/pod-security/policies/classic/restricted',
  'install/policies/pod-security/policies/cel/baseline',
];

let operator: OperatorCluster;
let shell: Shell;

beforeAll(async () => {
  operator = await startOperatorCluster();
  shell = createShell(operator.cluster);
  await run(`kubectl apply --server-side -f ${join(repository, 'test/e2e/testdata/gitops/definitions.yaml')}`);
  await run('kubectl wait --for=condition=Established --timeout=60s crd/applications.argoproj.io crd/kustomizations.kustomize.toolkit.fluxcd.io crd/gitrepositories.source.toolkit.fluxcd.io');
  for (const name of ['argocd', 'flux-system']) await run(`kubectl create namespace ${name}`);
});
afterAll(() => operator?.stop());

async function run(commands: string): Promise<ShellResult> {
  const result = await shell.run(`set -e\ncd ${repository}\n${commands}`);
  expect(result.code, `${commands}\n${result.stderr}${result.stdout}`).toBe(0);
  return result;
}

async function allJudged(): Promise<void> {
  await eventually(
    async () => {
      const {stdout} = await shell.run(`kubectl get clusterpolicies,validatingpolicies -o jsonpath='{range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\\n"}{end}'`);
      const states = stdout.trim().split('\n');
      return states.length > 0 && states.every(state => state === 'True');
    },
    {what: 'every policy Ready', timeoutMs: 180_000},
  );
}

describe.each(layouts)('%s', layout => {
  it('kubectl diff finds nothing after server-side apply, and after the operator has judged', async () => {
    await eventually(async () => (await shell.run(`cd ${repository} && kubectl apply --server-side -k ${layout}`)).code === 0, {what: 'apply', timeoutMs: 120_000});
    await run(`kubectl diff --server-side -k ${layout}`);
    await allJudged();
    const {stdout} = await run(`kubectl diff --server-side -k ${layout}`);
    expect(stdout).toBe('');
  });

  it('a second manager applies the same without a conflict', async () => {
    const {stdout} = await run(`kubectl apply --server-side --field-manager=second-tool -k ${layout}`);
    expect(stdout).not.toContain('conflict');
    await run(`kubectl diff --server-side --field-manager=second-tool -k ${layout}`);
  });
});

describe('what policies make', () => {
  it('carries no mark by which a tool would prune it', async () => {
    await run(`kubectl apply -f - <<'E'
apiVersion: v1
kind: Namespace
metadata:
  name: apart
  labels: {isolated: "true", app.kubernetes.io/instance: platform, kustomize.toolkit.fluxcd.io/name: platform}
  annotations: {argocd.argoproj.io/tracking-id: "platform:/Namespace:apart"}
E`);
    await eventually(async () => (await shell.run('kubectl get networkpolicy -n apart deny-ingress')).code === 0, {what: 'the generated NetworkPolicy'});
    const {stdout} = await run('kubectl get networkpolicy -n apart deny-ingress -o json');
    expect(stdout).not.toMatch(/app\.kubernetes\.io\/instance|argocd\.argoproj\.io|toolkit\.fluxcd\.io/);
  });
});

describe('definitions', () => {
  it('stay as they were installed, whatever the operator did meanwhile', async () => {
    for (const name of readdirSync(join(repository, 'crds')).filter(file => file.endsWith('.yaml'))) {
      const text = await readFile(join(repository, 'crds', name), 'utf8');
      const managers = await run(`kubectl get -f ${join('crds', name)} --show-managed-fields -o jsonpath='{.metadata.managedFields[*].manager}'`);
      expect(text.length, name).toBeGreaterThan(0);
      expect(managers.stdout.split(' '), name).not.toContain('kyverno');
    }
  });
});

describe('docs/gitops.md', () => {
  it('has commands that do what it says', async () => {
    const {stdout} = await run(docCommands('gitops.md', 'no drift'));
    expect(stdout).toContain('serverside-applied');
  });
});

it('Argo CD prunes nothing by a hook, and nobody runs Jobs', async () => {
  for (const layout of layouts) {
    const {stdout} = await run(`kubectl kustomize ${layout}`);
    expect(stdout, layout).not.toMatch(/kind: (Job|CronJob)\b|argocd\.argoproj\.io\/hook|helm\.sh\/hook/);
  }
});
