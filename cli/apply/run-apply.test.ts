import {mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {parseYamlDocuments} from '../../engine/yaml/index.js';
import {messageOf} from '../files/file-error.js';
import {collectStreams} from '../output/testing/collected-streams.js';
import type {ApplyFlags} from './flags.js';
import {runApply} from './run-apply.js';

const testdata = resolve(import.meta.dirname, '..', '..', 'test', 'conformance', 'testdata');
const at = (path: string) => join(testdata, path);
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'apply-'));
});
afterAll(() => rm(folder, {recursive: true, force: true}));

async function apply(policies: readonly string[], flags: ApplyFlags) {
  const streams = collectStreams();
  try {
    return {exit: await runApply(policies, flags, {streams}), ...streams.written};
  } catch (error) {
    return {exit: 1, out: streams.written.out, err: `${streams.written.err}Error: ${messageOf(error)}`};
  }
}

const labels = {policy: at('labels/policy.yaml'), resources: [at('labels/.kyverno-test/resources.yaml')]};

describe('arguments that do not fit together', () => {
  it.each<[what: string, policies: readonly string[], flags: ApplyFlags, message: string]>([
    [
      'values twice',
      ['p'],
      {valuesFile: 'v', set: ['a=b'], resource: ['r']},
      'pass the values either using set flag or values_file flag',
    ],
    ['no policy', [], {resource: ['r']}, 'require policy'],
    ['stdin twice', ['-'], {resource: ['-']}, 'a stdin pipe can be used for either policies or resources, not both'],
    [
      'resources and payloads',
      ['p'],
      {resource: ['r'], json: ['j']},
      'both resource and json files can not be used together',
    ],
    ['nothing to judge', ['p'], {}, 'resource file(s) or cluster required'],
    [
      'CRDs and a kubeconfig',
      ['p'],
      {cluster: true, crdPaths: ['c'], kubeconfig: 'k'},
      'crd-paths and kubeconfig are mutually exclusive',
    ],
    ['no duration', ['p'], {resource: ['r'], generatedExceptionTtl: 'soon'}, 'invalid duration "soon"'],
    ['a missing resource file', [labels.policy], {resource: [at('absent.yaml')]}, 'no such file or directory'],
  ])('%s', async (_what, policies, flags, message) => {
    const {exit, err} = await apply(policies, flags);
    expect(exit).toBe(1);
    expect(err).toContain(message);
  });
});

describe('text output', () => {
  it('names what failed and counts', async () => {
    const {exit, out} = await apply([labels.policy], {resource: labels.resources});
    expect(out).toBe(
      '\nApplying 3 policy rule(s) to 4 resource(s)...\n' +
        'policy team-label -> resource default/Pod/nameless failed:\n' +
        '1 - has-team validation error: every Pod names its team. rule has-team failed at path /metadata/labels/\n' +
        '\npass: 2, fail: 1, warn: 0, error: 0, skip: 0 \n',
    );
    expect(exit).toBe(1);
  });

  it.each<[what: string, flags: ApplyFlags, exit: number, line: string]>([
    ['a failure that only audits can warn', {auditWarn: true}, 0, 'pass: 2, fail: 0, warn: 1, error: 0, skip: 0 '],
    ['warnings have their own exit status', {auditWarn: true, warnExitCode: 3}, 3, 'exit as warnExitCode is 3'],
    ['failures go before warnings', {warnExitCode: 3}, 1, 'fail: 1'],
  ])('%s', async (_what, flags, exit, line) => {
    const result = await apply([labels.policy], {resource: labels.resources, ...flags});
    expect(result.out).toContain(line);
    expect(result.exit).toBe(exit);
  });

  it('says so when nothing passed', async () => {
    const {exit, out} = await apply([at('targets/policy.yaml')], {
      resource: labels.resources,
      warnNoPass: true,
      warnExitCode: 4,
    });
    expect(out).toContain('exit as no objects satisfied policy');
    expect(exit).toBe(4);
  });

  it('a policy path that cannot be read is told and costs only itself', async () => {
    const {exit, out, err} = await apply([at('absent.yaml'), labels.policy], {
      resource: labels.resources,
      auditWarn: true,
    });
    expect(err).toContain('absent.yaml: no such file or directory');
    expect(out).toContain('Applying 3 policy rule(s)');
    expect(exit).toBe(0);
  });

  it('lists policies that are no valid ones and counts them as errors', async () => {
    const {exit, out} = await apply([at('wrong/invalid.yaml')], {resource: labels.resources});
    expect(out).toMatch(/Policies Skipped:\n1\. broken: .*unknown_function/);
    expect(out).toContain('pass: 0, fail: 0, warn: 0, error: 1, skip: 0 ');
    expect(exit).toBe(1);
  });

  it('kinds of policies that are not served are errors, never passes', async () => {
    const {exit, out} = await apply([at('wrong/cel.yaml')], {resource: labels.resources});
    expect(out).toContain('1 - signed evaluation mode "Elsewhere" is not served by this release');
    expect(out).toContain('pass: 0, fail: 0, warn: 0, error: 4, skip: 0 ');
    expect(exit).toBe(1);
  });

  it('values of the command line stand for what a cluster would answer', async () => {
    const flags = {resource: [at('values/resources.yaml')], set: ['settings.data.registries=good.example']};
    const {out} = await apply([at('values/policy.yaml')], flags);
    expect(out).toContain('pass: 2, fail: 1, warn: 0, error: 0, skip: 0 ');
  });

  it.each<[what: string, policies: readonly string[], flags: ApplyFlags]>([
    [
      'files',
      [at('exceptions/policy.yaml')],
      {resource: [at('exceptions/resources.yaml')], exception: [at('exceptions/exception.yaml')]},
    ],
    [
      'the resources',
      [at('exceptions/policy.yaml')],
      {resource: [at('exceptions/resources.yaml'), at('exceptions/exception.yaml')], exceptionsWithinResources: true},
    ],
    [
      'the policies',
      [at('exceptions/policy.yaml'), at('exceptions/exception.yaml')],
      {resource: [at('exceptions/resources.yaml')], exceptionsWithinPolicies: true},
    ],
  ])('exceptions come from %s', async (_what, policies, flags) => {
    const {out} = await apply(policies, flags);
    expect(out).toContain('with 1 exception(s)...');
    expect(out).toContain('pass: 0, fail: 1, warn: 0, error: 0, skip: 1 ');
  });
});

describe('clean-up policies', () => {
  const policy = (conditions: string) =>
    `apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: {name: old-pods}\nspec:\n  schedule: "0 0 * * *"\n  match: {any: [{resources: {kinds: [Pod]}}]}\n${conditions}`;

  it('tell what they would remove', async () => {
    const file = join(folder, 'cleanup.yaml');
    const conditions = '  conditions: {all: [{key: "{{ target.metadata.name }}", operator: Equals, value: agent}]}\n';
    await writeFile(file, policy(conditions));
    const {exit, out} = await apply([file], {resource: [at('exceptions/resources.yaml')]});
    expect(out).toContain(
      'policy old-pods -> resource default/Pod/guest failed:\n1 - old-pods resource did not match\n',
    );
    expect(out).toContain('pass: 1, fail: 1, warn: 0, error: 0, skip: 0 ');
    expect(exit).toBe(1);
  });

  it('that are no valid ones are left out', async () => {
    const file = join(folder, 'broken.yaml');
    await writeFile(file, policy('  conditions: {all: [{key: "{{ nothing( }}", operator: Equals, value: a}]}\n'));
    const {out} = await apply([file], {resource: [at('exceptions/resources.yaml')]});
    expect(out).toContain('Policies Skipped:\n1. old-pods: ');
  });
});

describe('objects that policies change or make', () => {
  it('are shown', async () => {
    const {out} = await apply([at('defaults/policy.yaml')], {resource: [at('defaults/resources.yaml')]});
    expect(out).toContain(
      'policy defaults applied to default/ConfigMap/plain:\napiVersion: v1\ndata:\n    a: "1"\nkind: ConfigMap\n',
    );
    expect(out).toContain('\n\nMutation:\nMutation has been applied successfully.');
    expect(out.match(/applied to/g)).toHaveLength(1);
  });

  it('stand alone on standard output with --stdin', async () => {
    const {out, err} = await apply([at('defaults/policy.yaml')], {
      resource: [at('defaults/resources.yaml')],
      stdin: true,
    });
    const documents = parseYamlDocuments(out);
    expect(documents.map(document => document.value)).toEqual([
      {
        apiVersion: 'v1',
        data: {a: '1'},
        kind: 'ConfigMap',
        metadata: {labels: {tier: 'standard'}, name: 'plain', namespace: 'default'},
      },
    ]);
    expect(err).toContain('pass: 2, fail: 1');
  });

  it('go to a file or a folder', async () => {
    const file = join(folder, 'deep', 'out.yaml');
    await apply([at('quota/policy.yaml')], {resource: [at('quota/resources.yaml')], output: file});
    expect(await readFile(file, 'utf8')).toContain('kind: ResourceQuota');
    const place = join(folder, 'objects');
    await apply([at('defaults/policy.yaml')], {resource: [at('defaults/resources.yaml')], output: place});
    await apply([at('quota/policy.yaml')], {resource: [at('quota/resources.yaml')], output: place});
    expect((await readdir(place)).sort()).toEqual(['plain-mutated.yaml', 'quota-generated.yaml']);
  });

  it('include existing objects', async () => {
    const {out} = await apply([at('targets/policy.yaml')], {
      resource: [at('targets/resources.yaml')],
      targetResource: [at('targets/secrets.yaml')],
    });
    expect(out).toContain('patched targets:\napiVersion: v1\nkind: Secret\n');
    expect(out).toContain('stamped: "yes"');
  });
});

describe('other outputs', () => {
  it('table', async () => {
    const {out} = await apply([labels.policy], {resource: labels.resources, table: true, detailedResults: true});
    expect(out).toContain('│ ID │ POLICY     │ RULE             │ RESOURCE             │ RESULT │ REASON │ MESSAGE');
    expect(out).toMatch(/│ 2 {2}│ team-label │ has-team {9}│ default\/Pod\/nameless │ Fail {3}│ {8}│ validation error/);
    expect(out).not.toContain('\u001b');
  });

  it.each(['json', 'yaml'])('reports as %s', async outputFormat => {
    const {out} = await apply([labels.policy], {
      resource: labels.resources,
      policyReport: true,
      outputFormat,
      auditWarn: true,
    });
    const [report, ...more] = parseYamlDocuments(out).map(document => document.value);
    expect(more).toEqual([]);
    expect(report).toMatchObject({
      apiVersion: 'openreports.io/v1alpha1',
      kind: 'ClusterReport',
      metadata: {name: 'merged'},
      summary: {pass: 2, fail: 0, warn: 1, error: 0, skip: 0},
    });
    expect(report).toHaveProperty('results.1.resources', [
      {apiVersion: 'v1', kind: 'Pod', name: 'nameless', namespace: 'default'},
    ]);
  });

  it('exceptions for what failed can be given back', async () => {
    const {out} = await apply([labels.policy], {resource: labels.resources, generateExceptions: true});
    const file = join(folder, 'exception.yaml');
    await writeFile(file, out);
    expect(out).toContain('cleanup.kyverno.io/ttl: 720h0m0s');
    const again = await apply([labels.policy], {resource: labels.resources, exception: [file]});
    expect(again.out).toContain('pass: 2, fail: 0, warn: 0, error: 0, skip: 1 ');
  });

  it('exceptions from pod security free exactly the controls that failed', async () => {
    const policy = join(folder, 'pod-security.yaml');
    const pod = join(folder, 'pod.yaml');
    await writeFile(
      policy,
      'apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: psa}\nspec:\n  rules:\n  - name: baseline\n    match: {any: [{resources: {kinds: [Pod]}}]}\n    validate: {failureAction: Enforce, podSecurity: {level: baseline, version: latest}}\n',
    );
    await writeFile(
      pod,
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {hostNetwork: true, containers: [{name: c, image: "example.org:5000/x:1", securityContext: {privileged: true}}]}\n',
    );
    const {out} = await apply([policy], {resource: [pod], generateExceptions: true});
    expect(parseYamlDocuments(out)[0]?.value).toMatchObject({
      spec: {
        podSecurity: expect.arrayContaining([
          {controlName: 'Host Namespaces'},
          {controlName: 'Privileged Containers', images: ['example.org:5000/x*']},
        ]),
      },
    });
    const file = join(folder, 'pod-security-exception.yaml');
    await writeFile(file, out);
    expect((await apply([policy], {resource: [pod], exception: [file]})).out).toContain(
      'fail: 0, warn: 0, error: 0, skip: ',
    );
  });

  it('SARIF points at files and rules', async () => {
    const {out} = await apply([labels.policy], {resource: labels.resources, outputFormat: 'sarif'});
    const {runs, version} = JSON.parse(out);
    expect(version).toBe('2.1.0');
    expect(runs[0].tool.driver.rules.map((rule: {id: string}) => rule.id)).toEqual([
      'team-label/has-team',
      'team-label/autogen-has-team',
    ]);
    expect(runs[0].results.map((result: {level: string}) => result.level)).toEqual(['none', 'error', 'none']);
    expect(runs[0].results[1].locations[0].physicalLocation.region.startLine).toBe(9);
  });

  it('JUnit counts', async () => {
    const {out} = await apply([labels.policy], {resource: labels.resources, outputFormat: 'junit'});
    expect(out).toContain('<testsuites tests="3" failures="1" errors="0">');
  });
});
