import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import {blocksOf} from '../guide/doc-blocks.js';

const root = resolve(import.meta.dirname, '../..');
const docs = join(root, 'docs');

/** Blocks that no test runs off the page, by the beginning of their first command, and why. A block that is gone has to go here too. */
const notRun: ReadonlyArray<readonly [page: string, why: string, blocks: readonly string[]]> = [
  ['tracing.md', 'port-forward needs a kubelet, which test clusters have none of', ['kubectl -n kyverno port-forward']],
  [
    'install.md',
    'test/helm, test/olm and test/image run the same with programs and registries of their own; the first refusal is in the README, too',
    ['helm install', 'npm run bundle', 'npm ci', 'sed ', 'kubectl -n kyverno rollout status deployment/kyverno'],
  ],
  ['upgrade.md', 'test/upgrade goes through the same steps with the first release', ['kubectl replace -f crds/', 'kubectl replace -f <crds']],
  [
    'takeover.md',
    'test/takeover goes through the same steps on what another installation left',
    [
      'kubectl -n kyverno get deployments',
      'kubectl -n kyverno scale deployment --all',
      'kubectl replace -f crds/',
      'kubectl -n kyverno delete service',
      'kyverno migrate --all',
      'kubectl -n kyverno wait --for=condition=PeerActive',
      'kubectl replace -f <crds',
      'kubectl -n kyverno delete deployment',
      'kubectl -n kyverno scale deployment kyverno-admission',
    ],
  ],
];

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
  const pages = readdirSync(docs).filter(name => name.endsWith('.md'));

  it.each(pages)('%s: each block is run by a test', page => {
    const text = readFileSync(join(docs, page), 'utf8');
    if (isExamples(text)) return;
    const shell = blocksOf(text).filter(({language}) => language === 'sh' || language === 'console');
    const left = shell.filter(block => !isRun(page, block)).map(({text: commands}) => commands.split('\n', 1)[0]!);
    const known = notRun.find(([name]) => name === page)?.[2] ?? [];
    expect(left.filter(command => !known.some(beginning => command.startsWith(beginning)))).toEqual([]);
    expect(known.filter(beginning => !left.some(command => command.startsWith(beginning)))).toEqual([]);
  });

  it('a block without a name, or with a name that no test has, is found', () => {
    expect(isRun('rollout.md', {name: undefined, text: 'kubectl get nothing'})).toBe(false);
    expect(isRun('rollout.md', {name: ['no', 'such', 'block'].join('-'), text: 'kubectl get nothing'})).toBe(false);
  });
});
