import {spawnSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Command} from 'commander';
import {describe, expect, it} from 'vitest';
import {registerCompletion} from '../commands/completion.js';
import {registerCreate} from '../commands/create.js';
import {registerJp} from '../commands/jp.js';
import {commandTree, flatten} from '../docs/command-tree.js';
import {markdownPage} from '../docs/markdown.js';
import {writeDocs} from '../docs/write-docs.js';
import {completionScript, shells} from './scripts.js';

const program = new Command('kyverno').description('The command.').version('1.0.0');
for (const register of [registerJp, registerCreate, registerCompletion]) register(program);
const tree = commandTree(program);

/** What bash offers after these words. */
function offered(...words: readonly string[]): readonly string[] {
  const line = ['kyverno', ...words].map(word => `'${word}'`).join(' ');
  const script = `${completionScript('bash', tree)}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length}; _kyverno_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const {stdout, stderr} = spawnSync('bash', ['--norc', '-c', script], {encoding: 'utf8'});
  expect(stderr).toBe('');
  return stdout.trim().split('\n');
}

describe('completion', () => {
  const cases: readonly [readonly string[], readonly string[]][] = [
    [[''], ['completion', 'create', 'jp']],
    [['j'], ['jp']],
    [
      ['jp', ''],
      ['function', 'parse', 'query'],
    ],
    [['jp', 'query', '--co'], ['--compact']],
    [['-c', 'x', 'jp', 'q'], ['query']],
    [['create', 'e'], ['exception']],
  ];
  for (const [words, wanted] of cases) {
    it(`bash offers ${wanted.join(', ')} after "${words.join(' ')}"`, () => expect(offered(...words)).toEqual(wanted));
  }

  for (const shell of shells) {
    it(`${shell}: every command and flag is there`, () => {
      const script = completionScript(shell, tree);
      for (const node of flatten(tree)) {
        expect(script).toContain(node.path.at(-1)!);
        for (const flag of node.flags) expect(script).toContain(flag.long!.replace(/^--/, ''));
      }
    });
  }
});

describe('docs', () => {
  const plain = {website: false, markdownLinks: true, autogenTag: false};

  it('writes one page per command', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'docs-')), 'new');
    await writeDocs(tree, folder, plain);
    expect(readdirSync(folder)).toHaveLength(flatten(tree).length);
    expect(readFileSync(join(folder, 'kyverno_jp_query.md'), 'utf8')).toMatch(
      /^## kyverno jp query\n[\s\S]*--compact[\s\S]*\(kyverno_jp\.md\)/,
    );
  });

  it('has a form for web sites', () => {
    const page = markdownPage(tree, undefined, {
      website: true,
      markdownLinks: false,
      autogenTag: true,
      date: '2026-01-01',
    });
    expect(page).toMatch(/^---\ntitle: "kyverno"\n---\n/);
    expect(page).toContain('(kyverno_jp)');
    expect(page).toMatch(/on 2026-01-01\n$/);
  });

  it('refuses a folder that is a file', async () => {
    await expect(writeDocs(tree, '/dev/null/x', plain)).rejects.toThrow('/dev/null/x');
  });
});
