import {mkdir, mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {builtinResourceMap as resources} from '../../engine/builtin-resources.js';
import {findNamedFiles, findYamlFiles} from './find-files.js';
import {parseGitUrl, withClone} from './git.js';
import {readCrds} from './load-crds.js';
import {loadExceptionFiles} from './load-exceptions.js';
import {loadPolicyPath, readPolicies} from './load-policies.js';
import {loadResourcePaths, readResources} from './load-resources.js';
import {integerFlag, slice, splitCsv} from './slice-flag.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'files-'));
});
afterEach(() => rm(folder, {recursive: true, force: true}));

async function put(path: string, text: string): Promise<string> {
  const file = join(folder, path);
  await mkdir(join(file, '..'), {recursive: true});
  await writeFile(file, text);
  return file;
}

const policy = (name: string) =>
  `apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: ${name}}\nspec: {rules: []}\n`;

describe('finding files', () => {
  it('policies: folders to any depth, hidden ones left out, in order', async () => {
    for (const path of ['b.yaml', 'a/c.yml', '.hidden/d.yaml', '.e.yaml', 'f.json', 'G.YAML'])
      await put(path, policy('x'));
    expect(await findYamlFiles(folder)).toEqual([join(folder, 'a/c.yml'), join(folder, 'b.yaml')]);
  });

  it('tests: by their name, in hidden folders too', async () => {
    for (const path of ['.kyverno-test/kyverno-test.yaml', 'a/kyverno-test.yaml', 'a/other.yaml']) await put(path, '');
    expect(await findNamedFiles(folder, 'kyverno-test.yaml')).toHaveLength(2);
  });
});

describe('policies', () => {
  it('of several documents and lists', async () => {
    const list = `---\napiVersion: v1\nkind: List\nitems:\n- ${policy('b').trim().replaceAll('\n', '\n  ')}\n`;
    const file = await put('p.yaml', `${policy('a')}---\n# nothing\n${list}`);
    const {documents} = await loadPolicyPath(file, resources);
    expect(documents.map(document => document.raw['metadata'])).toEqual([{name: 'a'}, {name: 'b'}]);
  });

  it('leave out unknown kinds and end at known ones', () => {
    const unknown = readPolicies(`${policy('a')}---\napiVersion: x.io/v1\nkind: Widget\n`, 'p.yaml', resources);
    expect(unknown.documents).toHaveLength(1);
    expect(unknown.skipped[0]?.message).toContain('unknown kind x.io/v1/Widget');
    expect(() => readPolicies('apiVersion: v1\nkind: ConfigMap\n', 'p.yaml', resources)).toThrow(
      'p.yaml:1: policy type not supported: v1/ConfigMap',
    );
  });

  it.each([
    ['broken YAML', 'a: [', 'p.yaml:1'],
    ['no kind', 'a: 1', 'kind is missing'],
    ['a scalar', 'text', 'not an object'],
  ])('refuse %s', (_what, text, message) => {
    expect(() => readPolicies(text, 'p.yaml', resources)).toThrow(message);
  });
});

describe('resources', () => {
  it.each<[what: string, text: string, namespace: string | undefined]>([
    ['a namespaced kind gets the default', 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}', 'default'],
    ['its own namespace stays', 'apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}', 'b'],
    ['a cluster-scoped kind gets none', 'apiVersion: v1\nkind: Namespace\nmetadata: {name: a}', undefined],
    ['an unknown kind gets the default', 'apiVersion: x.io/v1\nkind: Widget\nmetadata: {name: a}', 'default'],
  ])('%s', (_what, text, namespace) => {
    expect(readResources(text, 'r.yaml', {resources})[0]?.object['metadata']).toEqual({
      name: 'a',
      ...(namespace !== undefined && {namespace}),
    });
  });

  it('null maps become empty ones', () => {
    const [pod] = readResources(
      'apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: null}\nspec: {nodeSelector: null, other: null}',
      'r',
      {resources},
    );
    expect(pod?.object).toMatchObject({metadata: {labels: {}}, spec: {nodeSelector: {}, other: null}});
  });

  it('come from every path, lists taken apart', async () => {
    const one = 'apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n';
    const file = await put('one.yaml', one);
    await put('more/two.yaml', `kind: List\napiVersion: v1\nitems: [{apiVersion: v1, kind: Pod, metadata: {name: b}}]`);
    await put('more/deeper/three.yaml', one);
    const loaded = await loadResourcePaths([join(folder, 'more'), file], {resources});
    expect(loaded.map(({object}) => (object['metadata'] as {name: string}).name)).toEqual(['b', 'a']);
  });

  it('a first path that is missing is an error, a later one is told', async () => {
    const file = await put('one.yaml', 'kind: Pod\napiVersion: v1\n');
    const missed: string[] = [];
    const options = {resources, onUnreadable: (path: string) => missed.push(path)};
    await expect(loadResourcePaths(['absent.yaml'], options)).rejects.toThrow(
      'failed to load resources (stat absent.yaml: no such file',
    );
    await loadResourcePaths([file, 'absent.yaml'], options);
    expect(missed).toEqual(['absent.yaml']);
  });
});

describe('exceptions and CRDs', () => {
  it('anything but an exception is refused', async () => {
    const file = await put('e.yaml', policy('a'));
    await expect(loadExceptionFiles([file])).rejects.toThrow('policy exception type not supported');
  });

  it('a CRD tells its kind', () => {
    const crd = `kind: CustomResourceDefinition\nspec:\n  group: x.io\n  scope: Cluster\n  names: {kind: Widget, plural: widgetz}\n  versions: [{name: v1, subresources: {status: {}}}]\n`;
    expect(readCrds(crd, 'c')).toEqual([
      {group: 'x.io', version: 'v1', kind: 'Widget', resource: 'widgetz', namespaced: false, subResources: ['status']},
    ]);
    expect(() => readCrds('kind: Pod', 'c')).toThrow('expected a CustomResourceDefinition');
  });
});

describe('flags', () => {
  it('lists may be repeated and comma-separated', () => {
    expect(slice('c', slice('a,b', undefined))).toEqual(['a', 'b', 'c']);
    expect(splitCsv('"a,b","say ""x""",c')).toEqual(['a,b', 'say "x"', 'c']);
    expect(() => splitCsv('"a')).toThrow('not closed');
    expect(integerFlag('-3')).toBe(-3);
    expect(() => integerFlag('3x')).toThrow('an integer is wanted');
  });
});

describe('git URLs', () => {
  it.each<[url: string, branch: string | undefined, source: readonly [string, string, string]]>([
    ['https://example.org/a/b', undefined, ['https://example.org/a/b', 'main', '']],
    ['https://example.org/a/b/release/1', undefined, ['https://example.org/a/b', 'release/1', '']],
    ['https://example.org/a/b/x/y', 'dev', ['https://example.org/a/b', 'dev', 'x/y']],
  ])('%s with branch %s', (url, branch, [repository, wanted, inside]) => {
    expect(parseGitUrl(url, branch)).toEqual({repository, branch: wanted, folder: inside});
  });

  it('a URL without repository, and a folder outside, are refused', async () => {
    expect(() => parseGitUrl('https://example.org/a', undefined)).toThrow('invalid URL path /a');
    await expect(withClone('https://127.0.0.1:1/a/b/%2e%2e', {branch: 'x'}, async () => 1)).rejects.toThrow();
  });

  it('a repository that does not answer is told', async () => {
    await expect(withClone('http://127.0.0.1:1/a/b', {}, async () => 1)).rejects.toThrow(
      'failed to clone http://127.0.0.1:1/a/b (branch main)',
    );
  });
});
