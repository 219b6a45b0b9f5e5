import type {KeyServices} from '../../adapters/images/kms/key-services.js';
import type {PayloadMode} from '../../engine/cel-policies/run/create-cel-engine.js';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import type {Json, JsonObject} from '../../engine/json/types.js';
import {isObject} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {loadClusterResourceFile} from '../files/cluster-resource-file.js';
import {emptyContext, loadContextFile} from '../files/context-file.js';
import {readText} from '../files/documents.js';
import {FileError, messageOf} from '../files/file-error.js';
import {loadDefinitions} from '../files/load-crds.js';
import {loadExceptionFiles, noExceptions} from '../files/load-exceptions.js';
import {loadPayload} from '../files/load-payload.js';
import {loadPolicyPath, mergeLoads} from '../files/load-policies.js';
import {loadResourcePaths, readResources} from '../files/load-resources.js';
import {pathOf, type TestCase} from '../files/test-file.js';
import {loadUserInfoFile} from '../files/user-info-file.js';
import {loadValuesFile} from '../files/values-file.js';
import type {OfflineWorld} from '../offline/evaluate.js';
import {OfflineValues} from '../offline/given.js';
import {withKindsOf} from '../offline/known-kinds.js';
import {createMockLoader, type GlobalEntry} from '../offline/mock-loader.js';
import {registriesOf} from '../offline/registries.js';
import {type PreparedPolicy, preparePolicies} from '../offline/prepare-policies.js';
import {sharedRegex} from '../offline/regex.js';
import {keyOf, keyText} from '../offline/responses.js';

export interface LoadedSuite {
  readonly world: OfflineWorld;
  /** Judged one after another. */
  readonly resources: readonly JsonObject[];
  /** Existing objects whose changes get rows of their own. */
  readonly targets: readonly JsonObject[];
  /** JSON that is no object of Kubernetes, by the path the test names it with. */
  readonly payloads: ReadonlyArray<{readonly name: string; readonly mode: PayloadMode; readonly value: Json}>;
  readonly policies: readonly PreparedPolicy[];
  readonly exceptionCount: number;
  /** Policies that were left out → why. */
  readonly invalid: ReadonlyMap<string, string>;
  /** Deprecated and loose forms, one line each. */
  readonly warnings: readonly string[];
}

export interface LoadSuiteOptions {
  readonly registry: boolean;
  readonly keyServices?: KeyServices;
  readonly log: (line: string) => void;
}

/** Reads everything that one test names. Throws `FileError` with the first thing that cannot be read. */
export async function loadSuite(test: TestCase, {registry, keyServices, log}: LoadSuiteOptions): Promise<LoadedSuite> {
  const {spec} = test;
  const at = (path: string) => pathOf(test, path);
  log('  Loading values/variables ...');
  const values = spec.values ?? (spec.variables ? await loadValuesFile(at(spec.variables)) : undefined);
  const user = spec.userinfo ? await loadUser(at(spec.userinfo), log) : undefined;
  const cluster = await Promise.all((spec.clusterResources ?? []).map(path => loadClusterResourceFile(at(path))));
  const {resources, definitions} = await loadDefinitions(cluster.flatMap(file => file.crds.map(at)));
  log('  Loading policies ...');
  const load = mergeLoads(await inOrder(spec.policies ?? [], path => loadPolicyPath(at(path), resources)));
  for (const {path, message} of load.skipped) log(`  ERROR: ${path}: ${message}`);
  log('  Loading resources ...');
  const read = async (paths: readonly string[] | undefined) =>
    (await loadResourcePaths((paths ?? []).map(at), {resources})).map(({object}) => object);
  const given = await read(spec.resources);
  const {unique, warnings: duplicates} = withoutDuplicates(given);
  for (const warning of duplicates) log(`  ${warning}`);
  const targets = await read(spec.targetResources);
  const params = await read(spec.paramResources);
  const payloads = (
    await inOrder(
      [
        {mode: 'JSON', names: spec.jsonPayloads ?? []},
        {mode: 'HTTP', names: spec.httpPayloads ?? []},
        {mode: 'Envoy', names: spec.envoyPayloads ?? []},
      ] as const,
      async ({mode, names}) => {
        if (names.length > 0) log(`  Loading ${mode} payloads ...`);
        return inOrder(names, async name => ({name, mode, value: await loadPayload(at(name))}));
      },
    )
  ).flat();
  if (cluster.length > 0) log('  Loading Kubernetes resources ...');
  if ((spec.exceptions ?? []).length > 0) log('  Loading exceptions ...');
  const exceptions = spec.exceptions === undefined ? noExceptions : await loadExceptionFiles(spec.exceptions.map(at));
  if (exceptions.classic.length > 0 && load.documents.some(document => document.family === 'vap')) {
    throw new FileError(
      'Currently, the use of exceptions in conjunction with ValidatingAdmissionPolicies is not supported.',
    );
  }
  const context = spec.context ? await loadContextFile(at(spec.context)) : emptyContext;
  const sources = await cloneSources(test, resources);
  const globalEntries = await loadGlobalEntries(test, resources);

  const existing = cluster.flatMap(file => file.resources);
  const objects = [...unique, ...targets, ...params, ...sources, ...existing];
  const known = withKindsOf(
    resources,
    [...objects, ...context.resources],
    load.documents.map(document => document.raw),
  );
  const policies = preparePolicies(load.documents, known, {keyServiceLack: keyServices?.lackOf});
  const regex = sharedRegex();
  const inCluster = cluster.length > 0;
  const loader = createMockLoader({
    objects,
    resources: known,
    regex,
    values,
    apiCalls: spec.apiCallResponses ?? [],
    globalEntries,
    visible: [...targets, ...params, ...sources, ...existing, ...context.resources],
    images: context.images,
    registries: registry ? registriesOf([...objects, ...context.resources], keyServices) : undefined,
    definitions: [...definitions, ...objects],
    strictNamespaces: inCluster,
  });
  const world: OfflineWorld = {
    policies,
    exceptions: exceptions.classic,
    celExceptions: exceptions.cel,
    resources: known,
    loader,
    regex,
    user,
    subresources: inCluster ? undefined : values?.subresources,
    values: new OfflineValues({
      values,
      resolves: type =>
        resolves(type, {
          inCluster,
          mocks: (spec.apiCallResponses ?? []).length > 0,
          globals: globalEntries.length > 0,
          registry,
        }),
    }),
  };
  return {
    world,
    resources: unique,
    targets,
    payloads,
    policies,
    exceptionCount: exceptions.classic.length + exceptions.cel.length,
    invalid: new Map(
      policies
        .filter(policy => policy.invalid.length > 0)
        .map(policy => [policy.name, policy.invalid.map(formatDiagnostic).join('; ')]),
    ),
    warnings: [
      ...load.warnings,
      ...policies.flatMap(policy => policy.warnings.map(warning => `${policy.key}: ${formatDiagnostic(warning)}`)),
    ],
  };
}

/** Which context entries have someone to answer them. */
function resolves(
  type: string,
  has: {inCluster: boolean; mocks: boolean; globals: boolean; registry: boolean},
): boolean {
  switch (type) {
    case 'apiCall':
      return has.inCluster || has.mocks;
    case 'configMap':
      return has.inCluster;
    case 'globalReference':
      return has.globals;
    case 'imageRegistry':
      return has.registry;
    default:
      return true;
  }
}

async function loadUser(path: string, log: (line: string) => void) {
  log('  Loading user infos ...');
  const {user, deprecated} = await loadUserInfoFile(path);
  if (deprecated)
    throw new FileError(`failed to load user info file ${path}: deprecated form: apiVersion and kind are required`);
  return user;
}

/** The first of equal group, kind, namespace and name stands. */
function withoutDuplicates(objects: readonly JsonObject[]) {
  const seen = new Set<string>();
  const warnings: string[] = [];
  const unique = objects.filter(object => {
    const key = keyOf(object);
    const group = key.apiVersion.includes('/') ? key.apiVersion.split('/')[0] : '';
    const id = `${group}/${key.kind}/${key.namespace}/${key.name}`;
    if (!seen.has(id)) {
      seen.add(id);
      return true;
    }
    warnings.push(`warning: found duplicated resource ${key.kind} ${key.name} ${key.namespace}`);
    return false;
  });
  return {unique, warnings};
}

/** Objects that clone rules copy from. */
async function cloneSources(test: TestCase, resources: ResourceMap): Promise<readonly JsonObject[]> {
  const paths = new Set(
    (test.spec.results ?? []).flatMap(result => (result.cloneSourceResource ? [result.cloneSourceResource] : [])),
  );
  const objects = new Map<string, JsonObject>();
  for (const path of paths) {
    const file = pathOf(test, path);
    for (const {object} of readResources(await readText(file), file, {resources}))
      objects.set(keyText(keyOf(object)), object);
  }
  return [...objects.values()];
}

async function loadGlobalEntries(test: TestCase, resources: ResourceMap): Promise<readonly GlobalEntry[]> {
  const entries: GlobalEntry[] = [];
  for (const entry of test.spec.globalContextEntries ?? []) {
    const name = entry.name ?? '';
    try {
      const files = await inOrder(entry.resourceFiles ?? [], async path => {
        const file = pathOf(test, path);
        return readResources(await readText(file), file, {resources}).map(({object}) => object);
      });
      const data = entry.data ?? (entry.resources === undefined ? files.flat() : [...entry.resources]);
      entries.push({
        name,
        data: isObject(data) || Array.isArray(data) ? data : {},
        ...(entry.fieldPath !== undefined && {fieldPath: entry.fieldPath}),
        projections: (entry.projections ?? []).map(({name: projection = '', path = ''}) => ({name: projection, path})),
      });
    } catch (error) {
      throw new FileError(`global context entry ${name}: ${messageOf(error)}`);
    }
  }
  return entries;
}

async function inOrder<T, R>(items: readonly T[], load: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await load(item));
  return results;
}
