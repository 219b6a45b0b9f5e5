import type {Definition} from './definition.js';
import {type SchemaNode, silent} from './schema.js';

const banner = '// Generated from scripts/crd by `npm run generate`; edit there.\n';
const moduleOfGroup: Readonly<Record<string, string>> = {
  'kyverno.io': 'kyverno',
  'operator.kyverno-ts.io': 'operator',
  'policies.kyverno.io': 'policies',
  'reports.kyverno.io': 'reports',
  'wgpolicyk8s.io': 'reports',
};

const objectMeta = `/** Metadata as far as policies and tools look at it. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  finalizers?: string[];
  ownerReferences?: {
    apiVersion: string;
    kind: string;
    name: string;
    uid: string;
    controller?: boolean;
    blockOwnerDeletion?: boolean;
  }[];
}
`;

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`;
}

/** TypeScript text of a node, as used at its place. */
function typeText(node: SchemaNode, indent: string): string {
  if (node.nullable) {
    const {nullable: _, ...rest} = node;
    return `${typeText(rest, indent)} | null`;
  }
  if (node.ts !== undefined) return node.ts;
  if (node.name !== undefined) return node.name;
  switch (node.type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'array': {
      const item = typeText(node.items ?? {}, indent);
      return item.includes('|') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      if (node.values !== undefined) return `Record<string, ${typeText(node.values, indent)}>`;
      return `{\n${members(node, `${indent}  `)}${indent}}`;
    default:
      return 'unknown';
  }
}

function members(node: SchemaNode, indent: string): string {
  let out = '';
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    const optional = node.required?.includes(name) ? '' : '?';
    out += `${comment(child.description, indent)}${indent}${key(name)}${optional}: ${typeText(child, indent)};\n`;
  }
  return out;
}

function interfaceText(node: SchemaNode): string {
  return `${comment(node.about, '')}export interface ${node.name} {\n${members(node, '  ')}}\n`;
}

/** Shape of a named node without its description, to tell a second use from a clash of names. */
function shape(node: SchemaNode): string {
  return members(silent(node), '');
}

/** Calls back for every named node below, dependencies first. */
function walk(node: SchemaNode, visit: (node: SchemaNode) => void): void {
  for (const child of Object.values(node.properties ?? {})) walk(child, visit);
  if (node.items !== undefined) walk(node.items, visit);
  if (node.values !== undefined) walk(node.values, visit);
  for (const used of node.uses ?? []) walk(used, visit);
  if (node.name !== undefined) visit(node);
}

function kindText(definition: Definition): string {
  const versions = definition.versions.map(version => `'${definition.group}/${version.name}'`).join(' | ');
  const root: SchemaNode = {
    type: 'object',
    properties: definition.properties,
    ...(definition.required === undefined ? {} : {required: definition.required}),
  };
  return (
    `/** ${definition.description} */\n` +
    `export interface ${definition.typeName ?? definition.kind} {\n` +
    `  apiVersion: ${versions};\n  kind: '${definition.kind}';\n  metadata: ObjectMeta;\n${members(root, '  ')}}\n`
  );
}

/** One module per API group and one for what several groups use. */
export function typeFiles(definitions: readonly Definition[]): ReadonlyMap<string, string> {
  const modules = new Map<string, {node: SchemaNode; modules: Set<string>}>();
  const kinds = new Map<string, Definition[]>();
  for (const definition of definitions) {
    const module = moduleOfGroup[definition.group];
    if (module === undefined) throw new Error(`no module for group ${definition.group}`);
    kinds.set(module, [...(kinds.get(module) ?? []), definition]);
    for (const property of Object.values(definition.properties)) {
      walk(property, node => {
        const name = node.name ?? '';
        const known = modules.get(name);
        if (known === undefined) modules.set(name, {node, modules: new Set([module])});
        else if (shape(known.node) !== shape(node)) throw new Error(`two shapes are named ${name}`);
        else {
          known.modules.add(module);
          // A quiet second use must not take the comments away.
          if (members(node, '').length > members(known.node, '').length) known.node = node;
        }
      });
    }
  }
  const place = (name: string): string => {
    const users = modules.get(name)?.modules ?? new Set();
    return users.size > 1 ? 'common' : ([...users][0] ?? 'common');
  };
  const texts = new Map<string, string[]>([['common', [objectMeta]]]);
  for (const [name, {node}] of modules)
    texts.set(place(name), [...(texts.get(place(name)) ?? []), interfaceText(node)]);
  for (const [module, list] of kinds) texts.set(module, [...(texts.get(module) ?? []), ...list.map(kindText)]);

  const files = new Map<string, string>();
  for (const [module, parts] of texts) {
    const body = parts.join('\n');
    const common =
      module === 'common' ? [] : ['ObjectMeta', ...[...modules.keys()].filter(name => place(name) === 'common')];
    const used = common.filter(name => new RegExp(`\\b${name}\\b`).test(body)).sort();
    const imports = used.length === 0 ? '' : `import type {${used.join(', ')}} from './common.generated.js';\n\n`;
    files.set(`crds/types/${module}.generated.ts`, `${banner}${imports}${body}`);
  }
  const exports = [...texts.keys()].sort().map(module => `export type * from './${module}.generated.js';\n`);
  const index = `${banner}/** The objects of our APIs as users write them; nothing is filled in or normalised. */\n${exports.join('')}`;
  files.set('crds/types/index.ts', index);
  return files;
}
