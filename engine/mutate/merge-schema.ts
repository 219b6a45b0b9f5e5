import table from './merge-keys.generated.json' with {type: 'json'};

/** How one field of a type merges. Fields without an entry: maps merge, lists are replaced. */
export interface MergeField {
  /** Of the map, or of the list's elements. */
  readonly schema: MergeSchema | undefined;
  /** Set for lists that merge: the keys that identify an element, the decisive one first; empty for sets of scalars. */
  readonly keys: readonly string[] | undefined;
}

/** The fields of a type that lead to merge lists. Cyclic where Kubernetes types are. */
export interface MergeSchema {
  readonly fields: ReadonlyMap<string, MergeField>;
}

type FieldRow = number | readonly [number, ...string[]];

const types = table.types as unknown as readonly Readonly<Record<string, FieldRow>>[];
const kinds = new Map(Object.entries(table.kinds));
/** Other versions of a kind share its merge keys: `batch/v1beta1/CronJob` is found as `batch/CronJob`. */
const kindsByGroup = new Map([...kinds].map(([key, type]) => [key.replace(/(^|\/)v[^/]*\//, '$1'), type]));
const built: (MergeSchema | undefined)[] = [];

/** Merge keys of a built-in kind, from the Kubernetes OpenAPI; `undefined` for kinds it does not know. */
export function mergeSchemaFor(apiVersion: string, kind: string): MergeSchema | undefined {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash + 1);
  const type = kinds.get(`${apiVersion}/${kind}`) ?? kindsByGroup.get(`${group}${kind}`);
  return type === undefined ? undefined : schemaAt(type);
}

function schemaAt(type: number): MergeSchema {
  const known = built[type];
  if (known) return known;
  const fields = new Map<string, MergeField>();
  const schema = {fields};
  built[type] = schema;
  for (const [name, row] of Object.entries(types[type]!)) {
    const [target, ...keys] = typeof row === 'number' ? [row] : row;
    fields.set(name, {
      schema: target < 0 ? undefined : schemaAt(target),
      keys: typeof row === 'number' ? undefined : keys,
    });
  }
  return schema;
}
