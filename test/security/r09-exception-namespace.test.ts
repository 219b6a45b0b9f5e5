import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {engineOf, policyOf, verdicts} from '../../engine/testing/engines.js';
import {requestOf} from '../../engine/testing/requests.js';

/** Whoever may write a PolicyException in a namespace of their own exempts what is elsewhere. */
const policy = policyOf('owned', `
- name: team
  match: {any: [{resources: {kinds: [Pod]}}]}
  validate: {message: m, pattern: {metadata: {labels: {team: "?*"}}}}`);
const pod: JsonObject = {apiVersion: 'v1', kind: 'Pod', metadata: {name: 'p', namespace: 'tenant'}, spec: {}};
const exception = (namespace: string): JsonObject => ({
  apiVersion: 'kyverno.io/v2',
  kind: 'PolicyException',
  metadata: {name: 'myself', namespace},
  spec: {exceptions: [{policyName: 'owned', ruleNames: ['*']}], match: {any: [{resources: {kinds: ['Pod']}}]}},
});
const judged = async (namespace: string, exceptionNamespace?: string) =>
  verdicts(engineOf([policy, exception(namespace)], exceptionNamespace === undefined ? {} : {exceptionNamespace}).engine, requestOf({object: pod}));

describe('an exception of any namespace', () => {
  it('counts for nothing outside of it, unless the installation names it', async () => {
    expect(await judged('elsewhere')).toEqual(['owned/team fail']);
    expect(await judged('elsewhere', 'platform')).toEqual(['owned/team fail']);
  });

  it('would count where all namespaces are allowed', async () => {
    expect(await judged('elsewhere', '*')).toEqual(['owned/team skip']);
    expect(await judged('platform', 'platform')).toEqual(['owned/team skip']);
  });
});
