/**
 * Writes engine/mutate/merge-keys.generated.json and engine/resource-map.generated.json from the OpenAPI document of
 * Kubernetes (api/openapi-spec/swagger.json of the Go module k8s.io/kubernetes, fetched by the `go` command).
 *
 *   node --import tsx scripts/generate-merge-keys.ts [version, default v1.34.2]
 *
 * Merge keys: for every kind, the fields that lead to a list with patch strategy `merge`, and that list's keys
 * (`x-kubernetes-list-map-keys`, else `x-kubernetes-patch-merge-key`, none for sets of scalars).
 * Resources: every path of the API with its kind, scope and subresources.
 */
import {execFileSync} from 'node:child_process';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

interface Property {
  readonly $ref?: string;
  readonly type?: string;
  readonly items?: Property;
  readonly additionalProperties?: Property;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface Definition {
  readonly properties?: Readonly<Record<string, Property>>;
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
}

interface Operation {
  readonly 'x-kubernetes-group-version-kind'?: GroupVersionKind;
  readonly 'x-kubernetes-action'?: string;
}

interface Swagger {
  readonly definitions: Readonly<Record<string, Definition>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** Type index of an object field; `[type index or -1, ...keys]` of a merge list. */
type Field = number | readonly [number, ...string[]];

const root = join(fileURLToPath(import.meta.url), '../..');

function loadSwagger(version: string): Swagger {
  const answer = execFileSync('go', ['mod', 'download', '-json', `k8s.io/kubernetes@${version}`], {encoding: 'utf8'});
  const {Dir} = JSON.parse(answer) as {readonly Dir: string};
  return JSON.parse(readFileSync(join(Dir, 'api/openapi-spec/swagger.json'), 'utf8')) as Swagger;
}

function refName(property: Property | undefined): string | undefined {
  return property?.$ref?.slice('#/definitions/'.length);
}

function mergeTable(swagger: Swagger): {types: Record<string, Field>[]; kinds: Record<string, number>} {
  const {definitions} = swagger;
  const leading = new Set<string>();
  const isMerged = (property: Property): boolean =>
    property.type === 'array' && (property['x-kubernetes-patch-strategy'] ?? '').split(',').includes('merge');
  const leads = (property: Property): boolean => {
    const target = refName(property) ?? refName(property.additionalProperties);
    return isMerged(property) || (target !== undefined && leading.has(target));
  };
  for (let size = -1; size !== leading.size; ) {
    size = leading.size;
    for (const [name, definition] of Object.entries(definitions)) {
      if (Object.values(definition.properties ?? {}).some(leads)) leading.add(name);
    }
  }

  const types: Record<string, Field>[] = [];
  const indexes = new Map<string, number>();
  function typeIndex(name: string): number {
    const known = indexes.get(name);
    if (known !== undefined) return known;
    const index = types.length;
    indexes.set(name, index);
    const fields: Record<string, Field> = {};
    types.push(fields);
    for (const [field, property] of Object.entries(definitions[name]!.properties ?? {}).sort()) {
      if (!leads(property)) continue;
      if (isMerged(property)) {
        const mergeKey = property['x-kubernetes-patch-merge-key'];
        const keys = property['x-kubernetes-list-map-keys'] ?? (mergeKey === undefined ? [] : [mergeKey]);
        const item = refName(property.items);
        fields[field] = [item !== undefined && leading.has(item) ? typeIndex(item) : -1, ...keys];
      } else if (refName(property) !== undefined) {
        fields[field] = typeIndex(refName(property)!);
      } else {
        throw new Error(`${name}.${field} leads to merge lists through a map of objects: the table has no form for it`);
      }
    }
    return index;
  }

  const kinds: Record<string, number> = {};
  for (const [name, definition] of Object.entries(definitions).sort()) {
    // Types that serve as parameters of every group (DeleteOptions and the like) are no objects of their own.
    const gvks = definition['x-kubernetes-group-version-kind'] ?? [];
    if (gvks.length !== 1 || !leading.has(name) || gvks[0]!.kind.endsWith('List')) continue;
    const {group, version, kind} = gvks[0]!;
    kinds[`${group ? `${group}/` : ''}${version}/${kind}`] = typeIndex(name);
  }
  return {types, kinds};
}

/** `[group, version, kind, plural, namespaced, subresources]` */
type ResourceRow = readonly [string, string, string, string, 0 | 1, readonly string[]];

const resourcePath =
  /^\/api(?:s\/[^/]+)?\/[^/]+\/(namespaces\/\{namespace\}\/)?([a-z]+)(?:\/\{name\}(?:\/([a-z]+))?)?$/;

function resourceRows(swagger: Swagger): ResourceRow[] {
  const rows = new Map<string, {gvk: GroupVersionKind; plural: string; namespaced: 0 | 1; subResources: Set<string>}>();
  const paths = Object.entries(swagger.paths).sort();
  for (const [path, methods] of paths) {
    const found = resourcePath.exec(path);
    if (!found || found[3]) continue;
    for (const operation of Object.values(methods)) {
      const gvk = operation['x-kubernetes-group-version-kind'];
      // Only verbs of the resource itself: deletecollection and the like carry the same kind, connect carries options.
      if (!gvk || !/^(?:list|get|post|put)$/.test(operation['x-kubernetes-action'] ?? '')) continue;
      const key = `${gvk.group}/${gvk.version}/${found[2]}`;
      const namespaced = found[1] ? 1 : 0;
      const row = rows.get(key);
      if (!row) rows.set(key, {gvk, plural: found[2]!, namespaced, subResources: new Set()});
      else if (namespaced) row.namespaced = 1;
    }
  }
  for (const [path] of paths) {
    const found = resourcePath.exec(path);
    if (!found?.[3]) continue;
    const [, api, group, version] = /^\/(apis?)\/(?:([^/]+)\/)?([^/]+)\//.exec(path) ?? [];
    const key = api === 'api' ? `/${path.split('/')[2]}/${found[2]}` : `${group}/${version}/${found[2]}`;
    rows.get(key)?.subResources.add(found[3]);
  }
  return [...rows.values()].map(({gvk, plural, namespaced, subResources}) => [
    gvk.group,
    gvk.version,
    gvk.kind,
    plural,
    namespaced,
    [...subResources].sort(),
  ]);
}

const version = process.argv[2] ?? 'v1.34.2';
const swagger = loadSwagger(version);
const source = `Kubernetes ${version} api/openapi-spec/swagger.json, by scripts/generate-merge-keys.ts`;
writeFileSync(
  join(root, 'engine/mutate/merge-keys.generated.json'),
  `${JSON.stringify({source, ...mergeTable(swagger)})}\n`,
);
const rows = resourceRows(swagger).map(row => JSON.stringify(row));
writeFileSync(
  join(root, 'engine/resource-map.generated.json'),
  `{"source":${JSON.stringify(source)},"resources":[\n${rows.join(',\n')}\n]}\n`,
);
