import {readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, expect, it} from 'vitest';

const root = resolve(import.meta.dirname, '..');

interface Row {
  readonly id: string;
  readonly wants: string;
  readonly tests: readonly {readonly file: string; readonly name: string}[];
  readonly open?: string;
}

/** As the script exports them. */
interface Script {
  readonly pagePath: string;
  readTable(): Row[];
  faultsOf(rows: readonly Row[]): string[];
  pageAsItStands(rows?: readonly Row[]): string;
}

const path = './requirements.mjs';
const script = (await import(path)) as Script;
const read = (name: string) => readFileSync(join(root, name), 'utf8');

describe('requirements', () => {
  const rows = script.readTable();

  it('have a row each, with tests that exist', () => {
    expect(script.faultsOf(rows)).toEqual([]);
  });

  it('are on the page as the script writes it', () => {
    expect(script.pageAsItStands()).toBe(read('docs/requirements.md'));
  });

  it('make an empty row, a row that is gone and a test that is not there red', () => {
    const [first, second, ...rest] = rows as [Row, Row, ...Row[]];
    const broken = [{...first, tests: []}, {...rest[0]!, tests: [{file: 'scripts/requirements.test.ts', name: ['no such', 'title'].join(' ')}, {file: 'no/such.test.ts', name: 'x'}]}, ...rest.slice(1)];
    expect(script.faultsOf(broken)).toEqual([
      `${second.id} is missing`,
      `${first.id} has no test`,
      `${rest[0]!.id}: scripts/requirements.test.ts has no test "${['no such', 'title'].join(' ')}"`,
      `${rest[0]!.id}: there is no no/such.test.ts`,
    ]);
  });
});

describe('what the documentation states', () => {
  it('limits and comparison are stated, with "measured" or "not measured" in every cell of figures', () => {
    const comparison = read('docs/comparison.md');
    for (const name of ['Gatekeeper', 'Kubewarden', 'native policies', 'Kyverno']) expect(comparison).toContain(name);
    const figures = comparison.split('\n').filter(line => /^\| (CPU per request|requests a second|memory)/.test(line));
    expect(figures).toHaveLength(3);
    for (const line of figures) {
      const [, , ...cells] = line.split('|').slice(0, -1);
      for (const cell of cells) expect(cell).toMatch(/measured|none of its own/);
    }
    expect(comparison).toMatch(/runtime \|.*Node.*Go.*WebAssembly/);
    expect(comparison).toMatch(/freedom of languages \|.*high/);
    const limits = read('docs/limits.md');
    for (const topic of ['Language', 'Runtime', 'Many policies', 'Large clusters', 'Webhooks', 'Order']) expect(limits).toContain(`**${topic}`);
    expect(limits).toMatch(/0\.47 ms CPU.*MiB/s);
    expect(read('README.md')).toContain('docs/limits.md');
  });

  it('figures are those of the page on performance', () => {
    const measured = read('docs/performance.md');
    for (const figure of ['2373', '204 MiB', '294 MiB', '0.47 ms', '211']) expect(measured).toContain(figure);
  });

  it('claims no standing of a foundation', () => {
    expect(read('README.md')).toContain('it claims no standing of that');
    expect(read('README.md')).not.toMatch(/CNCF|graduated|incubating/i);
  });

  it('maps every field of a PodSecurityPolicy', () => {
    const page = read('docs/pod-security-policy.md');
    const fields = 'privileged hostPID hostIPC hostNetwork hostPorts volumes allowedHostPaths allowedFlexVolumes allowedCSIDrivers fsGroup supplementalGroups runAsGroup readOnlyRootFilesystem runAsUser allowPrivilegeEscalation defaultAllowPrivilegeEscalation defaultAddCapabilities requiredDropCapabilities allowedCapabilities seLinux allowedProcMountTypes forbiddenSysctls allowedUnsafeSysctls runtimeClass';
    for (const field of fields.split(' ')) expect(page).toContain(`\`${field}\``);
  });

  it('links the library and the documentation of the language', () => {
    expect(read('README.md')).toMatch(/kyverno\.io\/policies/);
    expect(read('README.md')).toMatch(/kyverno\.io\/docs/);
  });
});
