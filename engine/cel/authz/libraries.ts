import {httpContext} from '../kyverno/contexts.js';
import type {CelHost, FunctionDeclaration, Library, Overload} from '../library/library.js';
import {dynType, intType, listOf, opaque, stringType, type Type} from '../types/type.js';
import {isMap, mapEntries} from '../values/index.js';
import {OpaqueValue, type Value} from '../values/value.js';
import {Answer, answerType, Decision, decisionType} from './decision.js';
import {decodeToken, TokenValue, tokenType} from './token.js';

class Receiver extends OpaqueValue {
  constructor(readonly typeName: string) {
    super();
  }

  equals(other: OpaqueValue): boolean {
    return other === this;
  }
}

const envoyType = opaque('envoy.Context');
const jwtType = opaque('jwt.Context');

/** Values of the variables that these libraries declare. */
export const authzContexts: Readonly<Record<string, Value>> = {
  envoy: new Receiver('envoy.Context'),
  jwt: new Receiver('jwt.Context'),
};

function method(
  name: string,
  id: string,
  params: readonly Type[],
  result: Type,
  call: Overload['call'],
): FunctionDeclaration {
  return {name, overloads: [{id, receiver: true, params, result, call}]};
}

/** What an answer carries besides is the proxy's business: it decides nothing. */
const unchanged = (answer: Answer) => answer;
const response = method(
  'Response',
  'authz_response',
  [answerType],
  decisionType,
  ({allowed, reason}: Answer) => new Decision(allowed, reason),
);

/** Answers to Envoy's external authorization. */
export const envoyLibrary: Library = {
  name: 'authz.envoy',
  variables: {envoy: envoyType},
  functions: [
    method('Allowed', 'envoy_allowed', [envoyType], answerType, () => new Answer(true, '')),
    method(
      'Denied',
      'envoy_denied',
      [envoyType, intType],
      answerType,
      (_self, code: number | bigint) => new Answer(false, `denied with status ${code}`),
    ),
    method(
      'WithBody',
      'envoy_with_body',
      [answerType, stringType],
      answerType,
      ({allowed, reason}: Answer, body: string) => new Answer(allowed, `${reason}: ${body}`),
    ),
    method('WithHeader', 'envoy_with_header', [answerType, stringType, stringType], answerType, unchanged),
    method('WithoutHeader', 'envoy_without_header', [answerType, stringType], answerType, unchanged),
    method(
      'WithResponseHeader',
      'envoy_with_response_header',
      [answerType, stringType, stringType],
      answerType,
      unchanged,
    ),
    method('WithQueryParam', 'envoy_with_query_param', [answerType, stringType, stringType], answerType, unchanged),
    method('WithoutQueryParam', 'envoy_without_query_param', [answerType, stringType], answerType, unchanged),
    method('WithMetadata', 'envoy_with_metadata', [decisionType, dynType], decisionType, unchanged),
    response,
  ],
};

/** Answers to a proxy that asks over HTTP, and the request's multi-valued fields. */
export const httpAuthzLibrary: Library = {
  name: 'authz.http',
  functions: [
    method('Allowed', 'http_allowed', [httpContext.type], answerType, () => new Answer(true, '')),
    method(
      'Denied',
      'http_denied',
      [httpContext.type, stringType],
      answerType,
      (_self, reason: string) => new Answer(false, reason),
    ),
    method('Header', 'http_header', [dynType, stringType], listOf(stringType), (attributes: Value, name: string) =>
      valuesOf(attributes, 'header', key => key.toLowerCase() === name.toLowerCase()),
    ),
    method(
      'QueryParam',
      'http_query_param',
      [dynType, stringType],
      listOf(stringType),
      (attributes: Value, name: string) => valuesOf(attributes, 'query', key => key === name),
    ),
    response,
  ],
};

export const jwtLibrary: Library = {
  name: 'authz.jwt',
  variables: {jwt: jwtType},
  objects: [TokenValue.declaration],
  functions: [
    {
      name: 'Decode',
      overloads: [
        {
          id: 'jwt_decode',
          receiver: true,
          params: [jwtType, stringType, stringType],
          result: tokenType,
          host: true,
          call: (host: CelHost, _self: Value, token: string, key: string) => decodeToken(token, key, host.loader.now()),
        },
      ],
    },
  ],
};

function valuesOf(attributes: Value, field: string, wanted: (key: string) => boolean): Value[] {
  if (!isMap(attributes)) return [];
  for (const [key, values] of mapEntries(attributes)) {
    if (key !== field || !isMap(values)) continue;
    for (const [name, list] of mapEntries(values)) {
      if (typeof name === 'string' && wanted(name)) return Array.isArray(list) ? [...list] : [list];
    }
  }
  return [];
}
