import {describe, expect, it} from 'vitest';
import {podReview} from '../testing/harness.js';
import {checkContentType, decodeReview, DecodeError} from './decode.js';
import {encodeReview} from './encode.js';

const decode = (text: string) => decodeReview(Buffer.from(text));

describe('a review', () => {
  it('is read whole', () => {
    const {apiVersion, kind, request} = decode(
      podReview({
        subResource: 'status',
        dryRun: true,
        userInfo: {username: 'alice', uid: '7', groups: ['devs'], extra: {scopes: ['a', 'b']}},
      }),
    );
    expect({apiVersion, kind}).toEqual({apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview'});
    expect(request).toMatchObject({
      uid: 'u-1',
      kind: {group: '', version: 'v1', kind: 'Pod'},
      resource: {group: '', version: 'v1', resource: 'pods'},
      subResource: 'status',
      operation: 'CREATE',
      user: {username: 'alice', uid: '7', groups: ['devs'], extra: {scopes: ['a', 'b']}},
      dryRun: true,
      oldObject: undefined,
    });
    expect(request.object).toBe(request.raw['object']);
  });

  it('keeps integers beyond 53 bits', () => {
    const text = podReview().replace('"spec":{', '"spec":{"big":9223372036854775807,');
    expect(decode(text).request.object).toMatchObject({spec: {big: 9223372036854775807n}});
  });

  it.each([
    ['an empty body', '', 417, 'unexpected end of JSON input'],
    ['no JSON', '{"a":', 417, ''],
    ['no object', '[]', 417, 'json: cannot unmarshal array into field AdmissionReview'],
    ['no request', '{"kind":"AdmissionReview"}', 400, 'AdmissionReview request is nil'],
    ['a null request', '{"request":null}', 400, 'AdmissionReview request is nil'],
    ['a request that is text', '{"request":"x"}', 417, 'cannot unmarshal string into field AdmissionReview.request'],
    ['a uid that is a number', podReview({uid: 1}), 417, 'AdmissionReview.request.uid'],
    ['a kind that is text', podReview({kind: 'Pod'}), 417, 'AdmissionReview.request.kind'],
    ['an object that is a list', podReview({object: []}), 417, 'AdmissionReview.request.object'],
    ['groups that are no texts', podReview({userInfo: {groups: [1]}}), 417, 'AdmissionReview.request.userInfo.groups'],
    ['an unknown operation', podReview({operation: 'PATCH'}), 417, '"PATCH" is none of'],
  ])('%s is refused', (_name, text, status, message) => {
    let caught: unknown;
    try {
      decode(text);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(DecodeError);
    expect((caught as DecodeError).status).toBe(status);
    expect((caught as DecodeError).message).toContain(message);
  });

  it.each([undefined, 'text/plain', 'application/json; charset=utf-8', 'application/yaml'])(
    'with Content-Type %s is refused',
    contentType => {
      expect(() => checkContentType(contentType)).toThrow('invalid Content-Type');
    },
  );
});

describe('an answer', () => {
  const review = decode(podReview());

  it('echoes uid, apiVersion and kind and leaves the request out', () => {
    expect(JSON.parse(encodeReview(review, {allowed: true}))).toEqual({
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      response: {uid: 'u-1', allowed: true},
    });
  });

  it('of a refusal has a status with a message and no code', () => {
    expect(JSON.parse(encodeReview(review, {allowed: false, message: 'no "way"\n'}))).toMatchObject({
      response: {allowed: false, status: {status: 'Failure', message: 'no "way"\n'}},
    });
  });

  it('has the patch as base64 and the warnings', () => {
    const {response} = JSON.parse(encodeReview(review, {allowed: true, patch: '[{"op":"add"}]', warnings: ['w']})) as {
      response: {patch: string; patchType: string; warnings: string[]};
    };
    expect(Buffer.from(response.patch, 'base64').toString()).toBe('[{"op":"add"}]');
    expect([response.patchType, response.warnings]).toEqual(['JSONPatch', ['w']]);
  });
});
