import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {engineOf, judge, policyOf} from '../../engine/testing/engines.js';
import {requestOf} from '../../engine/testing/requests.js';

/** A few hundred bytes of policy that would fill the memory. */
const pod: JsonObject = {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'p', namespace: 'default'}, spec: {}};

/** `levels` doublings of a text of 1,024 characters. */
function doubling(levels: number): JsonObject {
  const entries = Array.from({length: levels}, (_, index) => {
    const value = index === 0 ? 'x'.repeat(1024) : `{{ v${index - 1} }}{{ v${index - 1} }}`;
    return `  - {name: v${index}, variable: {value: "${value}"}}`;
  });
  return policyOf('doubling', `
- name: grows
  match: {any: [{resources: {kinds: [Pod]}}]}
  context:
${entries.join('\n')}
  validate: {message: m, deny: {conditions: {any: [{key: "{{ length(v${levels - 1}) }}", operator: GreaterThan, value: 0}]}}}`);
}

async function outcome(policy: JsonObject, bytes?: number): Promise<string> {
  const {engine} = engineOf([policy], bytes === undefined ? {} : {engine: {limits: {bytes}}});
  const [result] = await judge(engine, requestOf({object: pod}));
  return `${result?.status} ${result?.message}`;
}

describe('values that double', () => {
  it('end at the limit of bytes, as an error', async () => {
    expect(await outcome(doubling(40))).toMatch(/^error .*(bytes|limit)/);
  });

  it('would go on without it: 8 MiB of one variable', async () => {
    expect(await outcome(doubling(14), Number.MAX_SAFE_INTEGER)).toBe('fail m');
    expect(await outcome(doubling(14))).toMatch(/^error /);
  });
});

describe('functions that make much of little', () => {
  it.each([
    ["join('', [X, X, X, X, X, X, X, X])", 'X'],
    ["replace_all(X, 'x', X)", 'X'],
    ["regex_replace_all('x', X, X)", 'X'],
    ["base64_encode(X)", 'X'],
  ])('%s', async (template, name) => {
    const value = 'x'.repeat(600 * 1024);
    const expression = template.replaceAll(name, 'big');
    const policy = policyOf('amplify', `
- name: grows
  match: {any: [{resources: {kinds: [Pod]}}]}
  context:
  - {name: big, variable: {value: "${value}"}}
  - {name: more, variable: {jmesPath: "${expression}"}}
  - {name: most, variable: {jmesPath: "join('', [more, more, more, more])"}}
  validate: {message: m, deny: {conditions: {any: [{key: "{{ length(most) }}", operator: GreaterThan, value: 0}]}}}`);
    expect(await outcome(policy)).toMatch(/^error /);
  });
});
