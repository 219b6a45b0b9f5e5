import {describe, expect, it} from 'vitest';
import type {Json} from '../../engine/json/types.js';
import {readStrictDocuments} from './documents.js';
import {splitPath} from './dotted-path.js';
import {list, map, struct, text} from './strict.js';
import {checkTest, decodeTest, isDeprecatedTest} from './test-file.js';
import {decodeUserInfo} from './user-info-file.js';
import {decodeValues} from './values-file.js';

const decode = struct({name: text, isDeletingPolicy: text, items: list(struct({key: text})), labels: map(text)});

describe('strict objects', () => {
  it.each<[what: string, value: Json, result: unknown]>([
    ['a name in another case', {NAME: 'a', isdeletingpolicy: 'b'}, {name: 'a', isDeletingPolicy: 'b'}],
    ['the exact name before its twin', {Name: 'twin', name: 'exact'}, {name: 'exact'}],
    ['null as absent', {name: null, items: null}, {}],
    ['lists and maps', {items: [{key: 'a'}], labels: {a: 'b'}}, {items: [{key: 'a'}], labels: {a: 'b'}}],
  ])('takes %s', (_what, value, result) => {
    expect(decode(value, '')).toEqual(result);
  });

  it.each<[what: string, value: Json, message: string]>([
    ['an unknown field', {resource: 'x'}, 'json: unknown field "resource"'],
    ['an unknown field below', {items: [{other: 1}]}, 'json: unknown field "other" in items[0]'],
    ['a wrong type', {items: 'x'}, 'items: expected a list, found a string'],
    ['a wrong type below', {labels: {a: 1}}, 'labels.a: expected a string, found a number'],
    ['no object', [], 'the document: expected an object, found a list'],
    ['a prototype key', JSON.parse('{"__proto__": 1}'), 'unknown field "__proto__"'],
  ])('refuses %s', (_what, value, message) => {
    expect(() => decode(value, '')).toThrow(message);
  });

  it('refuses a key that is given twice', () => {
    expect(() => readStrictDocuments('a: 1\nb: 2\na: 3\n', 'file.yaml')).toThrow(
      'file.yaml:3: key "a" already set in map',
    );
  });
});

describe('dotted paths', () => {
  it.each([
    ['a', ['a']],
    ['request.object.spec', ['request', 'object', 'spec']],
    ['a."b.c".d', ['a', 'b.c', 'd']],
    ['a."say ""x"""', ['a', 'say "x"']],
  ])('%s', (path, segments) => {
    expect(splitPath(path)).toEqual(segments);
  });
});

describe('test files', () => {
  it('repeat no path, and read the old payload field', () => {
    const spec = decodeTest({policies: ['a', 'a'], resources: ['b', 'b', 'c'], jsonPayload: './p.json'});
    expect([spec.policies, spec.resources, spec.jsonPayloads]).toEqual([['a'], ['b', 'c'], ['p.json']]);
  });

  it.each<[what: string, value: Json, deprecated: boolean]>([
    ['a current one', {apiVersion: 'v', kind: 'Test'}, false],
    ['one without kind', {apiVersion: 'v'}, true],
    ['one with a name at the top', {apiVersion: 'v', kind: 'Test', name: 'n'}, true],
  ])('deprecated: %s', (_what, value, deprecated) => {
    expect(isDeprecatedTest(decodeTest(value))).toBe(deprecated);
  });

  it.each<[what: string, value: Json, message: string]>([
    ['no policy name', {results: [{rule: 'r'}]}, 'results[0].policy: a policy name is required'],
    ['an unknown result', {results: [{policy: 'p', result: 'ok'}]}, 'results[0].result: "ok" is none of pass'],
    ['CONNECT', {results: [{policy: 'p', operation: 'CONNECT'}]}, 'is none of CREATE, UPDATE, DELETE'],
    [
      'an operation of a deletion',
      {results: [{policy: 'p', operation: 'DELETE', isDeletingPolicy: true}]},
      'not allowed',
    ],
    [
      'a call with two addresses',
      {apiCallResponses: [{url: 'http://a', urlPath: '/b'}]},
      'exactly one of url and urlPath',
    ],
    ['a relative URL', {apiCallResponses: [{url: 'a', response: {body: {}}}]}, 'absolute http or https URL'],
    ['a body that is a list', {apiCallResponses: [{urlPath: '/a', response: {body: []}}]}, 'a JSON object is required'],
    [
      'a status of 99',
      {apiCallResponses: [{urlPath: '/a', response: {statusCode: 99, body: {}}}]},
      'between 100 and 599',
    ],
    [
      'a call given twice',
      {
        apiCallResponses: [
          {urlPath: '/a', response: {body: {}}},
          {urlPath: '/a', response: {body: {}}},
        ],
      },
      'given already',
    ],
    [
      'an entry with two sources',
      {globalContextEntries: [{name: 'n', data: {}, resources: []}]},
      'exactly one of data',
    ],
    ['a file outside', {globalContextEntries: [{name: 'n', resourceFiles: ['../x.yaml']}]}, 'must be relative'],
  ])('refuse %s', (_what, value, message) => {
    expect(() => checkTest(decodeTest(value))).toThrow(message);
  });
});

describe('values and user info', () => {
  it('are refused without apiVersion and kind, or with an empty list', () => {
    expect(() => decodeValues({globalValues: {}})).toThrow('deprecated form');
    const policies = [{name: 'p', rules: [{name: 'r', foreachValues: {x: []}}]}];
    expect(() => decodeValues({apiVersion: 'v', kind: 'Values', policies})).toThrow('foreachValues.x of rule r');
  });

  it('user info is sorted and tells its old form', () => {
    const file = decodeUserInfo({clusterRoles: ['b', 'a'], userInfo: {username: 'jane', groups: ['g']}});
    expect(file).toEqual({
      deprecated: true,
      user: {username: 'jane', groups: ['g'], roles: [], clusterRoles: ['a', 'b']},
    });
  });
});
