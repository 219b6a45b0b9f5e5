import {describe, expect, it} from 'vitest';
import {findRoute, servedPatterns} from './routes.js';
import {createTargetReader, parseTimeout} from './target.js';

describe('routes', () => {
  it.each([
    ['/validate', {handler: 'validate', webhook: 'validate'}],
    ['/validate/fail', {handler: 'validate', failurePolicy: 'Fail'}],
    ['/validate/ignore', {handler: 'validate', failurePolicy: 'Ignore'}],
    ['/mutate', {handler: 'mutate', webhook: 'mutate'}],
    ['/mutate/fail', {handler: 'mutate', failurePolicy: 'Fail'}],
    ['/mutate/ignore', {handler: 'mutate', failurePolicy: 'Ignore'}],
    ['/validate/fail/finegrained/p', {handler: 'validate', failurePolicy: 'Fail', policies: ['p']}],
    ['/validate/ignore/finegrained/ns/p', {handler: 'validate', failurePolicy: 'Ignore', policies: ['ns/p']}],
    ['/mutate/fail/finegrained/ns/p', {handler: 'mutate', failurePolicy: 'Fail', policies: ['ns/p']}],
    ['/vpol/a/b', {handler: 'cel', kind: 'ValidatingPolicy', policies: ['a', 'b'], webhook: 'validate'}],
    ['/nvpol/a', {handler: 'cel', kind: 'NamespacedValidatingPolicy'}],
    ['/mpol/a', {handler: 'cel', kind: 'MutatingPolicy', webhook: 'mutate'}],
    ['/nmpol/a', {handler: 'cel', kind: 'NamespacedMutatingPolicy'}],
    ['/mpol-existing/a', {handler: 'cel', kind: 'MutatingPolicy', webhook: 'validate'}],
    ['/ivpol/validate/a', {handler: 'cel', kind: 'ImageValidatingPolicy', webhook: 'validate', policies: ['a']}],
    ['/nivpol/validate/a', {handler: 'cel', kind: 'NamespacedImageValidatingPolicy'}],
    ['/ivpol/mutate/a', {handler: 'cel', webhook: 'mutate'}],
    ['/nivpol/mutate/a', {handler: 'cel', webhook: 'mutate'}],
    ['/gpol/a', {handler: 'cel', kind: 'GeneratingPolicy'}],
    ['/ngpol/a', {handler: 'cel', kind: 'NamespacedGeneratingPolicy'}],
    ['/policyvalidate', {handler: 'policy-review'}],
    ['/policymutate', {handler: 'policy-mutate'}],
    ['/exceptionvalidate', {handler: 'policy-review'}],
    ['/celexception/validate', {handler: 'policy-review'}],
    ['/globalcontextvalidate', {handler: 'policy-review'}],
    ['/cleanupvalidate', {handler: 'policy-review'}],
    ['/verifymutate', {handler: 'verify-lease'}],
    ['/health/liveness', {handler: 'liveness'}],
    ['/health/readiness', {handler: 'readiness'}],
  ])('%s is served', (path, expected) => {
    expect(findRoute(path)).toMatchObject(expected);
  });

  it('a bare path has no failure policy of its own', () => {
    expect(Object.hasOwn(findRoute('/validate')!, 'failurePolicy')).toBe(false);
  });

  it.each([
    '/',
    '/validate/',
    '/validate/other',
    '/vpol',
    '/vpol/',
    '/vpol/a//b',
    '/validate/fail/finegrained/a/b/c',
    '/x',
  ])('%s is not served', path => {
    expect(findRoute(path)).toBeUndefined();
  });

  it('names every pattern once', () => {
    const patterns = servedPatterns();
    expect(new Set(patterns).size).toBe(patterns.length);
    expect(patterns).toHaveLength(35);
  });
});

describe('the timeout of a request', () => {
  it.each([
    ['10s', 10_000],
    ['1m0s', 60_000],
    ['500ms', 500],
    ['1.5s', 1500],
    ['0s', undefined],
    ['10', undefined],
    ['-1s', undefined],
    ['soon', undefined],
  ])('%s is %s ms', (text, expected) => {
    expect(parseTimeout(text)).toBe(expected);
  });

  it('is read beside the path', () => {
    const read = createTargetReader();
    expect(read('/validate/fail?timeout=5s')).toMatchObject({timeoutMs: 5000, route: {pattern: '/validate/fail'}});
    expect(read('/validate/fail?timeout=5s')).toBe(read('/validate/fail?timeout=5s'));
    expect(read('/validate/fail')).toMatchObject({timeoutMs: undefined});
  });
});
