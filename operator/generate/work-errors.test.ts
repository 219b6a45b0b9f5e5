import {expect, it} from 'vitest';
import {KubeError} from '../../adapters/kube/kube-error.js';
import {MissingRight, NotHeld, Refused, writeFailure} from './work-errors.js';

const user = 'user "system:serviceaccount:kyverno:kyverno" (groups=["system:authenticated"])';
const held = `is forbidden: ${user} is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}\n{APIGroups:[""], Resources:["pods"], Verbs:["create"]}`;
const refusal = (status: number, message: string) => new KubeError({status, reason: 'Forbidden', message});
const bindings = {verb: 'create', kind: {group: 'rbac.authorization.k8s.io', resource: 'rolebindings'}, namespace: 'shop'};

it('a binding that gives more than is held asks for one right by name', () => {
  const object = {roleRef: {kind: 'ClusterRole', name: 'admin'}};
  const failure = writeFailure(refusal(403, `rolebindings.rbac.authorization.k8s.io "admins" ${held}`), {...bindings, object});
  expect(failure).toBeInstanceOf(NotHeld);
  expect((failure as Error).message).toBe('missing right: bind clusterroles.rbac.authorization.k8s.io with the name admin, or all that it gives');
});

it('a role that gives more than is held names what is missing', () => {
  const failure = writeFailure(refusal(403, `roles.rbac.authorization.k8s.io "admins" ${held}`), {...bindings, object: {rules: []}});
  expect((failure as Error).message).toBe('missing right: all that the role gives: {APIGroups:[""], Resources:["secrets"], Verbs:["get"]}, {APIGroups:[""], Resources:["pods"], Verbs:["create"]}');
});

it('rights to kinds, and what no right helps against, are told apart', () => {
  expect(writeFailure(refusal(403, 'rolebindings is forbidden: User "x" cannot create resource "rolebindings" in API group "rbac.authorization.k8s.io" in the namespace "shop"'), bindings)).toBeInstanceOf(MissingRight);
  expect(writeFailure(refusal(422, 'is invalid: spec.a: wrong'), bindings)).toBeInstanceOf(Refused);
});

it.each([
  ['a RoleBinding', 'RoleBinding.rbac.authorization.k8s.io "a" is invalid: roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"ClusterRole","Name":"view"}: cannot change roleRef', 'roleRef'],
  ['a StatefulSet', "StatefulSet.apps \"a\" is invalid: spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden", 'spec'],
  ['a StorageClass', 'StorageClass.storage.k8s.io "a" is invalid: [parameters: Forbidden: updates to parameters are forbidden., provisioner: Forbidden: updates to provisioner are forbidden.]', 'parameters'],
  ['a Pod', 'Pod "a" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.tolerations` (only additions to existing tolerations)', 'spec'],
  ['a PriorityClass', 'PriorityClass.scheduling.k8s.io "a" is invalid: value: Forbidden: may not be changed in an update.', 'value'],
  ['a Service', 'Service "a" is invalid: spec.clusterIPs[0]: Invalid value: ["10.0.0.2"]: may not change once set', 'spec.clusterIPs[0]'],
  ['a Job', 'Job.batch "a" is invalid: spec.template: Invalid value: {"Spec":{}}: field is immutable', 'spec.template'],
])('a field of %s that stays as it was created is told as that', (_kind, message, field) => {
  const failure = writeFailure(refusal(422, message), {verb: 'patch', kind: {group: '', resource: 'things'}});
  expect(failure).toMatchObject({name: 'Refused', reason: 'ImmutableField', message: expect.stringContaining(`immutable field ${field} would change`) as string});
});

it('values that are forbidden whatever was there before are not', () => {
  const failure = writeFailure(refusal(422, 'Pod "a" is invalid: spec.hostNetwork: Forbidden: may not be set with a sysctl'), {verb: 'patch', kind: {group: '', resource: 'pods'}});
  expect(failure).toMatchObject({name: 'Refused', reason: 'Invalid'});
});
