import {describe, expect, it} from 'vitest';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {AdmissionRequest} from '../types.js';
import type {NeededRight} from './needed-rights.js';
import {createPolicyReview} from './review-object.js';

const match = {any: [{resources: {kinds: ['Namespace']}}]};

/** What a policy with the rule is asked for, and what becomes of it when `missing` is not there. */
async function judge(rule: JsonObject, {missing = () => false, unchanged = false}: {missing?: (right: NeededRight) => boolean; unchanged?: boolean} = {}) {
  const asked: string[] = [];
  const review = createPolicyReview({
    resources: () => builtinResourceMap,
    compile: {matchConditions: 'by-api-server', background: 'served'},
    exceptions: {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: ''},
    unknownKinds: 'refuse',
    async rights(needed) {
      for (const {verb, group, resource, namespace} of needed) asked.push(`${verb} ${group}/${resource} ${namespace}`.trim());
      return needed.filter(missing).map(({path, verb}) => ({code: 'right-missing', path, message: verb}));
    },
  });
  const object = {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name: 'p'}, spec: {rules: [{name: 'r', match, ...rule}]}};
  const request = {kind: {group: 'kyverno.io', version: 'v1', kind: 'ClusterPolicy'}, object, operation: 'CREATE', ...(unchanged && {oldObject: object})};
  return {result: await review.review(request as unknown as AdmissionRequest), asked};
}

describe('what a policy will do to objects', () => {
  const data = {apiVersion: 'v1', kind: 'Secret', name: 'made', namespace: 'team', data: {data: {}}};

  it('is to get and create what it generates', async () => {
    expect((await judge({generate: data})).asked).toEqual(['get /secrets team', 'create /secrets team']);
  });

  it('is to update and delete too, where it keeps objects in step, in any namespace where a variable tells', async () => {
    const {asked} = await judge({generate: {...data, namespace: '{{request.object.metadata.name}}', synchronize: true}});
    expect(asked).toEqual(['get /secrets', 'create /secrets', 'update /secrets', 'delete /secrets']);
  });

  it('is asked for each kind of a list and each loop', async () => {
    const cloneList = {namespace: 'from', kinds: ['v1/Secret', 'apps/v1/Deployment']};
    expect((await judge({generate: {namespace: 'team', cloneList}})).asked).toEqual([
      'get /secrets team',
      'create /secrets team',
      'get apps/deployments team',
      'create apps/deployments team',
    ]);
    expect((await judge({generate: {foreach: [{list: 'request.object.spec.a', ...data}]}})).asked).toEqual(['get /secrets team', 'create /secrets team']);
  });

  it('is to get and update the targets of a mutation', async () => {
    const mutate = {targets: [{apiVersion: 'v1', kind: 'ServiceAccount'}], patchStrategicMerge: {metadata: {labels: {a: 'b'}}}};
    expect((await judge({mutate})).asked).toEqual(['get /serviceaccounts', 'update /serviceaccounts']);
  });

  it('is not asked where a variable tells the kind, nor of other rules', async () => {
    expect((await judge({generate: {...data, kind: '{{request.object.metadata.labels.kind}}'}})).asked).toEqual([]);
    expect((await judge({validate: {message: 'm', pattern: {metadata: {name: '?*'}}}})).asked).toEqual([]);
  });

  it('refuses the policy with one fault per target', async () => {
    const {result} = await judge({generate: data}, {missing: ({verb}) => verb === 'create'});
    expect(result).toMatchObject({allowed: false, errors: [{code: 'right-missing', path: 'spec.rules[0].generate'}]});
  });

  it('is no question when the policy stays as it is', async () => {
    const {result, asked} = await judge({generate: data}, {missing: () => true, unchanged: true});
    expect(result).toMatchObject({allowed: true});
    expect(asked).toEqual([]);
  });
});
