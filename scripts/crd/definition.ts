import {type OpenApi, quiet, type SchemaNode, toOpenApi} from './schema.js';

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  /** Shown only by `-o wide`. */
  readonly wide?: true;
}

export interface Version {
  readonly name: string;
  /** Which version the API server writes; exactly one per kind. */
  readonly storage?: true;
  /** Version that users should take instead. */
  readonly deprecatedFor?: string;
}

/** One kind: what its manifest and its TypeScript type are made of. All versions share one schema. */
export interface Definition {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly versions: readonly Version[];
  readonly columns: readonly Column[];
  readonly selectableFields?: readonly string[];
  readonly description: string;
  /** Root properties besides apiVersion, kind and metadata. */
  readonly properties: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
  /** CEL on the whole object, judged by the API server. */
  readonly validations?: ReadonlyArray<{readonly rule: string; readonly message: string}>;
  /**
   * Only the first version, which `kubectl explain` shows, carries descriptions: a large manifest must fit into the
   * annotation of a client-side apply. Not together with selectableFields: the API server takes those only when either
   * they or the schemas differ between versions, or neither does.
   */
  readonly explainsFirstVersionOnly?: true;
  /** Name of the TypeScript interface where the kind's own name is taken. */
  readonly typeName?: string;
}

export const age: Column = {name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp'};

function rootSchema(definition: Definition, documented: boolean): OpenApi {
  const own = Object.entries(definition.properties).map(([key, node]) => [
    key,
    toOpenApi(documented ? node : quiet(node)),
  ]);
  return {
    description: definition.description,
    type: 'object',
    ...(definition.required === undefined ? {} : {required: [...definition.required]}),
    ...(definition.validations === undefined ? {} : {'x-kubernetes-validations': definition.validations.map(each => ({...each}))}),
    properties: {
      apiVersion: {type: 'string', description: 'API group and version.'},
      kind: {type: 'string', description: 'Kind.'},
      metadata: {type: 'object'},
      ...Object.fromEntries(own),
    },
  };
}

function versionManifest(definition: Definition, version: Version): OpenApi {
  const {columns, selectableFields} = definition;
  const documented = version === definition.versions[0] || !definition.explainsFirstVersionOnly;
  const hasStatus = Object.hasOwn(definition.properties, 'status');
  const deprecation =
    version.deprecatedFor === undefined
      ? {}
      : {
          deprecated: true,
          deprecationWarning: `${definition.group}/${version.name} ${definition.kind} is deprecated; use ${definition.group}/${version.deprecatedFor}`,
        };
  return {
    name: version.name,
    served: true,
    storage: version.storage ?? false,
    ...deprecation,
    schema: {openAPIV3Schema: rootSchema(definition, documented)},
    ...(hasStatus ? {subresources: {status: {}}} : {}),
    ...(selectableFields === undefined ? {} : {selectableFields: selectableFields.map(jsonPath => ({jsonPath}))}),
    ...(columns.length === 0
      ? {}
      : {additionalPrinterColumns: columns.map(({wide, ...column}) => ({...column, ...(wide ? {priority: 1} : {})}))}),
  };
}

/** The CustomResourceDefinition as a plain object, keys in reading order. */
export function toManifest(definition: Definition): OpenApi {
  const {group, kind, plural, scope, shortNames, categories} = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      labels: {'app.kubernetes.io/component': 'crds', 'app.kubernetes.io/part-of': 'kyverno'},
    },
    spec: {
      group,
      scope,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames.length === 0 ? {} : {shortNames: [...shortNames]}),
        ...(categories.length === 0 ? {} : {categories: [...categories]}),
      },
      versions: definition.versions.map(version => versionManifest(definition, version)),
    },
  };
}
