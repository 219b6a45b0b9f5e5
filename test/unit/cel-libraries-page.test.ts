import {describe, expect, it} from 'vitest';
import {exampleRunner, namesOnPage, pageRows, servedNames} from '../guide/cel-library-page.js';

describe('docs/cel-libraries.md', () => {
  const run = exampleRunner();

  for (const row of pageRows()) {
    it(`${row.section}: ${row.example} is ${row.value}`, () => expect(run(row)).toBe(row.value));
  }

  it('has an example of every function that is served', () => {
    const names = namesOnPage();
    expect(servedNames().filter(name => !names.has(name))).toEqual([]);
  });
});
