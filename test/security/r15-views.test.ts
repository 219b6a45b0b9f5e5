import {readdirSync, readFileSync, statSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import {stringifyJson} from '../../engine/json/stringify.js';

/** Text of a report, written by whoever owns the object, is run as script by who looks at it. */
const root = resolve(import.meta.dirname, '../..');
const servers = ['webhook', 'operator', 'adapters', 'cli'];
const html = /text\/html|\.type = ['"]html|<html|<!doctype/i;

function* sources(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* sources(path);
    else if (/\.ts$/.test(name) && !/\.test\.ts$/.test(name)) yield path;
  }
}

describe('no view of values is a page', () => {
  it('nothing that is served is HTML: answers are JSON and plain text', () => {
    const found = servers.flatMap(folder => [...sources(join(root, folder))]).filter(path => html.test(readFileSync(path, 'utf8')));
    expect(found).toEqual([]);
  });

  it('would be found', () => {
    expect(html.test("context.type = 'html'; context.body = `<p>${message}</p>`")).toBe(true);
  });

  it('what a value holds stays text in JSON', () => {
    expect(JSON.parse(stringifyJson({message: '</script><script>alert(1)</script>'}))).toEqual({message: '</script><script>alert(1)</script>'});
  });
});
