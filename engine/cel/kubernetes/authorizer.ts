import {BudgetError, EvalError} from '../../diagnostic.js';
import {CelError} from '../errors.js';
import {fn, hosted, method} from '../library/declare.js';
import type {CelHost, FunctionDeclaration, Library} from '../library/library.js';
import {boolType, opaque, stringType, type Type} from '../types/type.js';
import type {Value} from '../values/value.js';
import {
  type AuthorizationAttributes,
  type AuthorizationDecision,
  AuthorizerValue,
  Decision,
  GroupCheck,
  PathCheck,
  ResourceCheck,
} from './authorizer-values.js';
import {dns1123Label, dns1123Subdomain} from './name-checks.js';

const authorizerType = opaque('kubernetes.authorization.Authorizer');
const pathType = opaque('kubernetes.authorization.PathCheck');
const groupType = opaque('kubernetes.authorization.GroupCheck');
const resourceType = opaque('kubernetes.authorization.ResourceCheck');
const decisionType = opaque('kubernetes.authorization.Decision');

/** Two checks per evaluation fit Kubernetes' limit. */
const checkCost = 350_000;

/** Types and functions of `authorizer`; the variable itself belongs to the environments that have it. */
export const authorizerLibrary: Library = {
  name: 'kubernetes.authz',
  functions: [
    fn('path', method('authorizer_path', [[authorizerType, stringType], pathType], pathCheck)),
    fn(
      'group',
      method(
        'authorizer_group',
        [[authorizerType, stringType], groupType],
        (owner: AuthorizerValue, group: string) => new GroupCheck(owner, group),
      ),
    ),
    fn(
      'serviceAccount',
      method('authorizer_serviceaccount', [[authorizerType, stringType, stringType], authorizerType], serviceAccount),
    ),
    fn('resource', method('groupcheck_resource', [[groupType, stringType], resourceType], resourceCheck)),
    attribute('subresource', 'resourcecheck_subresource'),
    attribute('namespace', 'resourcecheck_namespace'),
    attribute('name', 'resourcecheck_name'),
    attribute('fieldSelector', 'authorizer_fieldselector'),
    attribute('labelSelector', 'authorizer_labelselector'),
    fn(
      'check',
      hosted(method('pathcheck_check', [[pathType, stringType], decisionType], checkPath, () => checkCost)),
      hosted(method('resourcecheck_check', [[resourceType, stringType], decisionType], checkResource, () => checkCost)),
    ),
    part('errored', 'decision_errored', boolType, decision => decision.error !== undefined),
    part('error', 'decision_error', stringType, decision => decision.error ?? ''),
    part('allowed', 'decision_allowed', boolType, decision => decision.allowed),
    part('reason', 'decision_reason', stringType, decision => decision.reason),
  ],
};

function attribute(
  name: 'subresource' | 'namespace' | 'name' | 'fieldSelector' | 'labelSelector',
  id: string,
): FunctionDeclaration {
  const call = (check: ResourceCheck, text: string): ResourceCheck => check.with({[name]: text});
  return fn(name, method(id, [[resourceType, stringType], resourceType], call));
}

function part(
  name: string,
  id: string,
  type: Type,
  read: (decision: AuthorizationDecision) => Value,
): FunctionDeclaration {
  return fn(
    name,
    method(id, [[decisionType], type], ({decision}: Decision) => read(decision)),
  );
}

function pathCheck(owner: AuthorizerValue, path: string): PathCheck {
  if (path.trim() === '') throw new CelError('path must not be empty');
  return new PathCheck(owner, path);
}

function serviceAccount(owner: AuthorizerValue, namespace: string, name: string): AuthorizerValue {
  if (dns1123Subdomain(name).length > 0) throw new CelError('Invalid service account name');
  if (dns1123Label(namespace).length > 0) throw new CelError('Invalid service account namespace');
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`];
  return new AuthorizerValue({username: `system:serviceaccount:${namespace}:${name}`, groups}, owner.authorizer);
}

function resourceCheck({owner, group}: GroupCheck, resource: string): ResourceCheck {
  if (resource.trim() === '') throw new CelError('resource must not be empty');
  const rest = {subresource: '', namespace: '', name: '', fieldSelector: '', labelSelector: ''};
  return new ResourceCheck(owner, {group, resource, ...rest});
}

function checkPath(host: CelHost, {owner, path}: PathCheck, verb: string): Decision {
  return ask(host, owner, {user: owner.user, verb, path});
}

function checkResource(host: CelHost, {owner, attributes}: ResourceCheck, verb: string): Decision {
  return ask(host, owner, {user: owner.user, verb, ...attributes});
}

/** An answer that cannot be had is a decision with an error, not an error of the expression. */
function ask(host: CelHost, {authorizer}: AuthorizerValue, attributes: AuthorizationAttributes): Decision {
  try {
    const key = `authorize ${JSON.stringify(attributes)}`;
    return new Decision(host.settle(key, options => authorizer.authorize(attributes, options)));
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
    return new Decision({allowed: false, reason: '', error: error.message});
  }
}
