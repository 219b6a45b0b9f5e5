import type {HttpAnswer, HttpRequest, LoadOptions} from '../../context-loader.js';
import {stringifyJson} from '../../json/stringify.js';
import {isObject, type Json, own, setOwn} from '../../json/types.js';
import {firstPemBlock} from '../../x509/pem.js';
import {CelError} from '../errors.js';
import type {CelHost, Library} from '../library/library.js';
import {anyType, dynType, mapOf, stringType} from '../types/type.js';
import type {Value} from '../values/value.js';
import {jsonArgument, textPairs} from './arguments.js';
import {ask} from './ask.js';
import {HttpContext, httpContext} from './contexts.js';
import {declare, type Signature} from './declare.js';
import {withDoubles} from './doubles.js';

const self = httpContext.type;
const headersType = mapOf(stringType, stringType);
const host = true;
const receiver = true;
const result = anyType;
const noHeaders: Value = {};

const gets: readonly Signature[] = [
  {
    id: 'url',
    receiver,
    params: [self, stringType],
    result,
    host,
    call: (env: CelHost, client: HttpContext, url: string) =>
      send(env, client, {method: 'GET', url, headers: noHeaders}),
  },
  {
    id: 'url_headers',
    receiver,
    params: [self, stringType, headersType],
    result,
    host,
    call: (env: CelHost, client: HttpContext, url: string, headers: Value) =>
      send(env, client, {method: 'GET', url, headers, headersAt: 1}),
  },
];

const posts: readonly Signature[] = [
  {
    id: 'url_data',
    receiver,
    params: [self, stringType, dynType],
    result,
    host,
    call: (env: CelHost, client: HttpContext, url: string, data: Value) =>
      send(env, client, {method: 'POST', url, data, headers: noHeaders}),
  },
  {
    id: 'url_data_headers',
    receiver,
    params: [self, stringType, dynType, headersType],
    result,
    host,
    call: (env: CelHost, client: HttpContext, url: string, data: Value, headers: Value) =>
      send(env, client, {method: 'POST', url, data, headers, headersAt: 2}),
  },
];

const clients: readonly Signature[] = [
  {
    id: 'ca',
    receiver,
    params: [self, stringType],
    result: self,
    call: (client: HttpContext, pem: string) => clientOf(client, pem),
    cost: (_client: HttpContext, pem: string) => pem.length >>> 6,
  },
];

/** The variable `http`: JSON of web servers. What may be called is the loader's to say. */
export const httpLibrary: Library = {
  name: 'kyverno.http',
  variables: {http: self},
  functions: [
    ...declare('http', ['Get', 'get'], gets),
    ...declare('http', ['Post', 'post'], posts),
    ...declare('http', ['Client', 'client'], clients),
  ],
};

function clientOf(client: HttpContext, pem: string): HttpContext {
  if (pem === '') return client;
  if (firstPemBlock(pem)?.type !== 'CERTIFICATE') throw new CelError('failed to parse PEM CA bundle for APICall');
  return new HttpContext(pem);
}

interface Call {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly data?: Value;
  readonly headers: Value;
  readonly headersAt?: number;
}

function send(env: CelHost, client: HttpContext, call: Call): Value {
  const headers = textPairs(call.headers, call.headersAt ?? 1);
  const body = call.data === undefined ? undefined : jsonArgument(call.data, 1, env.budget);
  const request: HttpRequest = {
    method: call.method,
    url: call.url,
    headers,
    ...(client.caBundle !== '' && {caBundle: client.caBundle}),
    ...(body !== undefined && {body}),
  };
  const text = body === undefined ? '' : stringifyJson(body);
  return ask<Json>(env, {
    failure: 'request failed',
    key: ['http', call.method, call.url, client.caBundle, text, ...headers.flat()],
    load: options => answered(env, request, options),
  });
}

/** Made once per request and kept: numbers are doubles from then on. */
function answered(env: CelHost, request: HttpRequest, options: LoadOptions): Json | Promise<Json> {
  const answer = env.loader.httpCall(request, options);
  return answer instanceof Promise ? answer.then(shapeOf) : shapeOf(answer);
}

/** The object itself with `statusCode`; anything else under `body`. */
function shapeOf({statusCode, body, given}: HttpAnswer): Json {
  const json = body === undefined ? null : withDoubles(body);
  if (!isObject(json)) return {body: json, statusCode};
  const shape = {...json};
  if (given === true && own(shape, 'body') === undefined) setOwn(shape, 'body', json);
  shape['statusCode'] = statusCode;
  return shape;
}
