import {readFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {describe, expect, it} from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (name: string) => JSON.parse(readFileSync(resolve(root, name), 'utf8'));

interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
}

describe('what npm ci installs', () => {
  const manifest = read('package.json');
  const packages = Object.entries(read('package-lock.json').packages as Record<string, LockedPackage>);
  const installed = (name: string) => packages.filter(([path]) => path === `node_modules/${name}` || path.endsWith(`/node_modules/${name}`));

  it('is pinned exactly', () => {
    const ranges = Object.values({...manifest.dependencies, ...manifest.devDependencies} as Record<string, string>);
    expect(ranges.filter(range => !/^\d+\.\d+\.\d+$/.test(range))).toEqual([]);
  });

  it('has one Kubernetes client, without the deprecated request', () => {
    expect(installed('@kubernetes/client-node').map(([, locked]) => locked.version)).toEqual(['1.4.0']);
    expect(installed('request')).toEqual([]);
  });

  it('has no native module at run time', () => {
    const native = packages.filter(([path, locked]) => path !== '' && locked.hasInstallScript === true && locked.dev !== true);
    expect(native.map(([path]) => path)).toEqual([]);
  });

  it('names no place of download', () => {
    expect(packages.filter(([, locked]) => locked.resolved !== undefined).map(([path]) => path)).toEqual([]);
  });

  it('has the packages of the design card', () => {
    const all = {...manifest.dependencies, ...manifest.devDependencies};
    for (const name of ['@dot-i/k8s-operator', '@kubernetes/client-node', 'koa', 'yaml', 'cel-js', 'node-forge']) {
      expect(Object.keys(all)).toContain(name);
    }
  });
});
