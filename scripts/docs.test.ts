import {execFileSync} from 'node:child_process';
import {existsSync, readdirSync, readFileSync, statSync} from 'node:fs';
import {dirname, join, relative, resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import {flagTable} from '../operator/config/flag-table.js';
import {configKeys, metricsKeys} from '../operator/settings/setting-keys.js';
import {createMetrics} from '../webhook/metrics/metrics.js';
import {settingsPage, withSettingsTables} from './settings-table.js';

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
  it('has the tables of settings as `npm run generate` writes them', () => {
    const text = read(settingsPage);
    expect(withSettingsTables(text)).toBe(text);
  });

  it('names every flag and every key', () => {
    const text = read(settingsPage);
    for (const name of Object.keys(flagTable)) expect(text).toMatch(new RegExp(`\u0060(--)?${name}\u0060`));
    for (const key of [...Object.keys(configKeys), ...Object.keys(metricsKeys)]) expect(text).toContain(`\`${key}\``);
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

describe('docs/licences.md', () => {
  it('has every package that is installed, each under a licence that goes with ours', () => {
    execFileSync(process.execPath, [join(root, 'scripts/licences.mjs'), '--check'], {stdio: 'pipe'});
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
