import {isObject, own, type Json, type JsonObject} from '../../engine/json/types.js';
import {parseJsonBytes} from '../../engine/json/parse.js';
import type {GroupVersionKind, GroupVersionResource, Operation} from '../../engine/types.js';
import type {AdmissionRequest, RequestUser} from '../types.js';

/** A request body that is no AdmissionReview; `status` is the HTTP answer, the text goes out as plain text. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';

  constructor(
    readonly status: 400 | 415 | 417,
    message: string,
  ) {
    super(message);
  }
}

export interface DecodedReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: AdmissionRequest;
  /** Bytes of the body. */
  readonly size: number;
}

const operations: ReadonlySet<string> = new Set<Operation>(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']);

/** Only the bare media type is taken, as the API server sends it. */
export function checkContentType(contentType: string | undefined): void {
  if (contentType !== 'application/json') throw new DecodeError(415, 'invalid Content-Type');
}

/** Throws `DecodeError`: 417 for what is no JSON or has fields of wrong types, 400 when `request` is missing. */
export function decodeReview(body: Buffer): DecodedReview {
  const review = parse(body);
  if (!isObject(review)) throw mismatch(review, '');
  const raw = own(review, 'request');
  if (raw === undefined || raw === null) throw new DecodeError(400, 'AdmissionReview request is nil');
  if (!isObject(raw)) throw mismatch(raw, 'request');
  return {
    apiVersion: text(review, 'apiVersion', ''),
    kind: text(review, 'kind', ''),
    request: readRequest(raw),
    size: body.length,
  };
}

function parse(body: Buffer): Json {
  if (body.length === 0) throw new DecodeError(417, 'unexpected end of JSON input');
  try {
    return parseJsonBytes(body);
  } catch (error) {
    throw new DecodeError(417, error instanceof Error ? error.message : String(error));
  }
}

function readRequest(raw: JsonObject): AdmissionRequest {
  const operation = text(raw, 'operation', 'request.');
  if (!operations.has(operation)) {
    throw new DecodeError(
      417,
      `request.operation: ${JSON.stringify(operation)} is none of CREATE, UPDATE, DELETE, CONNECT`,
    );
  }
  return {
    uid: text(raw, 'uid', 'request.'),
    kind: readKind(raw),
    resource: readResource(raw),
    subResource: text(raw, 'subResource', 'request.'),
    name: text(raw, 'name', 'request.'),
    namespace: text(raw, 'namespace', 'request.'),
    operation: operation as Operation,
    user: readUser(raw),
    object: objectAt(raw, 'object', 'request.'),
    oldObject: objectAt(raw, 'oldObject', 'request.'),
    dryRun: own(raw, 'dryRun') === true,
    raw,
  };
}

function readKind(raw: JsonObject): GroupVersionKind {
  const kind = objectAt(raw, 'kind', 'request.') ?? {};
  const path = 'request.kind.';
  return {group: text(kind, 'group', path), version: text(kind, 'version', path), kind: text(kind, 'kind', path)};
}

function readResource(raw: JsonObject): GroupVersionResource {
  const resource = objectAt(raw, 'resource', 'request.') ?? {};
  const path = 'request.resource.';
  return {
    group: text(resource, 'group', path),
    version: text(resource, 'version', path),
    resource: text(resource, 'resource', path),
  };
}

function readUser(raw: JsonObject): RequestUser {
  const info = objectAt(raw, 'userInfo', 'request.') ?? {};
  const path = 'request.userInfo.';
  const uid = text(info, 'uid', path);
  const extra = objectAt(info, 'extra', path);
  return {
    username: text(info, 'username', path),
    groups: texts(info, 'groups', path),
    ...(uid === '' ? {} : {uid}),
    ...(extra === undefined ? {} : {extra: readExtra(extra)}),
  };
}

function readExtra(extra: JsonObject): Readonly<Record<string, readonly string[]>> {
  const result: Record<string, readonly string[]> = Object.create(null);
  for (const key of Object.keys(extra)) result[key] = texts(extra, key, 'request.userInfo.extra.');
  return result;
}

function text(object: JsonObject, key: string, parent: string): string {
  const value = own(object, key);
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') throw mismatch(value, parent + key);
  return value;
}

function texts(object: JsonObject, key: string, parent: string): readonly string[] {
  const value = own(object, key);
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw mismatch(value, parent + key);
  for (const item of value) if (typeof item !== 'string') throw mismatch(item, parent + key);
  return value as string[];
}

function objectAt(object: JsonObject, key: string, parent: string): JsonObject | undefined {
  const value = own(object, key);
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw mismatch(value, parent + key);
  return value;
}

function mismatch(value: Json, path: string): DecodeError {
  const found = Array.isArray(value)
    ? 'array'
    : value === null
      ? 'null'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value;
  const where = path === '' ? 'AdmissionReview' : `AdmissionReview.${path}`;
  return new DecodeError(417, `json: cannot unmarshal ${found} into field ${where}`);
}
