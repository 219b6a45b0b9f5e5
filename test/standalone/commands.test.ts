import {spawnSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {beforeAll, describe, expect, it} from 'vitest';
import {parse} from 'yaml';
import {ensureBuilt} from '../e2e/support/build.js';
import {program} from './support/serve-process.js';

const folder = mkdtempSync(join(tmpdir(), 'commands-'));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function kyverno(words: readonly string[], input = '') {
  const {status, stdout, stderr} = spawnSync(process.execPath, [program, ...words], {encoding: 'utf8', input});
  return {status, stdout, stderr};
}

beforeAll(ensureBuilt);

describe('commands of the bundle', () => {
  const data = file('data.yaml', 'b: "<x>"\na: [1, 2]\n');
  const payload = file('payload.json', '[{"size": 1}, {"size": 9}]');
  const small = file(
    'small.yaml',
    'apiVersion: json.kyverno.io/v1alpha1\nkind: ValidatingPolicy\nmetadata: {name: small}\nspec:\n  rules:\n  - name: size\n    assert: {all: [{check: {(size < `5`): true}}]}\n',
  );

  const cases: readonly {
    title: string;
    words: readonly string[];
    input?: string;
    status: number;
    stdout?: string;
    stderr?: string | RegExp;
  }[] = [
    {
      title: 'jp query',
      words: ['jp', 'query', '-c', '-i', data, '@'],
      status: 0,
      stdout: '# @\n{"a":[1,2],"b":"\\u003cx\\u003e"}\n',
    },
    {
      title: 'jp query of a pipe',
      words: ['jp', 'query', '-u', 'a'],
      input: '{"a": "x"}',
      status: 0,
      stdout: 'Reading from terminal input.\nEnter input object and hit Ctrl+D.\n# a\nx\n',
    },
    {
      title: 'jp query of an unknown key',
      words: ['jp', 'query', '-i', data, 'x'],
      status: 1,
      stdout: '# x\n',
      stderr: 'Error: error evaluating JMESPath expression: Unknown key "x" in path\n',
    },
    {
      title: 'jp query of nothing',
      words: ['jp', 'query'],
      status: 1,
      stdout: '',
      stderr: 'Error: at least one query or input object is required\n',
    },
    {title: 'jp parse', words: ['jp', 'parse', 'a'], status: 0, stdout: '# a\nASTField {\n  value: "a"\n}\n'},
    {
      title: 'jp parse of bad syntax',
      words: ['jp', 'parse', 'a.'],
      status: 1,
      stdout: '',
      stderr: /^Error: SyntaxError: .*\na\.\n {2}\^\n$/,
    },
    {
      title: 'create without what it needs',
      words: ['create', 'exception', 'x'],
      status: 1,
      stdout: '',
      stderr: 'Error: required flag(s) "policy-rules" not set\n',
    },
    {
      title: 'docs without a folder',
      words: ['docs'],
      status: 1,
      stdout: '',
      stderr: 'Error: required flag(s) "output" not set\n',
    },
    {title: 'completion of no shell', words: ['completion', 'tcsh'], status: 1, stdout: ''},
    {
      title: 'migrate without a cluster',
      words: ['migrate', '--resource', 'a.b', '--kubeconfig', join(folder, 'none')],
      status: 1,
      stdout: '',
    },
    {
      title: 'json scan without a policy',
      words: ['json', 'scan', '--payload', payload],
      status: 1,
      stdout: '',
      stderr: 'Error: required flag(s) "policy" not set\n',
    },
  ];
  for (const {title, words, input, status, stdout, stderr} of cases) {
    it(`${title}: exit code ${status}`, () => {
      const result = kyverno(words, input);
      if (stdout !== undefined) expect(result.stdout).toBe(stdout);
      if (typeof stderr === 'string') expect(result.stderr).toBe(stderr);
      else if (stderr !== undefined) expect(result.stderr).toMatch(stderr);
      expect(result.status, result.stderr).toBe(status);
    });
  }

  it('json scan writes machine output and fails with its rules', () => {
    const {status, stdout} = kyverno(['json', 'scan', '--payload', payload, '--policy', small, '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject([
      {rule: 'size', result: 'pass'},
      {rule: 'size', result: 'fail'},
    ]);
    expect(status).toBe(1);
  });

  it('create writes YAML', () => {
    const {status, stdout} = kyverno(['create', 'user-info', '-u', 'jane', '-g', 'a,b']);
    expect(parse(stdout)).toMatchObject({kind: 'UserInfo', userInfo: {username: 'jane', groups: ['a', 'b']}});
    expect(status).toBe(0);
  });

  it('fix always ends well, and changes files only when asked', () => {
    const old =
      'apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n  validationFailureAction: audit # loud\n  rules: []\n';
    const path = file('old.yaml', old);
    const look = kyverno(['fix', 'policy', path]);
    expect(look).toMatchObject({status: 0, stderr: ''});
    expect(look.stdout).toMatch(/validationFailureAction is Audit\n[\s\S]*Done\.\n$/);
    expect(readFileSync(path, 'utf8')).toBe(old);
    expect(kyverno(['fix', 'policy', path, '--save']).status).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(old.replace('audit', 'Audit'));
  });

  it('docs writes a page for every command that help names', () => {
    const pages = join(folder, 'pages');
    expect(kyverno(['docs', '-o', pages, '--noDate']).status).toBe(0);
    const names = [...kyverno(['--help']).stdout.matchAll(/^ {2}([a-z][a-z-]*)\b/gm)]
      .map(match => match[1])
      .filter(name => name !== 'help');
    expect(names.length).toBeGreaterThan(8);
    for (const name of names) expect(readdirSync(pages)).toContain(`kyverno_${name}.md`);
  });
});
