import type {ApiCallRequest} from '../context-loader.js';
import {CompileError, type Diagnostic} from '../diagnostic.js';
import {compileQuery} from '../jmespath/index.js';
import type {CompiledQuery} from '../jmespath/types.js';
import {textOf} from '../json/text.js';
import {isObject, type Json, type JsonObject, own, ownPath, setOwn} from '../json/types.js';
import {parseDuration} from '../values/duration.js';

/** Where a global context entry's value comes from. */
export type EntrySource =
  /** All objects of a kind, kept up to date; the value is their list. */
  | {readonly type: 'resource'; readonly group: string; readonly version: string; readonly resource: string; readonly namespace: string}
  /** The answer of a call, asked for again every `refreshMs`. */
  | {readonly type: 'call'; readonly request: ApiCallRequest; readonly refreshMs: number; readonly retries: number};

export interface Projection {
  readonly name: string;
  readonly query: CompiledQuery;
}

export interface GlobalContextEntry {
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly source: EntrySource;
  readonly projections: readonly Projection[];
}

export interface LoadedEntry {
  readonly entry: GlobalContextEntry | undefined;
  readonly errors: readonly Diagnostic[];
}

const defaultRefreshMs = 600_000;
const shortestRefreshMs = 1_000;
const defaultRetries = 3;

/** Reads a GlobalContextEntry; never throws for its sake, and tells every fault at once. */
export function loadGlobalContextEntry(raw: JsonObject): LoadedEntry {
  const errors: Diagnostic[] = [];
  const fault = (path: string, message: string, hint?: string) =>
    errors.push({code: 'global-context', path, message, ...(hint !== undefined && {hint})});
  const spec = own(raw, 'spec');
  const source = isObject(spec) ? readSource(spec, fault) : undefined;
  if (!isObject(spec)) fault('spec', 'spec is required');
  const projections = isObject(spec) ? readProjections(own(spec, 'projections'), fault, errors) : [];
  if (errors.length > 0 || source === undefined) return {entry: undefined, errors};
  const metadata = ownPath(raw, 'metadata');
  const generation = ownPath(metadata, 'generation');
  return {
    errors,
    entry: {
      name: textOf(ownPath(metadata, 'name')),
      uid: textOf(ownPath(metadata, 'uid')),
      generation: typeof generation === 'number' ? generation : 0,
      source,
      projections,
    },
  };
}

type Fault = (path: string, message: string, hint?: string) => void;

function readSource(spec: JsonObject, fault: Fault): EntrySource | undefined {
  const kind = own(spec, 'kubernetesResource');
  const call = own(spec, 'apiCall');
  if (isObject(kind) === isObject(call)) {
    fault('spec', isObject(kind) ? 'kubernetesResource and apiCall exclude each other' : 'one of kubernetesResource and apiCall is required');
    return undefined;
  }
  return isObject(kind) ? readResource(kind, fault) : readCall(call as JsonObject, fault);
}

function readResource(kind: JsonObject, fault: Fault): EntrySource {
  const [version, resource] = ['version', 'resource'].map(field => {
    const value = textOf(own(kind, field));
    if (value === '') fault(`spec.kubernetesResource.${field}`, `a resource entry requires a ${field}`);
    return value;
  });
  // The old form names the path of the group.
  const group = textOf(own(kind, 'group')).replace(/^apis\//, '');
  return {type: 'resource', group, version: version ?? '', resource: resource ?? '', namespace: textOf(own(kind, 'namespace'))};
}

function readCall(call: JsonObject, fault: Fault): EntrySource {
  const at = 'spec.apiCall';
  const urlPath = textOf(own(call, 'urlPath'));
  const service = own(call, 'service');
  if ((urlPath !== '') === isObject(service)) {
    fault(at, urlPath === '' ? 'one of urlPath and service is required' : 'urlPath and service exclude each other');
  }
  const method = textOf(own(call, 'method')) || 'GET';
  if (method !== 'GET' && method !== 'POST') fault(`${at}.method`, `method must be GET or POST, not ${JSON.stringify(method)}`);
  const data = readData(own(call, 'data'), `${at}.data`, fault);
  if (data !== undefined && method === 'GET') fault(`${at}.data`, 'only a POST request has data');
  if (isObject(service) && textOf(own(service, 'url')) === '') fault(`${at}.service.url`, 'a url is required');
  const caBundle = isObject(service) ? textOf(own(service, 'caBundle')) : '';
  const request: ApiCallRequest = {
    method: method === 'POST' ? 'POST' : 'GET',
    ...(urlPath !== '' && {urlPath}),
    ...(data !== undefined && {data}),
    ...(isObject(service) && {
      service: {
        url: textOf(own(service, 'url')),
        headers: readHeaders(own(service, 'headers')),
        ...(caBundle !== '' && {caBundle}),
      },
    }),
  };
  return {type: 'call', request, refreshMs: readRefresh(own(call, 'refreshInterval'), `${at}.refreshInterval`, fault), retries: readRetries(own(call, 'retryLimit'), `${at}.retryLimit`, fault)};
}

function readData(value: Json | undefined, path: string, fault: Fault): JsonObject | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const data: JsonObject = {};
  value.forEach((item, index) => {
    const key = textOf(ownPath(item, 'key'));
    if (key === '') fault(`${path}[${index}].key`, 'a key is required');
    else setOwn(data, key, ownPath(item, 'value') ?? null);
  });
  return data;
}

function readHeaders(value: Json | undefined): Array<readonly [string, string]> {
  return Array.isArray(value) ? value.map(item => [textOf(ownPath(item, 'key')), textOf(ownPath(item, 'value'))] as const) : [];
}

function readRefresh(value: Json | undefined, path: string, fault: Fault): number {
  if (value === undefined || value === null || value === '') return defaultRefreshMs;
  const nanos = typeof value === 'string' ? parseDuration(value) : undefined;
  if (nanos === undefined || nanos <= 0n) {
    fault(path, `refreshInterval must be a positive Go duration such as 10m, not ${JSON.stringify(value)}`);
    return defaultRefreshMs;
  }
  return Math.max(shortestRefreshMs, Number(nanos / 1_000_000n));
}

function readRetries(value: Json | undefined, path: string, fault: Fault): number {
  if (value === undefined || value === null) return defaultRetries;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return Math.min(value, 20);
  fault(path, 'retryLimit must be a whole number of at least 0');
  return defaultRetries;
}

function readProjections(value: Json | undefined, fault: Fault, errors: Diagnostic[]): Projection[] {
  const names = new Set<string>();
  return (Array.isArray(value) ? value : []).flatMap((item, index) => {
    const path = `spec.projections[${index}]`;
    const name = textOf(ownPath(item, 'name'));
    const text = textOf(ownPath(item, 'jmesPath'));
    if (name === '') fault(`${path}.name`, 'a projection requires a name');
    if (names.has(name)) fault(`${path}.name`, `projection ${name} is declared twice`);
    names.add(name);
    if (text === '') {
      fault(`${path}.jmesPath`, 'a projection requires a jmesPath');
      return [];
    }
    try {
      return [{name, query: compileQuery(text)}];
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      errors.push({...error.diagnostic, path: `${path}.jmesPath`});
      return [];
    }
  });
}
