import {existsSync, readdirSync, readFileSync, statSync} from 'node:fs';
import {dirname, join, relative, resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import {defaultConfig} from '../operator/config/config-map.js';
import {flagTable} from '../operator/config/flag-table.js';
import {inertFlags} from '../operator/config/flags.js';
import {createMetrics} from '../webhook/metrics/metrics.js';

const root = resolve(import.meta.dirname, '..');

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function* pages(folder: string): Iterable<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* pages(path);
    else if (name.endsWith('.md')) yield path;
  }
}

describe('docs/configuration.md', () => {
  const text = read('docs/configuration.md');
  const [working = '', inert = ''] = text
    .slice(text.indexOf('## Operator'), text.indexOf('## ConfigMap'))
    .split('without effect in this release:');

  it('has every flag that works in the table, and no other', () => {
    const rows = working.split('\n').filter(line => line.startsWith('| `--'));
    const named = rows.flatMap(row => [...row.split('|')[1]!.matchAll(/`--(\w+)`/g)].map(([, name]) => name));
    const wanted = Object.keys(flagTable).filter(name => !inertFlags.some(flag => flag === name));
    expect([...named].sort()).toEqual(wanted.sort());
  });

  it('names every flag without effect as such', () => {
    const named = [...inert.matchAll(/`(\w+)`/g)].map(([, name]) => name);
    expect([...named].sort()).toEqual([...inertFlags].sort());
  });

  it('names every key of the ConfigMap', () => {
    const {userExclusions: _users, ...keys} = defaultConfig;
    for (const key of Object.keys(keys)) expect(text).toContain(`\`${key}\``);
  });
});

describe('docs/metrics.md', () => {
  it('names every series of the admission server', async () => {
    const text = read('docs/metrics.md');
    const metrics = createMetrics({version: 'test', processMetrics: false});
    const names = (await metrics.registry.getMetricsAsJSON()).map(({name}) => name);
    expect(names.length).toBeGreaterThan(8);
    for (const name of names) expect(text, name).toContain(`\`${name}\``);
  });
});

describe('pages', () => {
  const all = [
    ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map(name => join(root, name)),
    ...pages(join(root, 'docs')),
  ];

  it.each(all.map(path => relative(root, path)))('%s links to files that exist', path => {
    const links = [...read(path).matchAll(/\]\((?!https?:|#)([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target]) => target!);
    for (const link of links) expect(existsSync(join(root, dirname(path), link)), link).toBe(true);
  });
});
