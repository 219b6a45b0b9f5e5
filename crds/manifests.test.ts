import {describe, expect, it} from 'vitest';
import {readManifests, type Schema} from './testing/manifests.js';

const manifests = readManifests();
const classic = [
  'ADMISSION',
  'BACKGROUND',
  'READY',
  'AGE',
  'FAILURE POLICY*',
  'VALIDATE*',
  'MUTATE*',
  'GENERATE*',
  'VERIFY IMAGES*',
  'MESSAGE',
];
const counts = ['Pass', 'Fail', 'Warn', 'Error', 'Skip'];
const policyReport = ['Kind', 'Name', ...counts, 'Age'];
const ephemeral = ['Source', 'Group', 'Kind', 'Owner', ...counts, 'Age', 'Uid*', 'Hash*'];
const celVersions = 'v1 v1beta1! v1alpha1-';
const twinVersions = 'v1 v1beta1!';

/** Name, scope, short name, versions (! stored, - deprecated), columns (* wide only). */
const table: [string, string, string, string, string[]][] = [
  ['clusterpolicies.kyverno.io', 'Cluster', 'cpol', 'v1! v2beta1', classic],
  ['policies.kyverno.io', 'Namespaced', 'pol', 'v1! v2beta1', classic],
  ['policyexceptions.kyverno.io', 'Namespaced', 'polex', 'v2! v2beta1- v2alpha1- v1alpha1-', []],
  ['cleanuppolicies.kyverno.io', 'Namespaced', 'cleanpol', 'v2! v2beta1- v2alpha1-', ['Schedule', 'Age']],
  ['clustercleanuppolicies.kyverno.io', 'Cluster', 'ccleanpol', 'v2! v2beta1- v2alpha1-', ['Schedule', 'Age']],
  [
    'updaterequests.kyverno.io',
    'Namespaced',
    'ur',
    'v2! v1beta1-',
    ['Policy', 'RuleType', 'ResourceKind', 'ResourceName', 'ResourceNamespace', 'status', 'Age'],
  ],
  [
    'globalcontextentries.kyverno.io',
    'Cluster',
    'gctxentry',
    'v2 v2beta1! v2alpha1-',
    ['AGE', 'REFRESH INTERVAL', 'LAST REFRESH'],
  ],
  ['kyvernoconfigurations.operator.kyverno-ts.io', 'Cluster', 'kyvernoconfig', 'v1alpha1!', ['READY', 'RESTART NEEDED', 'AGE']],
  ['validatingpolicies.policies.kyverno.io', 'Cluster', 'vpol', celVersions, ['AGE', 'READY']],
  ['namespacedvalidatingpolicies.policies.kyverno.io', 'Namespaced', 'nvpol', twinVersions, ['AGE', 'READY']],
  ['mutatingpolicies.policies.kyverno.io', 'Cluster', 'mpol', celVersions, ['AGE', 'READY']],
  ['namespacedmutatingpolicies.policies.kyverno.io', 'Namespaced', 'nmpol', twinVersions, ['AGE', 'READY']],
  ['generatingpolicies.policies.kyverno.io', 'Cluster', 'gpol', celVersions, ['AGE']],
  ['namespacedgeneratingpolicies.policies.kyverno.io', 'Namespaced', 'ngpol', twinVersions, ['AGE']],
  ['imagevalidatingpolicies.policies.kyverno.io', 'Cluster', 'ivpol', celVersions, ['AGE', 'READY']],
  ['namespacedimagevalidatingpolicies.policies.kyverno.io', 'Namespaced', 'nivpol', twinVersions, ['AGE', 'READY']],
  ['deletingpolicies.policies.kyverno.io', 'Cluster', 'dpol', celVersions, ['AGE', 'READY']],
  ['namespaceddeletingpolicies.policies.kyverno.io', 'Namespaced', 'ndpol', twinVersions, ['AGE', 'READY']],
  ['policyexceptions.policies.kyverno.io', 'Namespaced', '', celVersions, []],
  ['policyreports.wgpolicyk8s.io', 'Namespaced', 'polr', 'v1alpha2!', policyReport],
  ['clusterpolicyreports.wgpolicyk8s.io', 'Cluster', 'cpolr', 'v1alpha2!', policyReport],
  ['ephemeralreports.reports.kyverno.io', 'Namespaced', 'ephr', 'v1!', ephemeral],
  ['clusterephemeralreports.reports.kyverno.io', 'Cluster', 'cephr', 'v1!', ephemeral],
];

describe('the manifests', () => {
  it('are one per kind', () => {
    expect([...manifests.keys()].sort()).toEqual(table.map(([name]) => name).sort());
  });

  it.each(table)('%s has its scope, short name, versions and columns', (name, scope, shortName, versions, columns) => {
    const spec = manifests.get(name)!.spec;
    expect(spec.scope).toBe(scope);
    expect(spec.names.shortNames ?? []).toEqual(shortName === '' ? [] : [shortName]);
    expect(spec.names.categories ?? []).toEqual(spec.group === 'wgpolicyk8s.io' ? [] : ['kyverno']);
    const marks = spec.versions.map(each => `${each.name}${each.storage ? '!' : ''}${each.deprecated ? '-' : ''}`);
    expect(marks.join(' ')).toBe(versions);
    for (const version of spec.versions) {
      expect(version.served).toBe(true);
      const shown = (version.additionalPrinterColumns ?? []).map(
        column => `${column.name}${column.priority ? '*' : ''}`,
      );
      expect(shown).toEqual(columns);
    }
  });

  it('show effective values from the status, never from the spec, which has no defaults', () => {
    const columns = manifests.get('clusterpolicies.kyverno.io')!.spec.versions[0]!.additionalPrinterColumns!;
    expect(Object.fromEntries(columns.map(column => [column.name, column.jsonPath]))).toMatchObject({
      ADMISSION: '.status.admission',
      BACKGROUND: '.status.background',
      'FAILURE POLICY': '.status.failurePolicy',
      READY: '.status.conditions[?(@.type == "Ready")].status',
    });
  });

  it('let the mode of validating and mutating CEL policies be selected', () => {
    const selecting = [...manifests].filter(([, {spec}]) =>
      spec.versions.every(version => version.selectableFields !== undefined),
    );
    expect(selecting.map(([name]) => name).sort()).toEqual([
      'mutatingpolicies.policies.kyverno.io',
      'namespacedmutatingpolicies.policies.kyverno.io',
      'namespacedvalidatingpolicies.policies.kyverno.io',
      'validatingpolicies.policies.kyverno.io',
    ]);
  });

  it('have equal schemas in all versions where fields are selectable, else the API server refuses them', () => {
    for (const {spec} of manifests.values()) {
      if (spec.versions[0]?.selectableFields === undefined) continue;
      for (const version of spec.versions) expect(version.schema).toEqual(spec.versions[0].schema);
    }
  });
});

/** Every schema node with its path. */
function* nodes(schema: Schema, path = ''): Generator<[string, Schema]> {
  yield [path, schema];
  for (const [key, child] of Object.entries(schema.properties ?? {})) yield* nodes(child, `${path}.${key}`);
  if (schema.items !== undefined) yield* nodes(schema.items, `${path}[]`);
  if (schema.additionalProperties !== undefined) yield* nodes(schema.additionalProperties, `${path}{}`);
}

/** The rules of structural schemas, as far as our builders could break them. */
function isStructural(node: Schema): boolean {
  const {type, properties, items, additionalProperties} = node;
  if (type === undefined)
    return node['x-kubernetes-preserve-unknown-fields'] === true && !properties && !items && !additionalProperties;
  if ((type === 'array') !== (items !== undefined)) return false;
  if (type !== 'object') return !properties && !additionalProperties && node['x-kubernetes-map-type'] === undefined;
  if (properties !== undefined && additionalProperties !== undefined) return false;
  return (node.required ?? []).every(key => Object.hasOwn(properties ?? {}, key));
}

describe.each([...manifests])('%s', (name, manifest) => {
  const {spec} = manifest;

  it('is at most 200 KB minified, so that client-side apply works', () => {
    expect(Buffer.byteLength(JSON.stringify(manifest))).toBeLessThanOrEqual(200_000);
  });

  it('is named by its group and plural', () => {
    expect(name).toBe(`${spec.names.plural}.${spec.group}`);
    expect(spec.names.listKind).toBe(`${spec.names.kind}List`);
    expect(spec.names.singular).toBe(spec.names.kind.toLowerCase());
  });

  it('stores exactly one version and warns of deprecated ones', () => {
    expect(spec.versions.filter(version => version.storage)).toHaveLength(1);
    for (const version of spec.versions) {
      expect(version.deprecationWarning !== undefined).toBe(version.deprecated ?? false);
      expect(version.deprecationWarning?.length ?? 0).toBeLessThanOrEqual(256);
    }
  });

  it('has the status subresource exactly when it has a status', () => {
    for (const version of spec.versions) {
      const hasStatus = Object.hasOwn(version.schema.openAPIV3Schema.properties ?? {}, 'status');
      expect(version.subresources?.status !== undefined).toBe(hasStatus);
    }
  });

  const schemas = spec.versions.flatMap(version => [...nodes(version.schema.openAPIV3Schema)]);
  const paths = (wrong: (node: Schema, path: string) => boolean) =>
    schemas.filter(([path, node]) => wrong(node, path)).map(([path]) => path);

  it('has no defaults', () => {
    expect(paths(node => Object.hasOwn(node, 'default'))).toEqual([]);
  });

  it('is structural', () => {
    for (const version of spec.versions) {
      const root = version.schema.openAPIV3Schema;
      expect([root.type, root.properties?.['metadata']]).toEqual(['object', {type: 'object'}]);
    }
    expect(paths(node => !isStructural(node))).toEqual([]);
  });

  it('explains every field in the version that kubectl explain shows', () => {
    const aliases = /\.(excludeResources|validation|mutation|generation)([.[]|$)/;
    const silent = [...nodes(spec.versions[0]!.schema.openAPIV3Schema)].filter(
      ([path, node]) =>
        path !== '.metadata' &&
        !/(\[\]|\{\})$/.test(path) &&
        !aliases.test(path) &&
        !/^[A-Z(].*\.$/.test(node.description ?? ''),
    );
    expect(silent.map(([path]) => path)).toEqual([]);
  });

  it('gives every version the same fields', () => {
    const fields = spec.versions.map(version =>
      [...nodes(version.schema.openAPIV3Schema)].map(([path, node]) => `${path} ${node.type}`),
    );
    for (const other of fields) expect(other).toEqual(fields[0]);
  });
});

/** Reports are written by programs: one without its parts is a fault of the program. */
const writtenByUsers = [...manifests].filter(([name]) => !name.includes('report'));

/** Scripts match what the API server says of these itself. */
const saidByTheApiServer = '.spec.validationActions[]';

it.each(writtenByUsers)('%s restricts nothing else inside spec: the operator judges all at once', (_, {spec}) => {
  const rules = ['required', 'enum', 'pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'];
  const strict = spec.versions.flatMap(version => {
    const schemas = new Map(nodes(version.schema.openAPIV3Schema));
    // What tells elements of a list apart has to be there.
    const isKey = (path: string, rule: string) => rule === 'required' && path.endsWith('[]') && schemas.get(path.slice(0, -2))?.['x-kubernetes-list-map-keys'] !== undefined;
    return [...schemas].filter(
      ([path, node]) => path.startsWith('.spec') && path !== saidByTheApiServer && rules.some(rule => Object.hasOwn(node, rule) && !isKey(path, rule)),
    );
  });
  expect(strict.map(([path]) => path)).toEqual([]);
});
