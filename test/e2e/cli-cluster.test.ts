import {execFile} from 'node:child_process';
import {mkdir, symlink, writeFile} from 'node:fs/promises';
import {dirname, join} from 'node:path';
import {promisify} from 'node:util';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import packageJson from '../../package.json' with {type: 'json'};
import {type Cluster, startCluster} from '../cluster/cluster.js';
import {cliExample} from '../guide/cli-examples.js';
import {ensureBuilt, program, repository} from './support/build.js';

let cluster: Cluster;
let bin: string;

interface Answer {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A shell with the cluster's kubectl, and the bundle by both names of package.json, on PATH. */
async function shell(command: string): Promise<Answer> {
  const env = {
    PATH: `${bin}:${dirname(cluster.programs.kubectl)}:${process.env['PATH']}`,
    HOME: join(cluster.dir, 'home'),
    KUBECONFIG: cluster.kubeconfig,
  };
  return promisify(execFile)('bash', ['-c', command], {cwd: repository, env}).then(
    ({stdout, stderr}) => ({exit: 0, stdout, stderr}),
    ({code, stdout, stderr}) => ({exit: code, stdout, stderr}),
  );
}

const policies = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: owned}
spec:
  rules:
    - name: has-owner
      match: {any: [{resources: {kinds: [ConfigMap, Namespace], selector: {matchLabels: {tried: "yes"}}}}]}
      validate:
        failureAction: Enforce
        message: every object names its owner
        pattern: {metadata: {labels: {owner: "?*"}}}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: strict-shops}
spec:
  rules:
    - name: no-plain-secrets
      match: {any: [{resources: {kinds: [Secret], namespaceSelector: {matchLabels: {strict: "yes"}}}}]}
      context:
        - {name: rules, configMap: {name: rules, namespace: shop}}
      validate:
        failureAction: Enforce
        message: "secrets are of type {{ rules.data.type }}"
        deny: {conditions: {any: [{key: "{{ request.object.type }}", operator: NotEquals, value: "{{ rules.data.type }}"}]}}
`;

const objects = `apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {strict: "yes", tried: "yes"}}
---
apiVersion: v1
kind: Namespace
metadata: {name: lab, labels: {tried: "yes", owner: ann}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: rules, namespace: shop, labels: {tried: "yes", owner: ann}}
data: {type: example.com/sealed}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: stray, namespace: shop, labels: {tried: "yes"}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: stray, namespace: lab, labels: {tried: "yes"}}
---
apiVersion: v1
kind: Secret
metadata: {name: plain, namespace: shop}
---
apiVersion: v1
kind: Secret
metadata: {name: sealed, namespace: shop}
type: example.com/sealed
---
apiVersion: v1
kind: Secret
metadata: {name: plain, namespace: lab}
`;

/** May read ConfigMaps and Namespaces everywhere, and nothing else. */
const reader = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: reader}
rules:
  - {apiGroups: [""], resources: [configmaps, namespaces], verbs: [get, list]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: reader}
subjects: [{kind: ServiceAccount, name: reader, namespace: lab}]
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: reader, namespace: lab}
`;

const file = (name: string) => join(cluster.dir, name);

/** `kyverno apply` of the policies with a report: one line for each result, sorted. */
async function apply(flags: string): Promise<Answer & {readonly lines: readonly string[]}> {
  const answer = await shell(`kyverno apply ${file('policies.yaml')} --cluster -p --output-format json ${flags}`);
  const reports = answer.stdout
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line));
  const lines = reports.flatMap(report =>
    report.results.map(
      ({rule, result, resources: [{kind, namespace = '', name}]}: ReportResult) =>
        `${rule} ${result} ${kind} ${namespace}/${name}`,
    ),
  );
  return {...answer, lines: lines.sort()};
}

interface ReportResult {
  readonly rule: string;
  readonly result: string;
  readonly resources: readonly [{readonly kind: string; readonly namespace?: string; readonly name: string}];
}

beforeAll(async () => {
  await ensureBuilt();
  cluster = await startCluster();
  bin = file('bin');
  await mkdir(bin);
  for (const name of Object.keys(packageJson.bin)) await symlink(program, join(bin, name));
  await writeFile(file('policies.yaml'), policies);
  await cluster.kubectl(['apply', '-f', '-'], {input: objects});
  await cluster.kubectl(['apply', '-f', '-'], {input: reader});
});

afterAll(() => cluster?.stop());

const inShop = [
  'has-owner fail ConfigMap shop/stray',
  'has-owner fail Namespace /shop',
  'has-owner pass ConfigMap shop/rules',
  'no-plain-secrets fail Secret shop/plain',
  'no-plain-secrets pass Secret shop/sealed',
];
const inLab = ['has-owner fail ConfigMap lab/stray', 'has-owner pass Namespace /lab'];

describe('kyverno apply --cluster', () => {
  it('judges the live objects, by what the cluster tells of namespaces and ConfigMaps', async () => {
    const {exit, lines, stdout} = await apply('');
    expect(lines).toEqual([...inLab, ...inShop].sort());
    expect(stdout).toContain('secrets are of type example.com/sealed');
    expect(exit).toBe(1);
  });

  it.each<[flags: string, lines: readonly string[]]>([
    ['--namespace shop', inShop],
    ['--namespace lab', inLab],
    ['--concurrent 4 --batch-size 1', [...inLab, ...inShop].sort()],
    ['--cluster-wide-resources', ['has-owner fail Namespace /shop', 'has-owner pass Namespace /lab']],
    ['--resource sealed', ['no-plain-secrets pass Secret shop/sealed']],
    [
      '--resource stray,rules --namespace shop',
      ['has-owner fail ConfigMap shop/stray', 'has-owner pass ConfigMap shop/rules'],
    ],
  ])('%s chooses among them', async (flags, lines) => {
    const answer = await apply(flags);
    expect(answer.lines).toEqual(lines);
    expect(answer.exit, answer.stderr).toBe(lines.some(line => line.includes(' fail ')) ? 1 : 0);
  });

  it('says which name no object has', async () => {
    const {exit, stderr} = await apply('--resource nobody');
    expect(stderr).toContain('nobody: no such object in the cluster');
    expect(exit).toBe(1);
  });

  it('goes on with the other kinds when one may not be read, and ends when it is told to', async () => {
    const {stdout: token} = await cluster.kubectl(['create', 'token', 'reader', '-n', 'lab']);
    const config = file('reader.kubeconfig');
    const set = `kubectl config --kubeconfig ${config}`;
    await shell(
      `cp ${cluster.kubeconfig} ${config} && ${set} set-credentials reader --token=${token.trim()} &&
       ${set} set-context reader --cluster="$(${set} view -o jsonpath='{.clusters[0].name}')" --user=reader`,
    );
    const {exit, lines, stderr} = await apply(`--kubeconfig ${config} --context reader`);
    expect(lines).toEqual([...inLab, ...inShop].filter(line => line.startsWith('has-owner')).sort());
    expect(stderr).toMatch(/Warning: failed to list secrets: .*forbidden/);
    expect(exit).toBe(1);
    const ended = await apply(`--kubeconfig ${config} --context reader --no-continue-on-error`);
    expect(ended).toMatchObject({exit: 1, lines: []});
    expect(ended.stderr).toMatch(/^Error: .*forbidden/m);
  });

  it('says what cannot be reached', async () => {
    const {exit, stderr} = await apply(`--kubeconfig ${file('none')}`);
    expect(stderr).toContain('Error: failed to connect to the cluster');
    expect(exit).toBe(1);
  });
});

describe('the command on PATH', () => {
  it('is a plug-in of kubectl', async () => {
    const [plugin, plain] = [await shell('kubectl kyverno version'), await shell('kyverno version')];
    expect(plugin).toEqual(plain);
    expect(plugin).toMatchObject({exit: 0, stderr: ''});
    expect(plugin.stdout).toMatch(new RegExp(`^Version: ${packageJson.version}\\nTime: .+\\nGit commit ID: .+\\n$`));
    expect((await shell('kubectl plugin list')).stdout).toContain('kubectl-kyverno');
  });

  it('runs by npx from the clone', async () => {
    expect(await shell('npx --no kyverno version')).toMatchObject({
      exit: 0,
      stdout: (await shell('kyverno version')).stdout,
    });
  });

  it('takes what kubectl kustomize writes, as docs/cli.md shows', async () => {
    const {exit, stdout, stderr} = await shell(cliExample('kustomize').command);
    expect(stdout, stderr).toContain('pass: 1, fail: 1, warn: 0, error: 0, skip: 0');
    expect(exit).toBe(1);
  });
});
