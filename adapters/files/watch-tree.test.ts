import {mkdir, mkdtemp, rename, rm, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {eventually} from '../kube/testing/eventually.js';
import {silentLog} from '../log.js';
import {watchTree} from './watch-tree.js';

let base: string;
let root: string;
let told: number;
let stop: () => void;

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'watch-'));
  root = join(base, 'policies');
  told = 0;
  stop = () => {};
  await mkdir(root);
});

afterEach(async () => {
  stop();
  await rm(base, {recursive: true, force: true});
});

function watchRoot(path = root): void {
  stop = watchTree(path, () => (told += 1), silentLog);
}

/** Waits until a change is told, after those told before. */
async function change(make: () => Promise<unknown>): Promise<void> {
  const before = told;
  await make();
  await eventually(() => told > before);
}

async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(join(base, 'new'), text);
  await rename(join(base, 'new'), path);
}

describe('watching a folder of files', () => {
  it('tells of each replacement by renaming, as editors do, not only of the first', async () => {
    await writeFile(join(root, 'a.yaml'), 'a: 1');
    watchRoot();
    for (const text of ['a: 2', 'a: 3', 'a: 4']) await change(() => replaceFile(join(root, 'a.yaml'), text));
  });

  it('tells of writes, new files and deletions', async () => {
    watchRoot();
    await change(() => writeFile(join(root, 'a.yaml'), 'a: 1'));
    await change(() => writeFile(join(root, 'a.yaml'), 'a: 2'));
    await change(() => rm(join(root, 'a.yaml')));
  });

  it('follows folders that come later, and their files', async () => {
    watchRoot();
    await change(() => mkdir(join(root, 'team')));
    await change(() => writeFile(join(root, 'team', 'a.yaml'), 'a: 1'));
    await change(() => replaceFile(join(root, 'team', 'a.yaml'), 'a: 2'));
    await change(() => rm(join(root, 'team'), {recursive: true}));
  });

  it('goes on when the folder is replaced as a whole', async () => {
    watchRoot();
    await mkdir(join(base, 'next'));
    await change(() => rename(root, join(base, 'former')));
    await change(() => rename(join(base, 'next'), root));
    await change(() => writeFile(join(root, 'a.yaml'), 'a: 1'));
  });

  it('goes on when a link to the folder is turned to another one in one step', async () => {
    await mkdir(join(base, 'next'));
    await symlink(root, join(base, 'link'));
    watchRoot(join(base, 'link'));
    await symlink(join(base, 'next'), join(base, 'fresh'));
    await change(() => rename(join(base, 'fresh'), join(base, 'link')));
    await change(() => writeFile(join(base, 'next', 'a.yaml'), 'a: 1'));
  });

  it('watches one file through its replacements', async () => {
    const file = join(root, 'a.yaml');
    await writeFile(file, 'a: 1');
    watchRoot(file);
    await change(() => replaceFile(file, 'a: 2'));
    await change(() => replaceFile(file, 'a: 3'));
  });

  it('is not caught in a circle of links', async () => {
    await symlink(root, join(root, 'again'));
    watchRoot();
    await change(() => writeFile(join(root, 'a.yaml'), 'a: 1'));
    expect(told).toBeGreaterThan(0);
  });
});
