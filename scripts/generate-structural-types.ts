/**
 * Writes engine/cel-mutate/schema/kinds.generated.json from the OpenAPI v3 documents of Kubernetes
 * (api/openapi-spec/v3 of the Go module k8s.io/kubernetes, fetched by the `go` command).
 *
 *   node --import tsx scripts/generate-structural-types.ts [version, default v1.37.2]
 *
 * Only what merging needs: fields, their types, how lists and maps merge, defaults of list keys. The form is described in
 * engine/cel-mutate/schema/built-in.ts. Equal types are written once.
 */
import {execFileSync} from 'node:child_process';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-group-version-kind'?: ReadonlyArray<{
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }>;
}

const root = join(fileURLToPath(import.meta.url), '../..');
const version = process.argv[2] ?? 'v1.37.2';
const answer = execFileSync('go', ['mod', 'download', '-json', `k8s.io/kubernetes@${version}`], {encoding: 'utf8'});
const folder = join((JSON.parse(answer) as {readonly Dir: string}).Dir, 'api/openapi-spec/v3');

const schemas = new Map<string, Schema>();
for (const file of readdirSync(folder).sort()) {
  const document = JSON.parse(readFileSync(join(folder, file), 'utf8')) as {
    components?: {schemas?: Record<string, Schema>};
  };
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) schemas.set(name, schema);
}

/** Rows by the name of their definition; references inside them are written `<name>`. */
const rows = new Map<string, Record<string, string>>();

function refOf(schema: Schema): string | undefined {
  const ref = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]!.$ref : undefined);
  return ref?.slice(ref.lastIndexOf('/') + 1);
}

function typeText(schema: Schema): string {
  const name = refOf(schema);
  if (name !== undefined) {
    const text = namedText(name);
    if (schema['x-kubernetes-map-type'] === 'atomic')
      throw new Error(`${name} is made atomic where it is used: the table has no form for it`);
    return text;
  }
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'n';
    case 'boolean':
      return 'b';
    case 'string':
      return schema.format === undefined || schema.format === 'byte' ? 's' : 'u';
    case 'array':
      return listText(schema);
    case 'object': {
      if (schema.properties !== undefined) throw new Error('objects without a name are not expected here');
      const atomic = schema['x-kubernetes-map-type'] === 'atomic' ? '!' : '';
      const {additionalProperties} = schema;
      const element = typeof additionalProperties === 'object' ? typeText(additionalProperties) : 'd';
      return `{${atomic}}${element}`;
    }
    default:
      return schema.oneOf === undefined ? 'd' : 'u';
  }
}

function listText(schema: Schema): string {
  const element = typeText(schema.items!);
  const type = schema['x-kubernetes-list-type'];
  const strategy = (schema['x-kubernetes-patch-strategy'] ?? '').split(',');
  const mergeKey = schema['x-kubernetes-patch-merge-key'];
  if (type === 'atomic' || (type === undefined && !strategy.includes('merge'))) return `[]${element}`;
  const keys =
    type === 'map' ? schema['x-kubernetes-list-map-keys']! : type === 'set' || mergeKey === undefined ? [] : [mergeKey];
  if (keys.length === 0) return `[*]${element}`;
  const item = schemas.get(refOf(schema.items!) ?? '');
  const withDefaults = keys.map(key => {
    const value = item?.properties?.[key]?.default;
    return value === undefined ? key : `${key}=${JSON.stringify(value)}`;
  });
  return `[${withDefaults.join(',')}]${element}`;
}

function namedText(name: string): string {
  const schema = schemas.get(name);
  if (schema === undefined) throw new Error(`no definition ${name}`);
  if (name.endsWith('.resource.Quantity')) return 'u';
  if (name.endsWith('.runtime.RawExtension')) return 'x';
  if (schema.type !== 'object' || schema.properties === undefined) return typeText(schema);
  if (!rows.has(name)) {
    const row: Record<string, string> = {};
    rows.set(name, row);
    const fields = new Map<string, string[]>();
    for (const [field, property] of Object.entries(schema.properties)) {
      const text = typeText(property);
      fields.set(text, [...(fields.get(text) ?? []), field]);
    }
    for (const text of [...fields.keys()].sort()) row[text] = fields.get(text)!.sort().join(' ');
    if (schema['x-kubernetes-map-type'] === 'atomic') row['!'] = '';
    if (typeof schema.additionalProperties === 'object') row['*'] = typeText(schema.additionalProperties);
  }
  return `<${name}>`;
}

const kinds = new Map<string, string>();
for (const [name, schema] of [...schemas].sort(([a], [b]) => (a < b ? -1 : 1))) {
  const gvks = schema['x-kubernetes-group-version-kind'] ?? [];
  // Types that serve as parameters of every group (DeleteOptions and the like) are no objects of their own.
  if (gvks.length !== 1 || gvks[0]!.kind.endsWith('List') || schema.properties?.['metadata'] === undefined) continue;
  const {group, version: apiVersion, kind} = gvks[0]!;
  kinds.set(`${group === '' ? '' : `${group}/`}${apiVersion}/${kind}`, namedText(name));
}

/** Names of equal rows become one, until nothing is equal any more. */
const alias = new Map([...rows.keys()].map(name => [name, name]));
const resolve = (text: string): string => text.replace(/<([^>]+)>/g, (_, name: string) => `<${alias.get(name)}>`);
for (let changed = true; changed; ) {
  changed = false;
  const seen = new Map<string, string>();
  for (const [name, row] of rows) {
    if (alias.get(name) !== name) continue;
    const key = JSON.stringify(Object.entries(row).map(([type, names]) => [resolve(type), names]));
    const twin = seen.get(key);
    if (twin === undefined) seen.set(key, name);
    else {
      for (const [from, to] of alias) if (to === name) alias.set(from, twin);
      changed = true;
    }
  }
}

const index = new Map([...rows.keys()].filter(name => alias.get(name) === name).map((name, at) => [name, at]));
const short = (text: string): string => resolve(text).replace(/<([^>]+)>/g, (_, name: string) => `${index.get(name)}`);
const types = [...index.keys()].map(name =>
  Object.fromEntries(
    Object.entries(rows.get(name)!).map(([type, names]) =>
      type === '*' ? [type, short(names)] : [short(type), names],
    ),
  ),
);
const source = `Kubernetes ${version} api/openapi-spec/v3, by scripts/generate-structural-types.ts`;
const table = {source, types, kinds: Object.fromEntries([...kinds].map(([kind, text]) => [kind, Number(short(text))]))};
writeFileSync(join(root, 'engine/cel-mutate/schema/kinds.generated.json'), `${JSON.stringify(table)}\n`);
