import {existsSync, readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import {parse} from 'yaml';
import {readClusterSuites} from '../conformance/cluster/suites.js';
import {conformanceRoot} from '../conformance/suites.js';

/** The list of suites that cannot pass without public registries: what is tested in their place is there. */
const folder = resolve(import.meta.dirname, '../e2e');
const table = parse(readFileSync(join(folder, 'image-suites.yaml'), 'utf8')) as Readonly<Record<string, string>>;
const root = conformanceRoot();
const hasSuites = root !== undefined && existsSync(join(root, 'oracle-chainsaw.json'));
const families = /^(verify-images\/|custom-sigstore|sigstore-custom-tuf|(namespaced-)?image-validating-policies)/;

describe('suites about images', () => {
  it.each(Object.entries(table))('%s has a test of ours', (_, test) => {
    const [file = '', title = ''] = test.split(' › ');
    const source = readFileSync(join(folder, `${file}.test.ts`), 'utf8');
    expect(['\'', '"', '`'].some(quote => source.includes(`${quote}${title}${quote}`)), test).toBe(true);
  });

  it.runIf(hasSuites)('that do not pass offline are all listed', () => {
    const wanted = readClusterSuites(root ?? '').filter(({id, recorded}) => families.test(id.replace(/^chainsaw:/, '')) && id.startsWith('chainsaw:') && recorded !== 'pass');
    expect(Object.keys(table).sort()).toEqual(wanted.map(({id}) => id.slice('chainsaw:'.length)).sort());
  });
});
