import {describe, expect, it} from 'vitest';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {yamlObject} from '../../engine/policy/testing/build.js';
import {PolicyCache} from '../../engine/snapshot/policy-cache.js';
import type {NativeWish} from './native-plan.js';
import {planClassicPolicy} from './plan-classic.js';

interface Parts {
  readonly match?: string;
  readonly exclude?: string;
  readonly cel?: string;
  readonly rest?: string;
  readonly spec?: string;
  readonly annotations?: JsonObject;
  readonly exceptions?: readonly string[];
  readonly exceptionNamespace?: string;
}

const regex = createRegexEngine();
const resources = () => builtinResourceMap;
const deployments = 'any: [{resources: {kinds: [apps/v1/Deployment], operations: [CREATE, UPDATE]}}]';

function wish({match = deployments, exclude, cel = '', rest = '', spec = '', annotations = {}, exceptions = [], exceptionNamespace = '*'}: Parts): NativeWish {
  const cache = new PolicyCache({resources, compile: {matchConditions: 'by-api-server', regex}, exceptions: {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace}});
  const text = `
background: false
${spec}
rules:
  - name: r
    match: {${match}}
    ${exclude === undefined ? '' : `exclude: {${exclude}}`}
    validate: {failureAction: Audit, cel: {${cel === '' ? 'generate: true, expressions: [{expression: "object.spec.replicas > 1", message: few}]' : cel}}}
    ${rest}`;
  const state = cache.putPolicy({apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name: 'p', annotations}, spec: yamlObject(text)});
  if (state.status !== 'served') throw new Error(JSON.stringify(state.problems));
  for (const [index, each] of exceptions.entries()) {
    cache.putException({apiVersion: 'kyverno.io/v2', kind: 'PolicyException', metadata: {name: `e${index}`, namespace: 'shop'}, spec: yamlObject(`exceptions: [{policyName: p, ruleNames: [r]}]\n${each}`)});
  }
  const named = [...cache.exceptions()].flatMap(each => (each.status === 'served' ? [each.exception] : []));
  return planClassicPolicy(state.policy, {exceptions: named, resources: builtinResourceMap});
}

const rules = (parts: Parts) => ownPath(wish(parts).plan?.spec, 'matchConstraints', 'resourceRules');

describe('the native copy of a ClusterPolicy', () => {
  it('says what the rule says', () => {
    const {plan} = wish({
      match: 'all: [{resources: {kinds: [apps/v1/Deployment, StatefulSet], operations: [UPDATE, CREATE], selector: {matchLabels: {app: a}}, namespaces: [b]}}]',
      exclude: 'any: [{resources: {kinds: [apps/v1/Deployment], names: [free]}}]',
      rest: 'celPreconditions: [{name: c, expression: "true"}]',
      spec: 'failurePolicy: Ignore',
      cel: 'generate: true, variables: [{name: v, expression: object.spec}], expressions: [{expression: variables.v.replicas > 1, message: few}], paramKind: {apiVersion: v1, kind: ConfigMap}, paramRef: {name: params, namespace: x, parameterNotFoundAction: Deny}, auditAnnotations: [{key: k, valueExpression: "\'x\'"}]',
    });
    expect(plan).toMatchObject({name: 'cpol-p', bindingName: 'cpol-p-binding'});
    expect(plan?.binding).toEqual({policyName: 'cpol-p', paramRef: {name: 'params', namespace: 'x', parameterNotFoundAction: 'Deny'}, validationActions: ['Audit', 'Warn']});
    expect(plan?.spec).toEqual({
      failurePolicy: 'Ignore',
      paramKind: {apiVersion: 'v1', kind: 'ConfigMap'},
      matchConstraints: {
        resourceRules: [{apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['deployments', 'statefulsets'], scope: '*'}],
        excludeResourceRules: [{apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE', 'CONNECT', 'DELETE'], resources: ['deployments'], resourceNames: ['free'], scope: '*'}],
        namespaceSelector: {matchExpressions: [{key: 'kubernetes.io/metadata.name', operator: 'In', values: ['b']}]},
        objectSelector: {matchLabels: {app: 'a'}},
        matchPolicy: 'Equivalent',
      },
      matchConditions: [{name: 'c', expression: 'true'}],
      variables: [{name: 'v', expression: 'object.spec'}],
      validations: [{expression: 'variables.v.replicas > 1', message: 'few'}],
      auditAnnotations: [{key: 'k', valueExpression: "'x'"}],
    });
  });

  it('covers what is added to running Pods, and whatever there is', () => {
    const operations = ['CREATE'];
    expect(rules({match: 'any: [{resources: {kinds: [Pod, Service], names: [b, a], operations: [CREATE]}}]'})).toEqual([
      {apiGroups: [''], apiVersions: ['v1'], operations, resources: ['pods', 'pods/ephemeralcontainers', 'services'], resourceNames: ['a', 'b'], scope: '*'},
    ]);
    const wild = wish({match: 'any: [{resources: {kinds: ["*"], namespaces: [a], operations: [CREATE]}}]'}).plan;
    expect(wild?.spec).toMatchObject({
      matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], operations, resources: ['*'], scope: '*'}]},
      matchConditions: [{name: 'kyverno-in-a-namespace', expression: 'has(request.namespace) && request.namespace != ""'}],
    });
  });

  it('leaves out what exceptions free', () => {
    const exception = (kind: string) => `match: {any: [{resources: {kinds: [apps/v1/${kind}], names: [tool], operations: [CREATE]}}]}`;
    const {plan} = wish({exceptions: [exception('Deployment'), exception('StatefulSet')]});
    expect(plan?.spec).toMatchObject({
      matchConstraints: {excludeResourceRules: [{apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['deployments', 'statefulsets'], resourceNames: ['tool'], scope: '*'}]},
    });
  });

  const any = (filter: string) => ({match: `any: [{resources: {kinds: [apps/v1/Deployment], ${filter}}}]`});
  const two = (first: string, second: string) => ({match: `any: [{resources: {kinds: [apps/v1/Deployment], ${first}}}, {resources: {kinds: [StatefulSet], ${second}}}]`});
  const exclude = (filter: string) => ({exclude: `any: [{resources: {kinds: [apps/v1/Deployment], ${filter}}}]`});
  const exception = (filter: string) => ({exceptions: [`match: {any: [{resources: {kinds: [apps/v1/Deployment], ${filter}}}]}`]});
  it.each<[Parts, string]>([
    [{cel: 'expressions: [{expression: "true"}]'}, 'validate.cel.generate is not set to true.'],
    [{rest: '\n  - {name: s, match: {any: [{resources: {kinds: [Service]}}]}, validate: {cel: {expressions: [{expression: "true"}]}}}'}, 'multiple rules are not applicable.'],
    [{match: 'any: [{resources: {kinds: [Pod]}}]'}, 'pod controllers autogen is enabled.'],
    [{match: 'all: [{resources: {kinds: [apps/v1/Deployment]}}, {resources: {kinds: [apps/v1/Deployment], names: [a]}}]'}, "multiple 'all' is not applicable."],
    [{match: 'any: [{resources: {kinds: [apps/v1/Deployment]}, subjects: [{kind: User, name: u}]}]'}, 'Subjects in match is not applicable.'],
    [{match: 'any: [{resources: {kinds: [apps/v1/Deployment]}, clusterRoles: [c]}]'}, 'ClusterRoles in match is not applicable.'],
    [{exclude: 'any: [{roles: ["a:r"]}]'}, 'Roles in exclude is not applicable.'],
    [any('annotations: {a: b}'), 'Annotations in match is not applicable.'],
    [any('names: ["a*"]'), 'wildcards in resource names is not applicable.'],
    [any('namespaces: ["a*"]'), 'wildcards in namespaces is not applicable.'],
    [two('selector: {matchLabels: {a: b}}', 'operations: [CREATE]'), 'ObjectSelector across multiple resources is not applicable.'],
    [two('namespaceSelector: {matchLabels: {a: b}}', 'operations: [CREATE]'), 'NamespaceSelector across multiple resources is not applicable.'],
    [exclude('namespaces: [a]'), 'excluding a resource within a namespace is not applicable.'],
    [exclude('namespaceSelector: {matchLabels: {a: b}}'), 'ObjectSelector and NamespaceSelector in exclude is not applicable.'],
    [exception('selector: {matchLabels: {a: b}}'), 'a policy exception is configured.'],
    [{...exception('names: [a]'), exceptionNamespace: ''}, 'a policy exception is configured.'],
    [{cel: 'generate: true, expressions: [{expression: "object.spec.template.spec.containers.all(c, c.resources.limits.memory < \'1Gi\')"}]'}, 'it orders or multiplies quantities, which a native policy takes as text.'],
    [{cel: 'generate: true, variables: [{name: v, expression: "object.spec.template.spec.containers[0].resources.limits.cpu"}], expressions: [{expression: "variables.v > \'1\'"}]'}, 'it orders or multiplies quantities, which a native policy takes as text.'],
  ])('is not made: %#', (parts, why) => {
    expect(wish(parts)).toEqual({skip: `skip generating ValidatingAdmissionPolicy: ${why}`});
  });

  it('is made for quantities where they are read as text by wish', () => {
    const cel = 'generate: true, expressions: [{expression: "object.spec.template.spec.containers.all(c, c.resources.limits.memory < \'1Gi\')"}]';
    expect(wish({cel, annotations: {'policies.kyverno.io/cel-quantities': 'text'}}).plan).toBeDefined();
  });
});
