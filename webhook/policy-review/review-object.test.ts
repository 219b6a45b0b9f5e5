import {describe, expect, it} from 'vitest';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import type {AdmissionRequest} from '../types.js';
import {createPolicyReview, type ReviewOptions} from './review-object.js';

const options: ReviewOptions = {
  resources: () => builtinResourceMap,
  compile: {matchConditions: 'by-api-server'},
  exceptions: {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: ''},
  unknownKinds: 'refuse',
};
const review = createPolicyReview(options);

function policy(kind: string, metadata: JsonObject = {}): JsonObject {
  const rule = {name: 'r', match: {any: [{resources: {kinds: [kind]}}]}, validate: {message: 'm', pattern: {metadata: {name: '?*'}}}};
  return {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name: 'p', ...metadata}, spec: {rules: [rule]}};
}

function requestOf(object: JsonObject, oldObject?: JsonObject): AdmissionRequest {
  const kind = {group: 'kyverno.io', version: 'v1', kind: 'ClusterPolicy'};
  return {kind, object, oldObject, operation: oldObject === undefined ? 'CREATE' : 'UPDATE'} as unknown as AdmissionRequest;
}

function judge(object: JsonObject, oldObject?: JsonObject) {
  return review.review(requestOf(object, oldObject));
}

describe('the review of a policy', () => {
  it('refuses a kind that the cluster does not have', () => {
    expect(judge(policy('Gone'))).toMatchObject({allowed: false});
  });

  it('takes a kind that was defined a moment ago', async () => {
    let resources: ResourceMap = {...builtinResourceMap, find: () => []};
    const asked = createPolicyReview({
      ...options,
      resources: () => resources,
      async catchUp() {
        resources = builtinResourceMap;
      },
    });
    expect(await asked.review(requestOf(policy('Pod')))).toMatchObject({allowed: true});
    expect(await asked.review(requestOf(policy('Gone')))).toMatchObject({allowed: false});
  });

  it('tells of fields that validate.cel reads and the kind does not have', () => {
    const celPolicy = (expression: string) => {
      const rule = {name: 'r', match: {any: [{resources: {kinds: ['Secret']}}]}, validate: {cel: {expressions: [{expression, message: 'm'}]}}};
      return {...policy('Secret'), spec: {rules: [rule]}};
    };
    const told = (expression: string) => JSON.stringify(judge(celPolicy(expression)));
    expect(told('!has(object.automount)')).toContain("undefined field 'automount';");
    expect(told('!has(object.immutable)')).not.toContain('undefined field');
  });

  it('lets a stored policy that does not load lose its finalizers, with a warning', () => {
    const held = policy('Gone', {finalizers: ['example.com/f'], deletionTimestamp: '2026-01-01T00:00:00Z'});
    expect(judge(policy('Gone', {deletionTimestamp: '2026-01-01T00:00:00Z'}), held)).toMatchObject({
      allowed: true,
      errors: [],
      warnings: [expect.stringContaining('the policy is not Ready')],
    });
  });

  it('refuses an edit that leaves or makes it broken, whatever is being deleted', () => {
    const gone = {deletionTimestamp: '2026-01-01T00:00:00Z'};
    expect(judge(policy('Gone', gone), policy('Pod', gone))).toMatchObject({allowed: false});
    expect(judge(policy('Gone'), policy('Away'))).toMatchObject({allowed: false});
    expect(judge(policy('Gone', {annotations: {a: 'b'}}), policy('Gone'))).toMatchObject({allowed: false});
  });
});
