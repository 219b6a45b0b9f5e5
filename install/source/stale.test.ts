import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join, relative, resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import {installFiles} from './files.js';

const root = resolve(import.meta.dirname, '../..');
const files = installFiles();

function* below(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* below(path);
    else yield relative(root, path);
  }
}

describe('generated files of the installation', () => {
  it.each([...files])('%s is what `npm run generate` writes', (name, text) => {
    // Compared as booleans: the difference of two large texts says nothing to anybody.
    expect(readFileSync(join(root, name), 'utf8') === text).toBe(true);
  });

  it('leave none that is no longer made', () => {
    const present = ['install/chart', 'olm/bundle', 'olm/catalog'].flatMap(folder => [...below(join(root, folder))]);
    expect(present.filter(path => !files.has(path))).toEqual([]);
  });
});
