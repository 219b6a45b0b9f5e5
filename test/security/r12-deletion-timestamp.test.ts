import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../engine/json/types.js';
import {engineOf, policyOf, verdicts} from '../../engine/testing/engines.js';
import {requestOf} from '../../engine/testing/requests.js';

/** An object that is being deleted, but kept by a finalizer, is changed into what no policy would let in. */
const rules = (more: string) => `
- name: privileged
  match: {any: [{resources: {kinds: [Pod]}}]}
${more}
  validate: {message: m, pattern: {spec: {containers: [{"=(securityContext)": {"=(privileged)": "false"}}]}}}`;
const container = (privileged: boolean): JsonObject => ({name: 'c', image: 'i', securityContext: {privileged}});
const pod = (privileged: boolean): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {name: 'p', namespace: 'default', deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x/y']},
  spec: {containers: [container(privileged)]},
});
const update = requestOf({object: pod(true), oldObject: pod(false)});

describe('deletionTimestamp is no exemption', () => {
  it('an object on its way out is judged like any other', async () => {
    expect(await verdicts(engineOf([policyOf('pods', rules(''))]).engine, update)).toEqual(['pods/privileged fail']);
  });

  it('a rule that asks for that exemption itself has it', async () => {
    const exempt = '  preconditions: {all: [{key: "{{ request.object.metadata.deletionTimestamp || \'\' }}", operator: Equals, value: ""}]}';
    expect(await verdicts(engineOf([policyOf('pods', rules(exempt))]).engine, update)).toEqual(['pods/privileged skip']);
  });
});
