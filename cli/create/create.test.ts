import {mkdtempSync, readFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Command} from 'commander';
import {describe, expect, it, vi} from 'vitest';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {loadException} from '../../engine/policy/index.js';
import {parseYaml} from '../../engine/yaml/index.js';
import type {JsonObject} from '../../engine/json/types.js';
import {registerCreate} from '../commands/create.js';
import {checkTest, decodeTest, isDeprecatedTest} from '../files/test-file.js';
import {decodeUserInfo} from '../files/user-info-file.js';
import {decodeValues} from '../files/values-file.js';

async function create(...words: readonly string[]): Promise<JsonObject> {
  const program = new Command('kyverno').exitOverride();
  registerCreate(program);
  const write = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  try {
    await program.parseAsync(['create', ...words], {from: 'user'});
    return parseYaml(write.mock.calls.map(call => String(call[0])).join('')) as JsonObject;
  } finally {
    write.mockRestore();
  }
}

describe('create', () => {
  it('writes a test file that the test command reads', async () => {
    const file = await create(
      'test',
      '-n',
      'mine',
      '-p',
      'a.yaml,b.yaml',
      '-r',
      'r.yaml',
      '-f',
      'v.yaml',
      '--pass',
      'p,r,web,team,Pod',
      '--fail',
      'p,r,job,,Job,patched.yaml',
    );
    const spec = decodeTest(file);
    checkTest(spec);
    expect(isDeprecatedTest(spec)).toBe(false);
    expect(spec).toMatchObject({
      metadata: {name: 'mine'},
      policies: ['a.yaml', 'b.yaml'],
      resources: ['r.yaml'],
      variables: 'v.yaml',
      results: [
        {policy: 'p', rule: 'r', resources: ['team/web'], kind: 'Pod', result: 'pass'},
        {policy: 'p', rule: 'r', resources: ['job'], kind: 'Job', patchedResources: 'patched.yaml', result: 'fail'},
      ],
    });
  });

  it('writes a values file that commands read', async () => {
    const file = await create(
      'values',
      '-g',
      'request.mode=dev',
      '-n',
      'prod,env=prod,tier=1',
      '--rule',
      'p,r,env=a=b',
      '--rule',
      'p,s,x=1',
      '--resource',
      'p,web,y=yes',
    );
    expect(decodeValues(file)).toEqual({
      globalValues: {'request.mode': 'dev'},
      policies: [
        {
          name: 'p',
          rules: [
            {name: 'r', values: {env: 'a=b'}},
            {name: 's', values: {x: '1'}},
          ],
          resources: [{name: 'web', values: {y: 'yes'}}],
        },
      ],
      namespaceSelector: [{name: 'prod', labels: {env: 'prod', tier: '1'}}],
    });
  });

  it('writes a user file that commands read', async () => {
    const file = await create(
      'user-info',
      '-u',
      'molybdenum@somecorp.com',
      '-r',
      'basic:reader',
      '-c',
      'admin',
      '-g',
      'g1',
      '-g',
      'g2',
    );
    expect(decodeUserInfo(file)).toEqual({
      deprecated: false,
      user: {
        username: 'molybdenum@somecorp.com',
        groups: ['g1', 'g2'],
        roles: ['basic:reader'],
        clusterRoles: ['admin'],
      },
    });
  });

  it('writes an exception that loads', async () => {
    const file = await create(
      'exception',
      'mine',
      '--namespace',
      'team',
      '-b=false',
      '--policy-rules',
      'p,r1,r2',
      '--any',
      'kind=Pod,kind=Deployment,name=web*,operation=CREATE',
    );
    expect(loadException(file).errors).toEqual([]);
    expect(file).toMatchObject({
      apiVersion: 'kyverno.io/v2',
      metadata: {name: 'mine', namespace: 'team'},
      spec: {
        background: false,
        match: {any: [{resources: {kinds: ['Pod', 'Deployment'], names: ['web*'], operations: ['CREATE']}}]},
        exceptions: [{policyName: 'p', ruleNames: ['r1', 'r2']}],
      },
    });
  });

  it('writes a metrics configuration', async () => {
    const {data} = (await create('metrics-config', '-i', 'a,b', '-e', 'c')) as {data: JsonObject};
    expect(JSON.parse(String(data['namespaces']))).toEqual({include: ['a', 'b'], exclude: ['c']});
  });

  it('writes a role with one list item for each resource', async () => {
    expect(
      await create(
        'cluster-role',
        'deploys',
        '-g',
        'apps',
        '--resources',
        'deployments,statefulsets',
        '--verbs',
        'all',
      ),
    ).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: {
        name: 'kyverno-deploys-permission',
        labels: {'rbac.kyverno.io/aggregate-to-background-controller': 'true'},
      },
      rules: [
        {
          apiGroups: ['apps'],
          resources: ['deployments', 'statefulsets'],
          verbs: ['create', 'get', 'update', 'delete', 'list', 'watch'],
        },
      ],
    });
    expect(builtinResourceMap.find('Deployment')[0]?.group).toBe('apps');
  });

  it('writes to a file', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'create-')), 'user.yaml');
    await create('user-info', '-u', 'jane', '-o', path);
    expect(readFileSync(path, 'utf8')).toContain('username: jane\n');
  });

  const faults: readonly [string, readonly string[], string][] = [
    ['an expectation with too few fields', ['test', '--pass', 'p,r'], '--pass: "p,r" is not of the form'],
    ['a value without a key', ['values', '-g', 'x'], 'key=value'],
    ['a rule without values', ['values', '--rule', 'p,r'], 'policy,rule,key=value'],
    ['an exception without rules', ['exception', 'x'], 'required flag(s) "policy-rules" not set'],
    ['a policy without rules', ['exception', 'x', '--policy-rules', 'p'], 'policy,rule'],
    ['an unknown filter', ['exception', 'x', '--policy-rules', 'p,r', '--any', 'label=x'], '"label" is none of'],
    ['a role without rights', ['cluster-role', 'x'], 'required flag(s) "api-groups", "resources", "verbs" not set'],
    ['a folder that is not there', ['user-info', '-o', '/no/such/folder/x.yaml'], 'no such file or directory'],
  ];
  for (const [title, words, message] of faults) {
    it(`refuses ${title}`, () => expect(create(...words)).rejects.toThrow(message));
  }
});
