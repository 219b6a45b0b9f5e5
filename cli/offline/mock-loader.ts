import {schemasOf} from '../../adapters/definition-schemas.js';
import {createOfflineContextLoader} from '../../adapters/offline-context-loader.js';
import {defaultLimits} from '../../engine/budget.js';
import {RuleRun} from '../../engine/context/rule-run.js';
import type {ApiCallRequest, ContextLoader} from '../../engine/context-loader.js';
import {EvalError} from '../../engine/diagnostic.js';
import type {ImageSource} from '../../engine/image/verification.js';
import {compileQuery} from '../../engine/jmespath/index.js';
import {isObject, type Json, type JsonObject, own, setOwn} from '../../engine/json/types.js';
import type {RegexEngine} from '../../engine/regex/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import type {ImageMock} from '../files/context-file.js';
import {FileError} from '../files/file-error.js';
import {nameOf} from '../files/load-policies.js';
import {type ApiCallResponse, mockKey} from '../files/test-file.js';
import type {ValuesSpec} from '../files/values-file.js';
import {labelsOf} from './request.js';

/** A global context entry with its data at hand. */
export interface GlobalEntry {
  readonly name: string;
  readonly data: Json;
  readonly fieldPath?: string;
  readonly projections: ReadonlyArray<{readonly name: string; readonly path: string}>;
}

export interface MockLoaderOptions {
  /** Objects that stand for the cluster. */
  readonly objects: readonly JsonObject[];
  readonly resources: ResourceMap;
  readonly regex: RegexEngine;
  readonly values: ValuesSpec | undefined;
  readonly apiCalls?: readonly ApiCallResponse[];
  readonly globalEntries?: readonly GlobalEntry[];
  /** What `resource.*` of expressions finds; those of `objects` that are judged themselves are not among them. */
  readonly visible?: readonly JsonObject[];
  /** CustomResourceDefinitions among other objects: schemas of custom kinds. */
  readonly definitions?: readonly JsonObject[];
  /** Of a Context file. */
  readonly images?: readonly ImageMock[];
  /** Absent = no registry is asked. */
  readonly registries?: ImageSource | undefined;
  /** Missing Namespace objects are errors, as in a cluster. */
  readonly strictNamespaces?: boolean;
}

/** The engine's door in an offline run: what the files give, and nothing else. */
export function createMockLoader(options: MockLoaderOptions): ContextLoader {
  const {resources: resourceMap} = options;
  const base = createOfflineContextLoader({
    resources: options.objects,
    resourceMap,
    now: Date.now,
    images: options.registries,
  });
  const expressions = createOfflineContextLoader({resources: options.visible ?? [], resourceMap, now: Date.now});
  const images = new Map((options.images ?? []).map(image => [image.image, image]));
  const calls = new Map((options.apiCalls ?? []).map(call => [mockKey(call), call]));
  const labels = namespaceLabels(options.values);
  let globals: Map<string, Json> | undefined;
  return {
    ...base,
    resourceGet(query, load) {
      if (query.group !== '' || query.resource !== 'namespaces') return expressions.resourceGet(query, load);
      return (
        namespaceObject(query.name, options.values) ??
        base.resourceGet(query, load) ??
        expressions.resourceGet(query, load)
      );
    },
    resourceList: expressions.resourceList,
    kindSchema: schemasOf(options.definitions ?? []),
    httpCall(request) {
      const call = calls.get(`${request.method}:${request.url}`) ?? calls.get(request.url);
      if (call !== undefined) {
        return {statusCode: call.response?.statusCode || 200, body: call.response?.body ?? null, given: true};
      }
      throw new EvalError(`no answer is given for ${request.method} ${request.url}: give one under apiCallResponses`);
    },
    apiCall(request, load) {
      const call = findCall(calls, request);
      if (call === undefined) return base.apiCall(request, load);
      const code = call.response?.statusCode || 200;
      if (code < 200 || code > 299)
        throw new EvalError(`HTTP ${code} from ${request.service?.url ?? request.urlPath ?? ''}`);
      return call.response?.body ?? null;
    },
    globalReference(name, projection) {
      globals ??= evaluateGlobals(options, base);
      const value = globals.get(name);
      if (value === undefined || projection === undefined) return value;
      const part = isObject(value) ? own(value, projection) : undefined;
      if (part !== undefined) return part;
      throw new EvalError(`projection "${projection}" not found in global context entry "${name}"`);
    },
    imageData(reference, load) {
      const image = images.get(reference);
      if (image !== undefined) return imageJson(image);
      if (options.registries !== undefined) return base.imageData(reference, load);
      throw new EvalError(
        `image data for ${reference} not found in the context: give it in a Context file or as a value, or allow registries by --registry`,
      );
    },
    namespaceLabels(name, load) {
      const given = labels.get(name);
      if (given !== undefined) return {...given, 'kubernetes.io/metadata.name': name};
      const found = base.namespaceLabels(name, load);
      if (found === undefined && options.strictNamespaces) {
        throw new EvalError(`failed to get the resource's namespace (namespaces ${JSON.stringify(name)} not found)`);
      }
      return found ?? {'kubernetes.io/metadata.name': name};
    },
  };
}

function imageJson(image: ImageMock): JsonObject {
  const json: JsonObject = {};
  for (const [key, value] of Object.entries(image)) if (value !== undefined) json[key] = value;
  return json;
}

function findCall(calls: ReadonlyMap<string, ApiCallResponse>, request: ApiCallRequest): ApiCallResponse | undefined {
  const address = request.service?.url ?? request.urlPath ?? '';
  return calls.get(`${request.method}:${address}`) ?? calls.get(address);
}

/** A whole one that the values give, or one of the labels that they give. */
function namespaceObject(name: string, values: ValuesSpec | undefined): JsonObject | undefined {
  const whole = (values?.namespaces ?? []).find(object => nameOf(object) === name);
  if (whole !== undefined) return whole;
  const given = (values?.namespaceSelector ?? []).find(entry => entry.name === name)?.labels;
  if (given === undefined) return undefined;
  const labels = {...given, 'kubernetes.io/metadata.name': name};
  return {apiVersion: 'v1', kind: 'Namespace', metadata: {name, labels}};
}

/** Labels that the values give to namespaces; whole Namespace objects win over selectors. */
function namespaceLabels(values: ValuesSpec | undefined): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const labels = new Map<string, Readonly<Record<string, string>>>();
  for (const {name, labels: given} of values?.namespaceSelector ?? [])
    if (name !== undefined) labels.set(name, given ?? {});
  for (const namespace of values?.namespaces ?? []) labels.set(nameOf(namespace), labelsOf(namespace));
  return labels;
}

function evaluateGlobals(options: MockLoaderOptions, loader: ContextLoader): Map<string, Json> {
  return new Map((options.globalEntries ?? []).map(entry => [entry.name, evaluateGlobal(entry, options, loader)]));
}

function evaluateGlobal(entry: GlobalEntry, options: MockLoaderOptions, loader: ContextLoader): Json {
  const query = (path: string, data: Json): Json => {
    const run = new RuleRun({
      loader,
      regex: options.regex,
      resources: options.resources,
      operatorNamespace: 'kyverno',
      limits: defaultLimits,
    });
    try {
      return compileQuery(path).evaluate(data, run);
    } catch (error) {
      throw new FileError(
        `global context entry ${entry.name}: ${path}: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  };
  const data = entry.fieldPath ? query(entry.fieldPath, entry.data) : entry.data;
  if (entry.projections.length === 0) return data;
  const result: JsonObject = {};
  for (const {name, path} of entry.projections) setOwn(result, name, query(path, data));
  return result;
}
