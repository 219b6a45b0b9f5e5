import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import {blocksOf} from '../guide/doc-blocks.js';

const root = resolve(import.meta.dirname, '../..');
const docs = join(root, 'docs');

/** Commands that no test runs, and why. */
const notRun: Readonly<Record<string, string>> = {
  'tracing.md': 'port-forward needs a kubelet, which test clusters have none of',
  'break-glass.md': 'of the take-over, run by its own tests',
};

function* sources(folder: string): Iterable<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* sources(path);
    else if (name.endsWith('.test.ts')) yield path;
  }
}

const tests = [...sources(join(root, 'test'))].map(path => readFileSync(path, 'utf8'));
const readme = blocksOf(readFileSync(join(root, 'README.md'), 'utf8')).filter(({name}) => name !== undefined);

/** Whether a test names the page and the block, or runs the same commands off the README. */
function isRun(page: string, {name, text}: {readonly name: string | undefined; readonly text: string}): boolean {
  if (readme.some(block => block.text === text)) return true;
  return name !== undefined && tests.some(source => source.includes(`'${page}'`) && source.includes(`'${name}'`));
}

/** Pages whose blocks carry `<!-- example: … -->` are run whole by test/standalone/cli-page.test.ts. */
function isExamples(text: string): boolean {
  return text.includes('<!-- example: ');
}

describe('commands in docs/', () => {
  const pages = readdirSync(docs).filter(name => name.endsWith('.md') && !Object.hasOwn(notRun, name));

  it.each(pages)('%s: each block is run by a test', page => {
    const text = readFileSync(join(docs, page), 'utf8');
    if (isExamples(text)) return;
    const shell = blocksOf(text).filter(({language}) => language === 'sh' || language === 'console');
    expect(shell.filter(block => !isRun(page, block)).map(({name, text: commands}) => `${name ?? 'unnamed'}: ${commands.split('\n')[0]}`)).toEqual([]);
  });

  it('a block without a name, or with a name that no test has, is found', () => {
    expect(isRun('rollout.md', {name: undefined, text: 'kubectl get nothing'})).toBe(false);
    expect(isRun('rollout.md', {name: ['no', 'such', 'block'].join('-'), text: 'kubectl get nothing'})).toBe(false);
  });
});
