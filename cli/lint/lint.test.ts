import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, it} from 'vitest';
import {lintCatalogue} from '../../engine/lint/index.js';
import {collectStreams} from '../output/testing/collected-streams.js';
import {type LintFlags, runLint} from './run-lint.js';

const data = join(import.meta.dirname, 'testdata');

async function lint(files: readonly string[], flags: Partial<LintFlags> = {}) {
  const streams = collectStreams();
  const status = await runLint(
    files.map(file => join(data, file)),
    {output: 'text', failOn: 'error', ...flags},
    {streams, version: '1.2.3'},
  );
  return {status, ...streams.written};
}

describe('lint', () => {
  it.each([
    ['an error', ['faulty.yaml'], {}, 1],
    ['an error that is ignored', ['faulty.yaml'], {ignore: ['mutation-not-idempotent']}, 0],
    ['an error, never failing', ['faulty.yaml'], {failOn: 'never'}, 0],
    ['a warning', ['doubtful.yaml'], {}, 0],
    ['a warning, failing on warnings', ['doubtful.yaml'], {failOn: 'warning'}, 1],
    ['nothing, failing on notes', ['clean.yaml'], {failOn: 'info'}, 0],
    ['one error among clean ones', ['clean.yaml', 'faulty.yaml'], {}, 1],
  ] as const)('%s: exit status', async (_name, files, flags, status) => {
    expect((await lint(files, flags)).status).toBe(status);
  });

  it('tells place, finding, path and hint', async () => {
    const {out} = await lint(['doubtful.yaml']);
    expect(out.replaceAll(`${data}/`, '')).toBe(
      [
        'doubtful.yaml:1 probes',
        '  warning text-pattern-for-structure: livenessProbe is no text; ?* asks for one of at least one character',
        '          at rule liveness, spec.rules[0].validate.pattern.spec.containers[0].livenessProbe',
        '          hint: write "*" to ask that the field is there, or name the fields that it must have',
        '',
        '1 policy: 0 errors, 1 warnings, 0 notes',
        '',
      ].join('\n'),
    );
  });

  it('looks at CEL policies and their exceptions: what does not compile, and where', async () => {
    const {out, status} = await lint(['cel.yaml']);
    expect(status).toBe(1);
    expect(out.replaceAll(`${data}/`, '')).toBe(
      [
        'cel.yaml:1 replicas',
        "  error   cel-compile: Invalid value: \"object.spec.replicas <= zzz()\": ERROR: <input>:1:28: undeclared reference to 'zzz' (in container '')",
        ' | object.spec.replicas <= zzz()',
        ' | ...........................^',
        '          at spec.validations[1].expression',
        '',
        'cel.yaml:11 misspelt',
        "  warning cel-unknown-field: undefined field 'replica'; Deployment has no such field",
        '          at spec.validations[0].expression',
        '          hint: did you mean "replicas"?',
        '  info    cel-cost: one evaluation of all expressions costs at least 4 units, at most 4',
        '          at spec',
        '          hint: an expression ends with an error at 1000000 units',
        '',
        'cel.yaml:20 trial',
        '  error   cel-type: Invalid value: "object.metadata.name": output is expected to be of type bool',
        '          at spec.matchConditions[0].expression',
        '          hint: compare it (`… == true`), so that its type is known',
        '',
        '3 policies: 2 errors, 1 warnings, 1 notes',
        '',
      ].join('\n'),
    );
  });

  it('gives JSON', async () => {
    const {findings} = JSON.parse((await lint(['faulty.yaml'], {output: 'json'})).out);
    expect(findings).toMatchObject([
      {
        id: 'mutation-not-idempotent',
        severity: 'error',
        policy: 'mirror-images',
        rule: 'prefix',
        path: 'spec.rules[0].mutate',
        line: 1,
      },
    ]);
  });

  it('gives SARIF: every result names a rule of the run, with level and place', async () => {
    const log = JSON.parse((await lint(['faulty.yaml', 'doubtful.yaml'], {output: 'sarif'})).out);
    expect(log).toMatchObject({version: '2.1.0', $schema: expect.stringContaining('sarif-2.1.0')});
    const [{tool, results}] = log.runs;
    expect(tool.driver).toMatchObject({name: 'kyverno', version: '1.2.3'});
    expect(results).toHaveLength(2);
    for (const result of results) {
      expect(tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId);
      expect(['none', 'note', 'warning', 'error']).toContain(result.level);
      expect(result.locations[0].physicalLocation.region.startLine).toBeGreaterThan(0);
      expect(result.locations[0].physicalLocation.artifactLocation.uri).toMatch(/^file:\/\//);
    }
  });

  it.each([
    [{output: 'xml'}, '--output: expected text, json, sarif, found xml'],
    [{failOn: 'all'}, '--fail-on: expected error, warning, info or never, found all'],
  ])('refuses %o', async (flags, why) => {
    await expect(lint(['clean.yaml'], flags)).rejects.toThrow(why);
  });

  it('names a file that cannot be read', () =>
    expect(lint(['absent.yaml'])).rejects.toThrow('no such file or directory'));
});

describe('docs/lint.md', () => {
  it('lists every finding as it is', () => {
    const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'lint.md'), 'utf8');
    for (const {id, severity, summary, hint} of lintCatalogue) {
      expect(page).toContain(`| \`${id}\` | ${severity} | ${summary} | ${hint.replaceAll('|', '\\|')} |`);
    }
  });
});
