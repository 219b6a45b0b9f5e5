import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {readBundle} from './images.js';

describe('authorities of registries', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bundle-'));
    await writeFile(join(folder, 'own.pem'), 'OWN');
    await writeFile(join(folder, 'extra.pem'), 'EXTRA');
  });
  afterAll(() => rm(folder, {recursive: true}));
  const at = (name: string) => join(folder, name);

  it('are those of the flag and of the process', () => {
    expect(readBundle('', at('extra.pem'))).toBeUndefined();
    expect(readBundle(at('own.pem'), undefined)).toBe('OWN');
    expect(readBundle(at('own.pem'), at('extra.pem'))).toBe('OWN\nEXTRA');
    expect(readBundle(at('own.pem'), at('none.pem'))).toBe('OWN');
  });

  it('that the flag names and that are not there are a fault at the start', () => {
    expect(() => readBundle(at('none.pem'), undefined)).toThrow('none.pem');
  });
});
