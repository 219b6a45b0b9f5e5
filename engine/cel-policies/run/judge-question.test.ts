import {createHmac, generateKeyPairSync, sign} from 'node:crypto';
import {describe, expect, it} from 'vitest';
import {builtinResourceMap} from '../../builtin-resources.js';
import type {Json} from '../../json/types.js';
import {regex} from '../../testing/engines.js';
import {recordingLoader} from '../../testing/recording-loader.js';
import {CelPolicyCache} from '../snapshot/cel-policy-cache.js';
import {call, celPolicy} from '../testing/cel-engines.js';
import {createCelEngine} from './create-cel-engine.js';

async function answer(mode: 'HTTP' | 'Envoy', spec: string, question: Json): Promise<string[]> {
  const cache = new CelPolicyCache({
    resources: () => builtinResourceMap,
    compile: {regex, proxyModes: true},
    exceptions: {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: ''},
  });
  const state = cache.putPolicy(
    celPolicy('ValidatingPolicy', `{matchConstraints: null, evaluation: {mode: ${mode}}, ${spec}}`),
  );
  if (state.status === 'refused') throw new Error(state.problems.map(({message}) => message).join('\n'));
  const engine = createCelEngine({policies: cache, loader: recordingLoader(), regex});
  const {results} = await engine.validatePayload(question, call, mode);
  return results.flatMap(({rules}) => rules.map(({status, message}) => `${status} ${message}`));
}

const first = (...expressions: readonly string[]) =>
  `validations: [${expressions.map(text => `{expression: ${JSON.stringify(text)}}`).join(', ')}]`;

describe('policies for proxies', () => {
  it.each<[what: string, mode: 'HTTP' | 'Envoy', spec: string, question: Json, verdict: string]>([
    ['allowed', 'HTTP', first('http.Allowed().Response()'), {}, 'pass success'],
    ['denied', 'HTTP', first('http.Denied("not allowed").Response()'), {}, 'fail not allowed'],
    [
      'the first that is not null decides',
      'HTTP',
      first('null', 'http.Denied("second").Response()', 'http.Allowed().Response()'),
      {},
      'fail second',
    ],
    [
      'headers by any case',
      'HTTP',
      first(
        'object.attributes.Header("X-Team") == ["blue"] ? http.Allowed().Response() : http.Denied("no").Response()',
      ),
      {attributes: {header: {'x-team': ['blue']}}},
      'pass success',
    ],
    [
      'what the proxy left out is empty',
      'HTTP',
      first(
        'size(object.attributes.QueryParam("a")) == 0 && object.attributes.method == "" ? http.Allowed().Response() : null',
      ),
      {},
      'pass success',
    ],
    [
      'Envoy, with a body',
      'Envoy',
      first('envoy.Denied(403).WithBody("Unauthorized").WithHeader("a", "b").Response()'),
      {},
      'fail denied with status 403: Unauthorized',
    ],
    [
      'Envoy, by path',
      'Envoy',
      first(
        'object.attributes.request.http.path.startsWith("/public") ? envoy.Allowed().WithHeader("a", "b").Response() : envoy.Denied(401).Response()',
      ),
      {attributes: {request: {http: {path: '/public/x'}}}},
      'pass success',
    ],
    [
      'conditions that do not hold',
      'HTTP',
      `matchConditions: [{name: c, expression: object.attributes.host == "x"}], ${first('http.Denied("d").Response()')}`,
      {},
      'skip request does not match',
    ],
    ['no answer at all', 'HTTP', first('null'), {}, 'skip request does not match'],
    [
      'what cannot be evaluated',
      'HTTP',
      first('object.nope.x == 1 ? http.Allowed().Response() : null'),
      {},
      'error error: no such key: nope',
    ],
    [
      'an answer that is no response',
      'HTTP',
      first('http.Allowed()'),
      {},
      'error error: an expression must come to a response or to null',
    ],
  ])('%s', async (_what, mode, spec, question, verdict) => {
    expect(await answer(mode, spec, question)).toEqual([verdict]);
  });
});

describe('tokens', () => {
  const now = 1_700_000_000;
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const body = (alg: string, claims: object) => `${encode({alg, typ: 'JWT'})}.${encode(claims)}`;
  const {publicKey, privateKey} = generateKeyPairSync('ec', {namedCurve: 'P-256'});
  const pem = publicKey.export({type: 'spki', format: 'pem'}).toString();
  const hmac = (text: string, key: string) => `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
  const elliptic = (text: string) =>
    `${text}.${sign('sha256', Buffer.from(text), {key: privateKey, dsaEncoding: 'ieee-p1363'}).toString('base64url')}`;

  it.each<[what: string, token: string, key: string, valid: boolean]>([
    ['signed with the secret', hmac(body('HS256', {role: 'admin'}), 'secret'), 'secret', true],
    ['signed with another one', hmac(body('HS256', {role: 'admin'}), 'other'), 'secret', false],
    ['not signed', `${body('none', {role: 'admin'})}.`, 'secret', false],
    ['over', hmac(body('HS256', {exp: now - 1}), 'secret'), 'secret', false],
    ['not over', hmac(body('HS256', {exp: now + 60, nbf: now - 60}), 'secret'), 'secret', true],
    ['not yet', hmac(body('HS256', {nbf: now + 60}), 'secret'), 'secret', false],
    ['signed by a key pair', elliptic(body('ES256', {role: 'admin'})), pem, true],
    ['signed with the public key as secret', hmac(body('HS256', {role: 'admin'}), pem), pem, false],
    ['no token', 'a.b.c', 'secret', false],
  ])('%s', async (_what, token, key, valid) => {
    const spec = `variables: [{name: token, expression: ${JSON.stringify(`jwt.Decode(${JSON.stringify(token)}, ${JSON.stringify(key)})`)}}], ${first('variables.token.Valid ? envoy.Allowed().Response() : envoy.Denied(401).Response()')}`;
    expect(await answer('Envoy', spec, {})).toEqual([valid ? 'pass success' : 'fail denied with status 401']);
  });

  it('claims are read as fields', async () => {
    const token = hmac(body('HS256', {role: 'admin'}), 'secret');
    const spec = first(
      `jwt.Decode("${token}", "secret").Claims.?role.orValue("") == "admin" ? envoy.Allowed().Response() : null`,
    );
    expect(await answer('Envoy', spec, {})).toEqual(['pass success']);
  });
});
