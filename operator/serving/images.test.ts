import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {systemClock} from '../../adapters/clock.js';
import {KubeError} from '../../adapters/kube/kube-error.js';
import type {JsonObject} from '../../engine/json/types.js';
import {createSecretReader, readBundle} from './images.js';

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

describe('Secrets', () => {
  const signal = new AbortController().signal;
  const reference = {namespace: 'kyverno', name: 'pull'};

  it('are read once in a while, and that one is not there is soon forgotten', async () => {
    let now = 0;
    let stored: JsonObject | undefined;
    let reads = 0;
    const clock = {...systemClock, now: () => now, monotonic: () => now};
    const get = async () => {
      reads += 1;
      if (stored === undefined) throw new KubeError({status: 404, reason: 'NotFound', message: 'not found'});
      return stored;
    };
    const read = createSecretReader({get}, clock);
    expect(await read(reference, signal)).toBeUndefined();
    expect(await read(reference, signal)).toBeUndefined();
    expect(reads).toBe(1);
    stored = {data: {}};
    now += 1_500;
    expect(await read(reference, signal)).toBe(stored);
    now += 20_000;
    expect(await read(reference, signal)).toBe(stored);
    expect(reads).toBe(2);
  });
});
