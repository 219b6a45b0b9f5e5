import {isAbsolute, join, normalize} from 'node:path';
import type {Json, JsonObject} from '../../engine/json/types.js';
import {isObject, own} from '../../engine/json/types.js';
import {FileError} from './file-error.js';
import {flag, integer, json, list, metadata, object, type Struct, struct, text} from './strict.js';
import {valuesSpec} from './values-file.js';

export const ruleStatuses = ['pass', 'fail', 'skip', 'warn', 'error'] as const;

const resourceSpec = {
  group: text,
  version: text,
  kind: text,
  namespace: text,
  subresource: text,
  name: text,
};

const expectation = {
  policy: text,
  rule: text,
  resources: list(text),
  resourceSpecs: list(struct(resourceSpec)),
  kind: text,
  result: text,
  operation: text,
  patchedResources: text,
  generatedResource: text,
  generatedResources: list(text),
  cloneSourceResource: text,
  failOnMissingResources: flag,
  isValidatingAdmissionPolicy: flag,
  isMutatingAdmissionPolicy: flag,
  isValidatingPolicy: flag,
  isMutatingPolicy: flag,
  isImageValidatingPolicy: flag,
  isGeneratingPolicy: flag,
  isDeletingPolicy: flag,
};

export type Expectation = Struct<typeof expectation>;
export type ResourceSpec = Struct<typeof resourceSpec>;

const apiCallResponse = {
  url: text,
  urlPath: text,
  method: text,
  response: struct({statusCode: integer, body: json}),
};

const globalContextEntry = {
  name: text,
  data: json,
  resources: list(object),
  resourceFiles: list(text),
  fieldPath: text,
  projections: list(struct({name: text, path: text})),
};

export type ApiCallResponse = Struct<typeof apiCallResponse>;
export type GlobalContextMock = Struct<typeof globalContextEntry>;

const test = {
  apiVersion: text,
  kind: text,
  metadata,
  name: text,
  policies: list(text),
  resources: list(text),
  targetResources: list(text),
  paramResources: list(text),
  jsonPayloads: list(text),
  jsonPayload: text,
  httpPayloads: list(text),
  envoyPayloads: list(text),
  variables: text,
  values: struct(valuesSpec),
  userinfo: text,
  exceptions: list(text),
  context: text,
  clusterResources: list(text),
  apiCallResponses: list(struct(apiCallResponse)),
  globalContextEntries: list(struct(globalContextEntry)),
  results: list(struct(expectation)),
};

export type TestSpec = Struct<typeof test>;

/** One document of a test file. */
export interface TestCase {
  /** The file, as found. */
  readonly path: string;
  /** Directory that its paths are relative to. */
  readonly base: string;
  readonly spec: TestSpec;
}

const decode = struct(test);

/** Reads a test document; paths of policies and resources lose repetitions. */
export function decodeTest(value: Json): TestSpec {
  const spec = decode(value, '');
  const payload = spec.jsonPayload === undefined ? [] : [spec.jsonPayload];
  const payloads = (spec.jsonPayloads?.length ?? 0) > 0 ? (spec.jsonPayloads ?? []) : payload;
  return {
    ...spec,
    policies: unique(spec.policies ?? []),
    resources: unique(spec.resources ?? []),
    jsonPayloads: unique(payloads.filter(path => path.trim() !== '').map(path => normalize(path))),
  };
}

/** The form of early releases: no apiVersion or kind, or the name at the top. */
export function isDeprecatedTest(spec: TestSpec): boolean {
  return !spec.apiVersion || !spec.kind || !!spec.name;
}

/** Checks what the fields' types do not say. Throws `FileError` with the first fault. */
export function checkTest(spec: TestSpec): void {
  (spec.results ?? []).forEach((result, index) => {
    const at = `results[${index}]`;
    if (!result.policy) throw new FileError(`${at}.policy: a policy name is required`);
    if (result.result !== undefined && !(ruleStatuses as readonly string[]).includes(result.result)) {
      throw new FileError(`${at}.result: ${JSON.stringify(result.result)} is none of ${ruleStatuses.join(', ')}`);
    }
    if (result.operation === undefined) return;
    if (!['CREATE', 'UPDATE', 'DELETE'].includes(result.operation)) {
      throw new FileError(`${at}.operation: ${JSON.stringify(result.operation)} is none of CREATE, UPDATE, DELETE`);
    }
    if (result.isDeletingPolicy) throw new FileError(`${at}.operation: not allowed with isDeletingPolicy`);
  });
  checkCalls(spec.apiCallResponses ?? []);
  checkGlobalContext(spec.globalContextEntries ?? []);
}

function checkCalls(calls: readonly ApiCallResponse[]): void {
  const seen = new Set<string>();
  calls.forEach((call, index) => {
    const at = `apiCallResponses[${index}]`;
    if ((call.url === undefined) === (call.urlPath === undefined))
      throw new FileError(`${at}: exactly one of url and urlPath is required`);
    if (call.urlPath !== undefined && !call.urlPath.startsWith('/'))
      throw new FileError(`${at}.urlPath: must start with /`);
    if (call.url !== undefined && !isHttpUrl(call.url))
      throw new FileError(`${at}.url: must be an absolute http or https URL with a host`);
    if (call.method !== undefined && !['', 'GET', 'POST'].includes(call.method))
      throw new FileError(`${at}.method: must be GET or POST`);
    const code = call.response?.statusCode ?? 0;
    if (code !== 0 && (code < 100 || code > 599))
      throw new FileError(`${at}.response.statusCode: must be between 100 and 599`);
    const body = call.response?.body;
    if (body === undefined || !isObject(body)) throw new FileError(`${at}.response.body: a JSON object is required`);
    const key = mockKey(call);
    if (seen.has(key)) throw new FileError(`${at}: a response for ${key} is given already`);
    seen.add(key);
  });
}

/** `GET:/path`, or the bare address when any method will do. */
export function mockKey(call: ApiCallResponse): string {
  const address = call.url ?? call.urlPath ?? '';
  return call.method ? `${call.method}:${address}` : address;
}

function isHttpUrl(url: string): boolean {
  try {
    const {protocol, host} = new URL(url);
    return (protocol === 'http:' || protocol === 'https:') && host !== '';
  } catch {
    return false;
  }
}

function checkGlobalContext(entries: readonly GlobalContextMock[]): void {
  const seen = new Set<string>();
  entries.forEach((entry, index) => {
    const at = `globalContextEntries[${index}]`;
    if (!entry.name) throw new FileError(`${at}.name: a name is required`);
    if (seen.has(entry.name)) throw new FileError(`${at}.name: ${entry.name} is given already`);
    seen.add(entry.name);
    const given = [entry.data, entry.resources, entry.resourceFiles].filter(value => value !== undefined);
    if (given.length !== 1) throw new FileError(`${at}: exactly one of data, resources and resourceFiles is required`);
    if (entry.data !== undefined && !isObject(entry.data)) throw new FileError(`${at}.data: an object is required`);
    for (const path of entry.resourceFiles ?? []) {
      if (isAbsolute(path) || normalize(path).split('/').includes('..')) {
        throw new FileError(`${at}.resourceFiles: ${path} must be relative and stay below the test`);
      }
    }
  });
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}

/** A path of a test file, relative to its folder. */
export function pathOf(test: TestCase, path: string): string {
  return isAbsolute(path) ? path : join(test.base, path);
}

/** Labels and name of the document, for messages. */
export function testName(spec: TestSpec): string {
  const name = spec.metadata === undefined ? undefined : own(spec.metadata as JsonObject, 'name');
  return typeof name === 'string' ? name : '';
}
