import {readdirSync, readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import {generatedFiles} from './files.js';

const root = resolve(import.meta.dirname, '../..');

function namesIn(directory: string, pattern: RegExp): string[] {
  return readdirSync(join(root, directory))
    .filter(name => pattern.test(name))
    .map(name => `${directory}/${name}`);
}

describe('generated files', () => {
  it.each([...generatedFiles()])('%s is what `npm run generate` writes', (name, text) => {
    expect(readFileSync(join(root, name), 'utf8')).toBe(text);
  });

  it('leave no file of a kind that is gone', () => {
    const present = [...namesIn('crds', /\.yaml$/), ...namesIn('crds/types', /(\.generated|^index)\.ts$/)];
    expect(present.sort()).toEqual([...generatedFiles().keys()].sort());
  });
});
