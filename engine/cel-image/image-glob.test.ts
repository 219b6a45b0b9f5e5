import {describe, expect, it} from 'vitest';
import {regex} from '../testing/engines.js';
import {GlobError, globPattern} from './image-glob.js';
import {digestOf, namesOf, possibleNames} from './reference-forms.js';

const fits = (glob: string, text: string) => regex.compile(globPattern(glob)).test(text);

describe('globs of image references', () => {
  it.each<[glob: string, text: string, fits: boolean]>([
    ['ghcr.io/*', 'ghcr.io/kyverno/test:v1', true],
    ['ghcr.io/**', 'ghcr.io/kyverno/test:v1', true],
    ['ghcr.io/*', 'xghcr.io/kyverno', false],
    ['ghcr.io/*', 'ghcrxio/kyverno', false],
    ['*', '', true],
    ['*', 'a\nb', true],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', true],
    ['a?c', 'ac', false],
    ['[ab]x', 'bx', true],
    ['[ab]x', 'cx', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[!a-c]x', 'zx', true],
    ['{a,b/*}:1', 'b/c:1', true],
    ['{a,b/*}:1', 'c:1', false],
    ['{a,{b,c}}', 'c', true],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['a+b(c)|$^', 'a+b(c)|$^', true],
    ['[\\]]', ']', true],
    ['[&~^]', '~', true],
  ])('%s on %j: %s', (glob, text, wanted) => {
    expect(fits(glob, text)).toBe(wanted);
  });

  it.each(['{a', '[a', '[]', 'a\\', '{a,[b}'])('%s is a fault', glob => {
    expect(() => globPattern(glob)).toThrow(GlobError);
  });
});

describe('names of an image', () => {
  const digest = `sha256:${'a'.repeat(64)}`;

  it.each<[image: string, names: readonly string[]]>([
    ['nginx', ['nginx', 'docker.io/library/nginx:latest', 'index.docker.io/library/nginx:latest']],
    ['docker.io/bitnami/x:1', ['docker.io/bitnami/x:1', 'index.docker.io/bitnami/x:1']],
    ['GHCR.io/a/b:1', ['GHCR.io/a/b:1', 'ghcr.io/a/b:1']],
    ['ghcr.io:443/a/b:1', ['ghcr.io:443/a/b:1', 'ghcr.io/a/b:1']],
    ['no such image', ['no such image']],
  ])('%s', (image, names) => {
    expect(namesOf(image)).toEqual(names);
  });

  it('a digest beside a tag hides neither', () => {
    expect(possibleNames(`ghcr.io/a:1@${digest}`)).toEqual([`ghcr.io/a:1@${digest}`, 'ghcr.io/a:1', `ghcr.io/a@${digest}`]);
    expect(namesOf(`ghcr.io/a:1@${digest}`)).toEqual([`ghcr.io/a:1@${digest}`]);
  });

  it('its digest', () => {
    expect(digestOf(`a:1@${digest}`)).toBe(digest);
    expect(digestOf('a:1')).toBe('');
    expect(digestOf('a@sha256:short')).toBe('');
  });
});
