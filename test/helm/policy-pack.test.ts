import {execFile} from 'node:child_process';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {promisify} from 'node:util';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {parseAllDocuments} from 'yaml';
import {blocksOf} from '../guide/doc-blocks.js';
import {readFileSync} from 'node:fs';
import {helm} from './programs.js';

const root = resolve(import.meta.dirname, '../..');
const chart = 'install/policies/pod-security';
const run = promisify(execFile);

interface Policy {
  readonly kind: string;
  readonly metadata: {readonly name: string};
  readonly spec: {
    readonly rules?: readonly {readonly exclude?: unknown; readonly validate: {readonly failureAction: string}}[];
    readonly validationActions?: readonly string[];
    readonly matchConstraints?: {readonly namespaceSelector?: unknown};
  };
}

let program = '';
let home = '';
beforeAll(async () => {
  [program, home] = await Promise.all([helm(), mkdtemp(join(tmpdir(), 'helm-pack-'))]);
});
afterAll(() => rm(home, {recursive: true, force: true}));

async function render(...sets: readonly string[]): Promise<readonly Policy[]> {
  const {stdout} = await run(program, ['template', 'pack', chart, ...sets.flatMap(set => ['--set', set])], {cwd: root, env: {...process.env, HOME: home}, maxBuffer: 1e8});
  return parseAllDocuments(stdout)
    .map(document => document.toJS() as Policy | null)
    .filter(object => object !== null);
}

function file(kind: string, name: string): Policy {
  const family = kind === 'ClusterPolicy' ? 'classic' : 'cel';
  const level = name.split('-')[2]!;
  return parseAllDocuments(readFileSync(join(root, chart, 'policies', family, level, `${name}.yaml`), 'utf8'))[0]!.toJS() as Policy;
}

describe('the chart of the policy pack', () => {
  it('passes helm lint --strict', async () => {
    const {stdout} = await run(program, ['lint', '--strict', chart], {cwd: root, env: {...process.env, HOME: home}});
    expect(stdout).toContain('0 chart(s) failed');
  });

  it.each(['classic', 'cel'])('is the files themselves, family %s', async family => {
    const policies = await render(`family=${family}`, 'level=restricted', 'excludeNamespaces=null');
    expect(policies).toHaveLength(18);
    for (const policy of policies) expect(policy).toEqual(file(policy.kind, policy.metadata.name));
  });

  it('has baseline alone, in audit, without kube-system by default', async () => {
    const policies = await render();
    expect(policies).toHaveLength(12);
    for (const {spec} of policies) expect(spec.rules).toMatchObject([{validate: {failureAction: 'Audit'}, exclude: {any: [{resources: {namespaces: ['kube-system']}}]}}]);
  });

  it('refuses when told to, and leaves controls out', async () => {
    const policies = await render('family=cel', 'action=Enforce', 'skip={host-path,seccomp}');
    expect(policies.map(({metadata}) => metadata.name)).not.toContain('pod-security-baseline-host-path');
    expect(policies).toHaveLength(10);
    for (const {spec} of policies) expect(spec).toMatchObject({validationActions: ['Deny'], matchConstraints: {namespaceSelector: {matchExpressions: [{operator: 'NotIn', values: ['kube-system']}]}}});
  });

  it('refuses values that it does not know', async () => {
    await expect(render('level=strict')).rejects.toThrow(/level/);
  });

  it('is rendered by the command on its page', async () => {
    const command = blocksOf(readFileSync(join(root, chart, 'README.md'), 'utf8')).find(({name}) => name === 'helm')!.text;
    const {stdout} = await run('bash', ['-euc', command.replace(/^helm /, `${program} `)], {cwd: root, env: {...process.env, HOME: home}, maxBuffer: 1e8});
    expect(stdout.match(/^kind: ValidatingPolicy$/gm)).toHaveLength(18);
  });
});
