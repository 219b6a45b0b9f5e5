import {describe, expect, it} from 'vitest';
import {type AnchorKind, hasAnchor, parseAnchor} from './anchor.js';

describe('anchors', () => {
  it.each<[string, AnchorKind, string]>([
    ['(k)', 'conditional', 'k'],
    ['<(k)', 'global', 'k'],
    ['=(k)', 'equality', 'k'],
    ['X(k)', 'negation', 'k'],
    ['^(k)', 'existence', 'k'],
    ['+(k)', 'addIfAbsent', 'k'],
    [' =(k) ', 'equality', 'k'],
    ['(a.b/c-*)', 'conditional', 'a.b/c-*'],
    ['((k))', 'conditional', '(k)'],
  ])('%s is %s of %s', (text, kind, key) => {
    expect(parseAnchor(text)).toEqual({kind, key});
    expect(hasAnchor(text)).toBe(true);
  });

  it.each(['k', '', '()', '(k', 'k)', 'x(k)', 'XX(k)', '==(k)', '-(k)', '(k)x'])('%j is a plain key', text => {
    expect(parseAnchor(text)).toBeUndefined();
    expect(hasAnchor(text)).toBe(false);
  });
});
