import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {eventually} from '../../adapters/kube/testing/eventually.js';
import type {JsonObject} from '../../engine/json/types.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {existingObjectRequest} from '../requests/existing-object.js';
import {createTestCore, type TestCore} from '../testing/test-core.js';
import {createNativeJudge, type NativeJudge} from './native-judge.js';
import {createNativePoliciesFeature} from './native-policies-feature.js';

const root = 'apis/admissionregistration.k8s.io/v1';
const deadline = Number.POSITIVE_INFINITY;
const configMaps = builtinResourceMap.find('ConfigMap')[0]!;
let test: TestCore;
let judge: NativeJudge;

beforeEach(async () => {
  test = await createTestCore({flags: ['--mutatingAdmissionPolicyReports']});
  await test.run(createNativePoliciesFeature(test.core));
  judge = createNativeJudge(test.core);
});
afterEach(() => test.close());

function put(resource: string, kind: string, name: string, labels: Readonly<Record<string, string>>, spec: JsonObject): void {
  test.server.put(`${root}/${resource}`, {apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: {name, uid: `uid-${name}`, labels: {...labels}}, spec});
}

const matchConstraints = {resourceRules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps']}]};
const wanted = {'reports.kyverno.io/enabled': 'true'};
const validating = (name: string, labels: Readonly<Record<string, string>>) =>
  put('validatingadmissionpolicies', 'ValidatingAdmissionPolicy', name, labels, {matchConstraints, validations: [{expression: "object.metadata.name == 'fine'"}]});

async function verdicts(name: string): Promise<string[]> {
  const object = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name, namespace: 'shop'}};
  const results = await judge.judge(existingObjectRequest(object, configMaps), deadline);
  return results.flatMap(({policy, source, rules}) => rules.map(rule => `${source} ${policy.name} ${rule.status} ${rule.message} ${JSON.stringify(rule.properties ?? {})}`));
}

describe('policies of the API server on objects that are there', () => {
  it('are those that are marked, and copies of ours that are not marked as silent', async () => {
    const copy = {'app.kubernetes.io/managed-by': 'kyverno'};
    validating('marked', wanted);
    validating('unmarked', {});
    validating('copy', copy);
    validating('silent', {...copy, 'reports.kyverno.io/disabled': 'true'});
    await eventually(() => judge.policies().size === 2);
    expect([...judge.policies().keys()].sort()).toEqual(['ValidatingAdmissionPolicy/copy', 'ValidatingAdmissionPolicy/marked']);
    expect(judge.uidOf('ValidatingAdmissionPolicy', 'marked')).toBe('uid-marked');
  });

  it('tell what they would say, and by which binding', async () => {
    validating('p', wanted);
    const changed: string[] = [];
    const end = judge.subscribe(id => changed.push(id));
    put('validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding', 'b', {}, {policyName: 'p', validationActions: ['Deny']});
    await eventually(() => changed.includes('ValidatingAdmissionPolicy/p') && judge.policies().get('ValidatingAdmissionPolicy/p')?.bindings.length === 1);
    end();
    expect(await verdicts('fine')).toEqual(['ValidatingAdmissionPolicy p pass  {"binding":"b"}']);
    expect(await verdicts('bad')).toEqual([`ValidatingAdmissionPolicy p fail failed expression: object.metadata.name == 'fine' {"binding":"b"}`]);
  });
});
