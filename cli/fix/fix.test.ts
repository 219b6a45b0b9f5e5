import {mkdirSync, mkdtempSync, readFileSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import type {JsonObject} from '../../engine/json/types.js';
import {loadClassicPolicy} from '../../engine/policy/index.js';
import {parseYamlDocuments} from '../../engine/yaml/index.js';
import type {Streams} from '../output/streams.js';
import {editDocuments} from './edit-documents.js';
import {fixPolicy} from './fix-policy.js';
import {fixTest} from './fix-test.js';
import {fixPolicies, fixTests} from './run-fix.js';

const policies = `# the first comment
apiVersion: v1
kind: ConfigMap
metadata: {name:   odd,  labels: { a: "b" }}   # stays to the letter
---
# about the policy
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: p # its name
  uid: abc
spec:
  validationFailureAction: enforce # loud
  rules:
  - name: first
    # what it is for
    match:
      resources:
        kinds:
        - Pod
      subjects:
      - kind: User
        name: jane
    preconditions:
    # one of them
    - key: "{{ request.operation }}"
      operator: In
      value: [CREATE, UPDATE]
    validate:
      message: |
        two
        lines
      deny:
        conditions:
          any:
          - {key: a, operator: NotEqual, value: b}
  - name: second
    match: {any: [{resources: {kinds: [Pod]}}]}
    exclude: {}
    validate:
      foreach:
      - list: request.object.spec.containers
        deny: {conditions: {all: [{key: a, operator: NotIn, value: [yes, 0777]}]}}
status: {ready: true}
---
apiVersion: v1
kind: Pod
metadata: {name: untouched}
`;

describe('fix policy', () => {
  const {text, changes} = editDocuments(policies, fixPolicy);

  it('tells what it changes', () => {
    expect(changes).toEqual([
      'spec.validationFailureAction is Enforce',
      'spec.rules[0].match: the filter stands under any',
      'spec.rules[0].preconditions: the list stands under all',
      'spec.rules[0].preconditions.all[0].operator is AllIn',
      'spec.rules[0].validate.deny.conditions.any[0].operator is NotEquals',
      'spec.rules[1].validate.foreach[0].deny.conditions.all[0].operator is AnyNotIn',
      'status is gone',
      'metadata.uid is gone',
      'spec.rules[1].exclude is gone',
    ]);
  });

  it('makes the current form', () => {
    const policy = parseYamlDocuments(text)[1]!.value as JsonObject;
    expect(policy).toMatchObject({
      metadata: {name: 'p'},
      spec: {
        validationFailureAction: 'Enforce',
        rules: [
          {
            match: {any: [{resources: {kinds: ['Pod']}, subjects: [{kind: 'User', name: 'jane'}]}]},
            preconditions: {all: [{operator: 'AllIn'}]},
            validate: {message: 'two\nlines\n'},
          },
          {validate: {foreach: [{deny: {conditions: {all: [{operator: 'AnyNotIn', value: [true, 511]}]}}}]}},
        ],
      },
    });
    const {errors} = loadClassicPolicy(
      {...policy, spec: {...(policy['spec'] as JsonObject), background: false}},
      {resources: builtinResourceMap},
    );
    expect(errors).toEqual([]);
  });

  it('keeps other documents to the letter, and comments', () => {
    expect(text.startsWith(policies.slice(0, policies.indexOf('# about')))).toBe(true);
    expect(text.endsWith(policies.slice(policies.lastIndexOf('---')))).toBe(true);
    for (const comment of ['# about the policy', '# its name', '# loud', '# what it is for', '# one of them'])
      expect(text).toContain(comment);
    expect(text).toContain('0777');
    expect(text).toContain('- Pod\n');
  });

  it('has nothing to do the second time', () => expect(editDocuments(text, fixPolicy)).toEqual({text, changes: []}));

  it('leaves operators of other things alone', () => {
    const other =
      'apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nspec:\n  rules:\n  - match: {any: [{resources: {kinds: [Pod], selector: {matchExpressions: [{key: a, operator: In, values: [b]}]}}}]}\n    mutate: {patchStrategicMerge: {spec: {conditions: [{key: a, operator: In}]}}}\n';
    expect(editDocuments(other, fixPolicy)).toEqual({text: other, changes: []});
  });

  it('refuses what cannot be read', () =>
    expect(() => editDocuments('kind: [', fixPolicy)).toThrow('document at line 1'));
});

const oldTest = `# my test
name: old
policies: [policy.yaml]
resources:
  - r.yaml
userinfo: user.yaml
results:
  # second
  - policy: p
    rule: z
    resource: web
    namespace: team
    kind: Pod
    status: pass
  - policy: p
    rule: a
    resources: [one, one]
    kind: Pod
    result: pass
  - policy: p
    rule: a
    resources: [two]
    kind: Pod
    result: pass
`;

describe('fix test', () => {
  it('makes the current form in a steady order', () => {
    const {text} = editDocuments(oldTest, fixTest({name: 'x', compress: true}));
    expect(parseYamlDocuments(text)[0]!.value).toEqual({
      apiVersion: 'cli.kyverno.io/v1alpha1',
      kind: 'Test',
      metadata: {name: 'old'},
      policies: ['policy.yaml'],
      resources: ['r.yaml'],
      userinfo: 'user.yaml',
      results: [
        {policy: 'p', rule: 'a', resources: ['one', 'two'], kind: 'Pod', result: 'pass'},
        {policy: 'p', rule: 'z', resources: ['team/web'], kind: 'Pod', result: 'pass'},
      ],
    });
    expect(text.startsWith('# my test\n')).toBe(true);
    expect(text).toMatch(/# second\n {2}- policy: p\n {4}rule: z/);
    expect(text).toContain('policies: [policy.yaml]');
    expect(editDocuments(text, fixTest({name: 'x', compress: true})).changes).toEqual([]);
  });

  it('joins nothing unless asked', () => {
    const {text} = editDocuments(oldTest, fixTest({name: 'x', compress: false}));
    expect((parseYamlDocuments(text)[0]!.value as {results: unknown[]}).results).toHaveLength(3);
  });
});

describe('fix on files', () => {
  function collect(): Streams & {text(): string} {
    let written = '';
    return {
      out: text => void (written += text),
      err: text => void (written += text),
      terminal: false,
      text: () => written,
    };
  }

  const options = {fileName: 'kyverno-test.yaml', save: true, force: false, compress: false};

  function folder(files: Readonly<Record<string, string>>): string {
    const root = mkdtempSync(join(tmpdir(), 'fix-'));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(root, name, '..'), {recursive: true});
      writeFileSync(join(root, name), text);
    }
    return root;
  }

  it('saves a test and the files it names', async () => {
    const root = folder({
      'a/kyverno-test.yaml': oldTest,
      'a/user.yaml': 'userInfo: {username: jane}\n',
      'b/kyverno-test.yaml': 'kind: [\n',
    });
    const io = collect();
    await fixTests([root], options, io);
    expect(readFileSync(join(root, 'a/kyverno-test.yaml'), 'utf8')).toContain('kind: Test\n');
    expect(readFileSync(join(root, 'a/user.yaml'), 'utf8')).toMatch(
      /^apiVersion: cli\.kyverno\.io\/v1alpha1\nkind: UserInfo\n/,
    );
    expect(io.text()).toContain('ERROR: document at line 1');
    expect(io.text()).toMatch(/Done\.\n$/);
  });

  it('writes nothing without --save', async () => {
    const root = folder({'kyverno-test.yaml': oldTest, 'p.yaml': policies});
    await fixTests([root], {...options, save: false}, collect());
    await fixPolicies([root], {save: false}, collect());
    expect(readFileSync(join(root, 'kyverno-test.yaml'), 'utf8')).toBe(oldTest);
    expect(readFileSync(join(root, 'p.yaml'), 'utf8')).toBe(policies);
  });

  it('writes no test that would not be read', async () => {
    const bad = `${oldTest}unknown: 1\n`;
    const root = folder({'kyverno-test.yaml': bad});
    const io = collect();
    await fixTests([root], options, io);
    expect(io.text()).toContain('ERROR: json: unknown field "unknown"');
    expect(readFileSync(join(root, 'kyverno-test.yaml'), 'utf8')).toBe(bad);
  });

  it('looks at policies only, and tells of folders that are not there', async () => {
    const root = folder({'p.yaml': policies, 'r.yaml': 'kind: Pod\napiVersion: v1\n'});
    const io = collect();
    await fixPolicies([root, join(root, 'none')], {save: true}, io);
    expect(io.text()).not.toContain('r.yaml');
    expect(io.text()).toContain('ERROR: stat');
    expect(readFileSync(join(root, 'p.yaml'), 'utf8')).toContain('validationFailureAction: Enforce # loud');
  });
});
