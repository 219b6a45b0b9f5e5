import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {engineOf, judge, policyOf} from '../../engine/testing/engines.js';
import {recordingLoader} from '../../engine/testing/recording-loader.js';
import {requestOf} from '../../engine/testing/requests.js';
import type {Engine} from '../../engine/types.js';

/** A policy of a namespace borrows the operator's rights to read what is not its own. */
const secret = 'what only the other namespace knows';
const pod: JsonObject = {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'p', namespace: 'tenant'}, spec: {}};

function rule(context: string): string {
  return `
- name: look
  match: {any: [{resources: {kinds: [Pod]}}]}
  context:
  - name: found
${context.replace(/^/gm, '    ')}
  validate:
    message: "{{ found.data.key }}"
    deny: {conditions: {any: [{key: "{{ found.data.key }}", operator: Equals, value: ${secret}}]}}`;
}

const attempts: ReadonlyArray<readonly [string, string]> = [
  ['a ConfigMap of another namespace', 'configMap: {name: settings, namespace: other}'],
  ['a ConfigMap whose namespace is a variable', `configMap: {name: settings, namespace: "{{ 'other' }}"}`],
  ['a path of another namespace', 'apiCall: {urlPath: /api/v1/namespaces/other/configmaps/settings}'],
  ['a path that climbs out', 'apiCall: {urlPath: /api/v1/namespaces/tenant/../other/configmaps/settings}'],
  ['a path that climbs out, encoded', 'apiCall: {urlPath: /api/v1/namespaces/tenant%2F..%2Fother/configmaps/settings}'],
  ['a path of the whole cluster', 'apiCall: {urlPath: /api/v1/configmaps}'],
  ['a path with its namespace in the query', "apiCall: {urlPath: '/api/v1/configmaps?x=/namespaces/tenant/'}"],
  ['a global context entry', 'globalReference: {name: settings}'],
];

async function read(context: string, namespace: string | undefined): Promise<string> {
  const data = {data: {key: secret}};
  const api = new Proxy({}, {getOwnPropertyDescriptor: () => ({configurable: true, enumerable: true, value: data}), get: () => data});
  const loader = recordingLoader({configMaps: {'other/settings': data}, api, global: {settings: data}});
  let engine: Engine;
  try {
    engine = engineOf([policyOf('borrow', rule(context), namespace === undefined ? {} : {namespace})], {loader}).engine;
  } catch (error) {
    // What can be seen when it is written is refused then.
    return `error ${(error as Error).message}`;
  }
  const results = await judge(engine, requestOf({object: pod}));
  return results.map(({status, message}) => `${status} ${message}`).join('\n');
}

describe('a namespaced policy reads nothing outside its namespace', () => {
  it.each(attempts)('%s', async (_name, context) => {
    const outcome = await read(context, 'tenant');
    expect(outcome).toMatch(/^error /);
    expect(outcome).not.toContain(secret);
  });

  it.each(attempts)('without the guard it would: %s', async (_name, context) => {
    expect(await read(context, undefined)).toBe(`fail ${secret}`);
  });
});
