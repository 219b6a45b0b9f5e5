import {mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Readable, Writable} from 'node:stream';
import {describe, expect, it} from 'vitest';
import {functionTable} from '../../engine/jmespath/functions/table.js';
import {functionCommand} from './function.js';
import {functionNotes} from './function-notes.js';
import {parseCommand} from './parse.js';
import {queryCommand, type QueryOptions} from './query.js';
import {functionHelp} from './signatures.js';
import type {Streams} from './streams.js';

function streams(input = ''): Streams & {text(): string} {
  let written = '';
  const output = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk);
      done();
    },
  });
  return {input: Readable.from([Buffer.from(input)]), output, text: () => written};
}

const folder = mkdtempSync(join(tmpdir(), 'jp-'));
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const plain: QueryOptions = {query: [], compact: false, unquoted: false};

async function query(expressions: readonly string[], options: Partial<QueryOptions>, input = ''): Promise<string> {
  const io = streams(input);
  await queryCommand(expressions, {...plain, ...options}, io);
  return io.text();
}

describe('jp query', () => {
  const data = file('data.yaml', 'b: "<x> & y"\na: {size: 1, list: [1, 2]}\nempty: {}\n---\na: second\n');

  const cases: readonly {title: string; query: readonly string[]; options?: Partial<QueryOptions>; wanted: string}[] = [
    {
      title: 'two blanks a level, keys sorted',
      query: ['a'],
      wanted: '# a\n{\n  "list": [\n    1,\n    2\n  ],\n  "size": 1\n}\n',
    },
    {title: 'compact JSON', query: ['a'], options: {compact: true}, wanted: '# a\n{"list":[1,2],"size":1}\n'},
    {title: 'special characters of HTML are escaped', query: ['b'], wanted: '# b\n"\\u003cx\\u003e \\u0026 y"\n'},
    {title: 'a bare text', query: ['b'], options: {unquoted: true}, wanted: '# b\n<x> & y\n'},
    {
      title: 'unquoted leaves other values alone',
      query: ['a.size'],
      options: {unquoted: true},
      wanted: '# a.size\n1\n',
    },
    {title: 'several expressions in turn', query: ['a.size', 'a.list[1]'], wanted: '# a.size\n1\n# a.list[1]\n2\n'},
    {title: 'an empty map stays on its line', query: ['empty'], wanted: '# empty\n{}\n'},
    {title: 'a default for a missing key', query: ["missing || 'd'"], wanted: '# missing || \'d\'\n"d"\n'},
    {
      title: 'a list over a missing key',
      query: ['[missing]'],
      options: {compact: true},
      wanted: '# [missing]\n[null]\n',
    },
  ];
  for (const {title, query: expressions, options, wanted} of cases) {
    it(title, async () => expect(await query(expressions, {input: data, ...options})).toBe(wanted));
  }

  it('keeps the newline of an expression file', async () => {
    expect(await query([], {input: data, query: [file('q.jp', 'a.size\n')]})).toBe('# a.size\n\n1\n');
  });

  it('asks for the object when no file is given', async () => {
    expect(await query(['a'], {}, '{"a": 1}')).toBe(
      'Reading from terminal input.\nEnter input object and hit Ctrl+D.\n# a\n1\n',
    );
  });

  it('asks for the expression when only an object is given', async () => {
    expect(await query([], {input: data}, 'a.size\n')).toBe(
      'Reading from terminal input.\nEnter a jmespath expression and hit Ctrl+D.\n# a.size\n1\n',
    );
  });

  const faults: readonly [string, readonly string[], Partial<QueryOptions>, string | RegExp][] = [
    ['nothing to do', [], {}, 'at least one query or input object is required'],
    [
      'an unknown key at the top',
      ['missing'],
      {input: data},
      'error evaluating JMESPath expression: Unknown key "missing" in path',
    ],
    ['a syntax error', ['a.'], {input: data}, /^failed to compile JMESPath: a\., error: SyntaxError: /],
    ['an unknown function', ['foo(a)'], {input: data}, /^failed to compile JMESPath: foo\(a\), error: /],
    ['broken YAML', ['a'], {input: file('broken.yaml', 'a: [\n')}, /^failed to load input: .*broken\.yaml:\d+:\d+: /],
    ['a missing file', ['a'], {input: join(folder, 'none.yaml')}, /no such file or directory/],
  ];
  for (const [title, expressions, options, message] of faults) {
    it(`refuses ${title}`, () => expect(query(expressions, options)).rejects.toThrow(message));
  }
});

describe('jp parse', () => {
  async function parse(expression: string): Promise<string> {
    const io = streams();
    await parseCommand([expression], {file: []}, io);
    return io.text();
  }

  it('shows the tree with one closing brace for a node and its children', async () => {
    expect(await parse('a | b == `9`')).toBe(
      [
        '# a | b == `9`',
        'ASTPipe {',
        '  children: {',
        '    ASTField {',
        '      value: "a"',
        '    }',
        '    ASTComparator {',
        '      value: tEQ',
        '      children: {',
        '        ASTField {',
        '          value: "b"',
        '        }',
        '        ASTLiteral {',
        '          value: 9',
        '        }',
        '    }',
        '}',
        '',
      ].join('\n'),
    );
  });

  const types: readonly [string, readonly string[]][] = [
    ['@', ['ASTCurrentNode']],
    ['a.b', ['ASTSubexpression', 'ASTField', 'ASTField']],
    ['a[0]', ['ASTIndexExpression', 'ASTField', 'ASTIndex']],
    ['a[1:2]', ['ASTProjection', 'ASTIndexExpression', 'ASTField', 'ASTSlice', 'ASTIdentity']],
    ['a[]', ['ASTProjection', 'ASTFlatten', 'ASTField', 'ASTIdentity']],
    ['a[*].b', ['ASTProjection', 'ASTField', 'ASTField']],
    ['*.a', ['ASTValueProjection', 'ASTIdentity', 'ASTField']],
    ['a[?b]', ['ASTFilterProjection', 'ASTField', 'ASTIdentity', 'ASTField']],
    ['[a, b]', ['ASTMultiSelectList', 'ASTField', 'ASTField']],
    ['{x: a}', ['ASTMultiSelectHash', 'ASTKeyValPair', 'ASTField']],
    ['a || !b && c', ['ASTOrExpression', 'ASTField', 'ASTAndExpression', 'ASTNotExpression', 'ASTField', 'ASTField']],
    ['sort_by(a, &b)', ['ASTFunctionExpression', 'ASTField', 'ASTExpRef', 'ASTField']],
  ];
  for (const [expression, wanted] of types) {
    it(`reads ${expression} as ${wanted[0]}`, async () =>
      expect((await parse(expression)).match(/AST\w+/g)).toEqual(wanted));
  }

  const literals: readonly [string, string][] = [
    ['`{"b":[1,"x"],"a":null}`', 'map[string]interface {}{"a":interface {}(nil), "b":[]interface {}{1, "x"}}'],
    ["'text'", '"text"'],
    ['`true`', 'true'],
    ['`1.5`', '1.5'],
  ];
  for (const [expression, wanted] of literals) {
    it(`prints ${expression} in Go's syntax`, async () =>
      expect(await parse(expression)).toContain(`value: ${wanted}\n`));
  }

  it('points at a syntax fault', () => expect(parse('a.[')).rejects.toThrow(/^SyntaxError: .*\na\.\[\n {3}\^$/));
});

describe('jp function', () => {
  it('knows the notes of exactly the functions beyond the standard language', () => {
    const standard =
      'abs avg ceil contains ends_with floor join keys length map max max_by merge min min_by not_null reverse sort sort_by starts_with to_array to_number to_string type values';
    const beyond = [...functionTable.keys()].filter(name => !standard.split(' ').includes(name));
    expect(Object.keys(functionNotes).sort()).toEqual(beyond.sort());
    expect(beyond).toHaveLength(51);
  });

  it('is sorted by signature', () => {
    const signatures = functionHelp().map(help => help.signature);
    expect(signatures).toEqual([...signatures].sort());
  });

  it('shows the named ones and passes over unknown names', () => {
    const io = streams();
    functionCommand(['lookup', 'nothing', 'time_now'], io);
    expect(io.text()).toMatch(
      /^Name: lookup\n {2}Signature: lookup\(object\|array, string\|number\) any\n {2}Note: {6}.+\n\nName: time_now\n {2}Signature: time_now\(\) string\n {2}Note: {6}.+\n\n$/,
    );
  });
});
