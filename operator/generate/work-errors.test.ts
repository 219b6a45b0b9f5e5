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
