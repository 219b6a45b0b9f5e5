import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {engineOf, policyOf, verdicts} from '../../engine/testing/engines.js';
import {requestOf} from '../../engine/testing/requests.js';

/** Two exceptions, each harmless, let something through that neither is about. */
const policy = policyOf('owned', `
- name: team
  match: {any: [{resources: {kinds: [Pod]}}]}
  validate: {message: m, pattern: {metadata: {labels: {team: "?*"}}}}`);

function exception(name: string, resources: JsonObject): JsonObject {
  return {
    apiVersion: 'kyverno.io/v2',
    kind: 'PolicyException',
    metadata: {name, namespace: 'kyverno'},
    spec: {exceptions: [{policyName: 'owned', ruleNames: ['team']}], match: {any: [{resources: {kinds: ['Pod'], ...resources}}]}},
  };
}

const byName = exception('by-name', {names: ['debug'], namespaces: ['a']});
const byNamespace = exception('by-namespace', {names: ['other'], namespaces: ['b']});
const neither = {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'debug', namespace: 'b'}, spec: {}};

describe('exceptions hold each on its own', () => {
  it('what only both together would describe is judged', async () => {
    const {engine} = engineOf([policy, byName, byNamespace]);
    expect(await verdicts(engine, requestOf({object: neither}))).toEqual(['owned/team fail']);
    expect(await verdicts(engine, requestOf({object: {...neither, metadata: {name: 'debug', namespace: 'a'}}}))).toEqual(['owned/team skip']);
  });

  it('one that describes it lets it through', async () => {
    const both = exception('both', {names: ['debug', 'other'], namespaces: ['a', 'b']});
    const {engine} = engineOf([policy, both]);
    expect(await verdicts(engine, requestOf({object: neither}))).toEqual(['owned/team skip']);
  });
});
