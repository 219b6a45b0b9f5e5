import {describe, expect, test} from 'vitest';
import {issuesText} from './errors.js';

describe('issues as text', () => {
  test('a caret stands under the place', () => {
    expect(issuesText('1 + foo', [{message: 'bad', at: 4}])).toBe('ERROR: <input>:1:5: bad\n | 1 + foo\n | ....^');
  });

  test('each issue has its line', () => {
    const source = 'a &&\r\n\tb &&\n c';
    const issues = [0, 7, 13].map(at => ({message: 'bad', at}));
    expect(issuesText(source, issues)).toBe(
      [
        'ERROR: <input>:1:1: bad\n | a &&\n | ^',
        'ERROR: <input>:2:2: bad\n |  b &&\n | .^',
        'ERROR: <input>:3:2: bad\n |  c\n | .^',
      ].join('\n'),
    );
  });

  test('columns count code points, wide characters have wide dots', () => {
    expect(issuesText("'😁é' in x", [{message: 'bad', at: 9}])).toBe(
      "ERROR: <input>:1:9: bad\n | '😁é' in x\n | .．．.....^".replace('.....^', '.....^'),
    );
    expect(issuesText('😁', [{message: 'bad', at: 0}])).toBe('ERROR: <input>:1:1: bad\n | 😁\n | ＾');
  });

  test('the end of the text is a place', () => {
    expect(issuesText('1 +', [{message: 'bad', at: 3}])).toBe('ERROR: <input>:1:4: bad\n | 1 +\n | ...^');
    expect(issuesText('', [{message: 'bad', at: 0}])).toBe('ERROR: <input>:1:1: bad\n | \n | ^');
    expect(issuesText('a\n', [{message: 'bad', at: 2}])).toBe('ERROR: <input>:2:1: bad\n | \n | ^');
  });

  test('hints are shown where they are asked for', () => {
    const issues = [{message: 'bad', at: 0, hint: 'do it'}];
    expect(issuesText('a', issues, {hints: true})).toBe('ERROR: <input>:1:1: bad\n | a\n | ^\n | hint: do it');
    expect(issuesText('a', issues)).not.toContain('hint');
  });

  test('of a long line the part around the place is shown', () => {
    const text = issuesText(`${'a'.repeat(50_000)}b`, [{message: 'bad', at: 50_000}]);
    expect(text.length).toBeLessThan(3_000);
    expect(text).toContain('<input>:1:50001: bad');
    expect(text.split('\n')[1]!.at(-1)).toBe('b');
  });
});
