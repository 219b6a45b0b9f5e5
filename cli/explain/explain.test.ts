import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {stripVTControlCharacters} from 'node:util';
import {describe, expect, it} from 'vitest';
import {collectStreams} from '../output/testing/collected-streams.js';
import {type ExplainFlags, runExplain} from './run-explain.js';

const golden = join(import.meta.dirname, '..', '..', 'test', 'golden', 'explain');
/** `UPDATE_GOLDEN=1` writes the files anew. */
const update = process.env['UPDATE_GOLDEN'] === '1';
const cases = readdirSync(golden).sort();

async function explain(name: string, flags: ExplainFlags = {}, terminal = false) {
  const streams = collectStreams(terminal);
  const status = await runExplain(
    join(golden, name, 'policy.yaml'),
    join(golden, name, 'resource.yaml'),
    flags,
    streams,
  );
  return {status, ...streams.written};
}

/** A case may bring who asks, the object before the change, and values. */
function flagsOf(name: string): ExplainFlags {
  const at = (file: string) => (existsSync(join(golden, name, file)) ? join(golden, name, file) : undefined);
  const [userinfo, oldResource, valuesFile] = [at('user.yaml'), at('old.yaml'), at('values.yaml')];
  return {
    ...(userinfo !== undefined && {userinfo}),
    ...(oldResource !== undefined && {oldResource}),
    ...(valuesFile !== undefined && {valuesFile}),
  };
}

function compare(path: string, text: string): void {
  if (update) writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, 'utf8'));
}

describe('explain', () => {
  it('is held to at least twenty kinds of policies', () => expect(cases.length).toBeGreaterThanOrEqual(20));

  for (const name of cases) {
    it(`${name} reads as agreed, as text and as JSON`, async () => {
      const text = await explain(name, flagsOf(name));
      expect(text.status).toBe(0);
      compare(join(golden, name, 'want.txt'), text.out);
      const json = await explain(name, {...flagsOf(name), json: true});
      JSON.parse(json.out);
      compare(join(golden, name, 'want.json'), json.out);
    });
  }

  it('paints only on a terminal, and text alone says the same', async () => {
    const plain = await explain('pattern-plain');
    const painted = await explain('pattern-plain', {}, true);
    expect(plain.out).not.toContain('\u001b');
    expect(stripVTControlCharacters(painted.out)).toBe(plain.out);
    expect((await explain('pattern-plain', {removeColor: true}, true)).out).toBe(plain.out);
  });

  it('shows only the rule that is asked for, and what is derived from it', async () => {
    const {out} = await explain('mutate-merge', {rule: 'then-check'});
    expect(out).toContain('rule then-check');
    expect(out).not.toContain('rule pull');
    expect((await explain('autogen', {rule: 'labelled'})).out).toContain('rule autogen-labelled');
  });

  it('names the rules there are when the one asked for is unknown', () =>
    expect(explain('pattern-plain', {rule: 'x'})).rejects.toThrow('no rule x; there are: tagged'));

  it('refuses an operation that is none', () =>
    expect(explain('pattern-plain', {operation: 'PATCH'})).rejects.toThrow(
      'expected CREATE, UPDATE, DELETE, found PATCH',
    ));

  it('judges an update against the old object', async () => {
    const {out} = await explain('pattern-plain', {oldResource: join(golden, 'pattern-plain', 'resource.yaml')});
    expect(out).toContain('(UPDATE)');
  });
});
