import {describe, expect, it} from 'vitest';
import {parseImageReference} from './parse-image.js';

const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;

describe('an image reference', () => {
  const rows: readonly (readonly [text: string, registry: string, path: string, tag: string, reference: string])[] = [
    ['nginx', 'docker.io', 'nginx', 'latest', 'docker.io/nginx:latest'],
    ['nginx:1.27', 'docker.io', 'nginx', '1.27', 'docker.io/nginx:1.27'],
    ['library/nginx', 'docker.io', 'library/nginx', 'latest', 'docker.io/library/nginx:latest'],
    ['ghcr.io/org/app:v1', 'ghcr.io', 'org/app', 'v1', 'ghcr.io/org/app:v1'],
    ['localhost/app', 'localhost', 'app', 'latest', 'localhost/app:latest'],
    ['localhost:5000/a/b', 'localhost:5000', 'a/b', 'latest', 'localhost:5000/a/b:latest'],
    ['Registry/app', 'Registry', 'app', 'latest', 'Registry/app:latest'],
    ['[::1]:5000/app', '[::1]:5000', 'app', 'latest', '[::1]:5000/app:latest'],
    [`nginx@${digest}`, 'docker.io', 'nginx', '', `docker.io/nginx@${digest}`],
    [`ghcr.io/nginx:1@${digest}`, 'ghcr.io', 'nginx', '1', `ghcr.io/nginx@${digest}`],
    ['a__b/c-d--e.f', 'docker.io', 'a__b/c-d--e.f', 'latest', 'docker.io/a__b/c-d--e.f:latest'],
  ];
  it.each(rows)('%s', (text, registry, path, tag, reference) => {
    const image = parseImageReference(text, {defaultRegistry: 'docker.io'});
    expect(image).toMatchObject({registry, path, tag, reference, name: path.split('/').at(-1)});
  });

  it('keeps the tag beside a digest', () => {
    const image = parseImageReference(`ghcr.io/nginx:1@${digest}`, {defaultRegistry: 'docker.io'});
    expect(image).toMatchObject({digest, referenceWithTag: 'ghcr.io/nginx:1'});
    expect(parseImageReference(`nginx@${digest}`, {defaultRegistry: ''})?.referenceWithTag).toBe('nginx');
  });

  it('stays without registry when there is no default', () => {
    const image = parseImageReference('org/app', {defaultRegistry: ''});
    expect(image).toMatchObject({registry: '', path: 'org/app', reference: 'org/app:latest'});
  });

  it.each([
    '',
    ' ',
    'Nginx',
    'a b',
    'a//b',
    '/a',
    'a/',
    'a:',
    'a:b:c',
    'a@',
    'a@sha256:short',
    'a:-x',
    'a_',
    '.a',
    'http://a/b',
    `a:${'x'.repeat(129)}`,
    'a'.repeat(300),
    `${'a/'.repeat(600)}a`,
  ])('%j is none', text => {
    expect(parseImageReference(text, {defaultRegistry: 'docker.io'})).toBeUndefined();
  });
});
