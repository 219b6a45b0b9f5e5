import {describe, expect, it} from 'vitest';
import type {ContextLoader} from '../../engine/context-loader.js';
import type {JsonObject} from '../../engine/json/types.js';
import {engineOf, judge, policyOf} from '../../engine/testing/engines.js';
import {recordingLoader} from '../../engine/testing/recording-loader.js';
import {requestOf} from '../../engine/testing/requests.js';

/** One rule that breaks the engine takes other policies, or the process, with it. */
const pod: JsonObject = {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'p', namespace: 'default', labels: {}}, spec: {}};
const boom = () => {
  throw new TypeError("Cannot read properties of undefined (reading 'spec')");
};
const broken: ContextLoader = {...recordingLoader(), configMap: boom};

const poison = policyOf('a-poison', `
- name: breaks
  match: {any: [{resources: {kinds: [Pod]}}]}
  context: [{name: c, configMap: {name: x, namespace: default}}]
  validate: {message: "{{ c.data.k }}", deny: {conditions: {any: [{key: "{{ c.data.k }}", operator: Equals, value: a}]}}}
- name: still-judged
  match: {any: [{resources: {kinds: [Pod]}}]}
  validate: {message: m, pattern: {metadata: {name: "?*"}}}`);
const healthy = policyOf('b-healthy', `
- name: judged
  match: {any: [{resources: {kinds: [Pod]}}]}
  validate: {message: a label is wanted, pattern: {metadata: {labels: {team: "?*"}}}}`);

describe('a rule that throws', () => {
  it('is an error of its own: the other rules and policies are judged', async () => {
    const {engine} = engineOf([poison, healthy], {loader: broken});
    const results = await judge(engine, requestOf({object: pod}));
    expect(results.map(({rule, status}) => `${rule} ${status}`)).toEqual(['breaks error', 'still-judged pass', 'judged fail']);
  });

  it('would end the evaluation outside of the boundary', () => {
    expect(() => broken.configMap('default', 'x', {deadline: 0})).toThrow(TypeError);
  });

  it.each(['{{ @ | unknown_fn(@) }}', '{{ unknown_fn(request.object) }}', '{{ request.object[ }}'])('is refused when it is written, where that can be known: %s', text => {
    const rules = `[{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {message: m, deny: {conditions: {any: [{key: "${text}", operator: Equals, value: a}]}}}}]`;
    expect(() => engineOf([policyOf('bad', rules)])).toThrow();
  });
});
