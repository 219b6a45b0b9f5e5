import {describe, expect, it} from 'vitest';
import {type Definition, toManifest} from './definition.js';
import {flag, free, list, named, quiet, requiring, type SchemaNode, text, texts, toOpenApi, word} from './schema.js';
import {typeFiles} from './typescript.js';

describe('a schema node as OpenAPI', () => {
  const rows: [string, SchemaNode, object][] = [
    ['a text', text('A.'), {description: 'A.', type: 'string'}],
    [
      'a word is a text: the operator judges the spelling',
      word('A.', ['X', 'Y']),
      {description: 'A. One of X, Y.', type: 'string'},
    ],
    ['free data has no type', free('A.'), {description: 'A.', 'x-kubernetes-preserve-unknown-fields': true}],
    ['a list of texts', texts('A.'), {description: 'A.', type: 'array', items: {type: 'string'}}],
    [
      'an object with a required part',
      requiring(named('N', 'A.', {b: flag('B.'), a: flag('A.')}), 'b', 'a'),
      {
        description: 'A.',
        type: 'object',
        required: ['a', 'b'],
        properties: {b: {description: 'B.', type: 'boolean'}, a: {description: 'A.', type: 'boolean'}},
      },
    ],
    [
      'a quiet object keeps only its own description',
      quiet(named('N', 'A.', {b: flag('B.')})),
      {description: 'A.', type: 'object', properties: {b: {type: 'boolean'}}},
    ],
  ];
  it.each(rows)('%s', (_, node, expected) => {
    expect(toOpenApi(node)).toEqual(expected);
  });
});

function definition(spec: SchemaNode, kind = 'Thing'): Definition {
  return {
    explainsFirstVersionOnly: true,
    group: 'kyverno.io',
    kind,
    plural: `${kind.toLowerCase()}s`,
    scope: 'Cluster',
    shortNames: [],
    categories: [],
    versions: [
      {name: 'v2', storage: true},
      {name: 'v1', deprecatedFor: 'v2'},
    ],
    columns: [],
    description: 'A thing.',
    properties: {spec},
  };
}

describe('a definition as a manifest', () => {
  it('documents fields in the first version only where asked to', () => {
    const manifest = toManifest(definition(named('Spec', 'All.', {on: flag('On.')})));
    const versions = (manifest['spec'] as {versions: {schema: {openAPIV3Schema: {properties: {spec: object}}}}[]})
      .versions;
    expect(versions.map(version => version.schema.openAPIV3Schema.properties.spec)).toEqual([
      {description: 'All.', type: 'object', properties: {on: {description: 'On.', type: 'boolean'}}},
      {description: 'All.', type: 'object', properties: {on: {type: 'boolean'}}},
    ]);
  });

  it('names the version to use instead of a deprecated one', () => {
    const manifest = toManifest(definition(text('All.')));
    expect((manifest['spec'] as {versions: object[]}).versions[1]).toMatchObject({
      served: true,
      storage: false,
      deprecated: true,
      deprecationWarning: 'kyverno.io/v1 Thing is deprecated; use kyverno.io/v2',
    });
  });
});

describe('a definition as TypeScript', () => {
  it('makes optional members with comments, and interfaces of named objects', () => {
    const part = named('Part', 'A part.', {name: text('Name.'), mode: word('Mode.', ['A'])});
    const files = typeFiles([definition(named('Spec', 'All.', {parts: list('Parts.', part), data: free('Data.')}))]);
    const module = files.get('crds/types/kyverno.generated.ts') ?? '';
    expect(module).toContain("  /** Mode. One of A. */\n  mode?: 'A' | (string & {});\n");
    expect(module).toContain('  /** Parts. */\n  parts?: Part[];\n  /** Data. */\n  data?: unknown;\n');
    expect(module).toContain("  apiVersion: 'kyverno.io/v2' | 'kyverno.io/v1';\n  kind: 'Thing';\n");
    expect(module).toContain("import type {ObjectMeta} from './common.generated.js';");
  });

  it('refuses two shapes under one name', () => {
    const one = named('Part', 'A part.', {name: text('Name.')});
    const other = named('Part', 'A part.', {size: text('Size.')});
    expect(() => typeFiles([definition(one, 'One'), definition(other, 'Other')])).toThrow('two shapes are named Part');
  });
});
