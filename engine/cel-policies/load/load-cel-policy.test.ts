import {describe, expect, it} from 'vitest';
import {formatDiagnostic} from '../../diagnostic.js';
import type {JsonObject} from '../../json/types.js';
import {celException, celPolicy, faultsOf} from '../testing/cel-engines.js';
import {loadCelException} from './load-cel-exception.js';
import {loadCelPolicy} from './load-cel-policy.js';

const ok = 'validations: [{expression: "true"}]';

describe('faults of a policy carry place and words that scripts know', () => {
  it.each<[what: string, kind: string, spec: string, faults: readonly string[]]>([
    [
      'no rules',
      'ValidatingPolicy',
      `{matchConstraints: {}, ${ok}}`,
      ['spec.matchConstraints: Required value: a matchConstraints with at least one resource rule is required'],
    ],
    [
      'no admission and nothing existing to change',
      'MutatingPolicy',
      'evaluation: {admission: {enabled: false}}',
      ['spec.evaluation: Forbidden: disabling both admission and mutateExisting evaluation modes is not allowed'],
    ],
    ['no schedule', 'DeletingPolicy', '{}', ['spec.schedule: Required value: schedule is required']],
    [
      'an expression and a template',
      'GeneratingPolicy',
      'generate: [{expression: "true", template: {value: "{}"}}, {}]',
      [
        'spec.generate[0]: Invalid value: only one of expression or template may be set',
        'spec.generate[1]: Required value: one of expression or template must be set',
      ],
    ],
    [
      'an unknown field',
      'ValidatingPolicy',
      `{validation: [], ${ok}}`,
      ['spec.validation: unknown field "validation" (did you mean "validations"?)'],
    ],
    [
      'an unknown action',
      'ValidatingPolicy',
      `{validationActions: [Enforce], ${ok}}`,
      ['spec.validationActions[0]: Unsupported value: "Enforce": supported values: "Deny", "Audit", "Warn"'],
    ],
    [
      'one name twice',
      'ValidatingPolicy',
      `{variables: [{name: a, expression: "1"}, {name: a, expression: "2"}], ${ok}}`,
      ['spec.variables[1].name: Duplicate value: "a"'],
    ],
    [
      'a name that expressions cannot say',
      'ValidatingPolicy',
      `{variables: [{name: a-b, expression: "1"}], ${ok}}`,
      ['spec.variables[0].name: Invalid value: "a-b": name is not a valid CEL identifier'],
    ],
    [
      'an unknown function',
      'ValidatingPolicy',
      'validations: [{expression: foo()}]',
      [
        `spec.validations[0].expression: Invalid value: "foo()": ERROR: <input>:1:4: undeclared reference to 'foo' (in container '')\n | foo()\n | ...^`,
      ],
    ],
    [
      'a verdict that is none',
      'ValidatingPolicy',
      'validations: [{expression: "1"}]',
      ['spec.validations[0].expression: Invalid value: "1": output is expected to be of type bool'],
    ],
    [
      'an annotation of no known type',
      'ValidatingPolicy',
      `{auditAnnotations: [{key: k, valueExpression: object.metadata.name}], ${ok}}`,
      [
        'spec.auditAnnotations[0].valueExpression: Invalid value: "object.metadata.name": output is expected to be either of type string or null_type (wrap it in `string(…)`, so that its type is known)',
      ],
    ],
    [
      'an answer of orValue alone, which has no type',
      'ValidatingPolicy',
      'validations: [{expression: object.spec.?hostNetwork.orValue(true)}]',
      [
        'spec.validations[0].expression: Invalid value: "object.spec.?hostNetwork.orValue(true)": output is expected to be of type bool (compare it (`… == true`), so that its type is known)',
      ],
    ],
    [
      'HTTP in a policy of a namespace',
      'NamespacedValidatingPolicy',
      'validations: [{expression: "dyn(http.Get(\'https://example.com\')).ok == true"}]',
      ['spec: Forbidden: http.* is not allowed in namespaced policies; set --allowHTTPInNamespacedPolicies to enable'],
    ],
    [
      'global context in a policy of a namespace',
      'NamespacedValidatingPolicy',
      'validations: [{expression: "globalContext.Get(\'a\') != null"}]',
      ['spec: Forbidden: globalContext.* is not allowed in namespaced policies'],
    ],
    [
      'variables in conditions that the API server asks first',
      'MutatingPolicy',
      '{variables: [{name: a, expression: "true"}], matchConditions: [{name: c, expression: variables.a}], autogen: {mutatingAdmissionPolicy: {enabled: true}, podControllers: {controllers: []}}}',
      [
        'spec.matchConditions[0].expression: Forbidden: variables cannot be referenced in matchConditions when spec.autogen.mutatingAdmissionPolicy.enabled is true; native MutatingAdmissionPolicy evaluates match conditions before variables, so inline the expression instead',
      ],
    ],
    [
      'a mode of another product',
      'ValidatingPolicy',
      `{evaluation: {mode: Envoy}, ${ok}}`,
      ['spec.evaluation.mode: evaluation mode "Envoy" is not served by this release'],
    ],
  ])('%s', (_what, kind, spec, faults) => {
    const wrapped = spec.startsWith('{') && spec !== '{}' ? spec : `{${spec === '{}' ? '' : spec}}`;
    expect(faultsOf(celPolicy(kind, wrapped))).toEqual(faults);
  });

  it('a schedule that is none says why', () => {
    expect(faultsOf(celPolicy('DeletingPolicy', 'schedule: whenever'))[0]).toMatch(
      /^spec\.schedule: Invalid value: "whenever": schedule spec in the deletingPolicy is not in proper cron format: /,
    );
  });

  it('a variable knows those before it, not those after it', () => {
    const spec = 'variables: [{name: a, expression: variables.b}, {name: b, expression: "1"}]';
    expect(faultsOf(celPolicy('ValidatingPolicy', spec))[0]).toContain("undefined field 'b'");
    const early = '{variables: [{name: a, expression: "true"}], matchConditions: [{name: c, expression: variables.a}]}';
    expect(faultsOf(celPolicy('ValidatingPolicy', early))[0]).toContain("undefined field 'a'");
  });

  it('all faults are told at once', () => {
    const spec = 'validations: [{expression: a}, {expression: b, messageExpression: "1"}]';
    expect(faultsOf(celPolicy('ValidatingPolicy', spec)).map(fault => fault.split(':')[0])).toEqual([
      'spec.validations[0].expression',
      'spec.validations[1].expression',
      'spec.validations[1].messageExpression',
    ]);
  });

  it('without spec there is nothing to read', () => {
    const {errors} = loadCelPolicy({
      apiVersion: 'policies.kyverno.io/v1',
      kind: 'ValidatingPolicy',
      metadata: {name: 'p'},
    });
    expect(errors.map(formatDiagnostic)).toEqual(['spec: Required value: spec must not be nil']);
  });
});

describe('defaults', () => {
  const specOf = (kind: string, spec: string) => loadCelPolicy(celPolicy(kind, spec)).policy?.spec;

  it('of a validating policy', () => {
    expect(specOf('ValidatingPolicy', ok)).toMatchObject({
      validationActions: ['Deny'],
      failurePolicy: 'Fail',
      mode: 'Kubernetes',
      admission: true,
      background: true,
      podControllers: undefined,
      generateAdmissionPolicy: false,
    });
  });

  it('of a generating policy, which never stands in the way', () => {
    expect(specOf('GeneratingPolicy', 'generate: [{expression: "true"}]')).toMatchObject({
      failurePolicy: 'Ignore',
      skipBackgroundRequests: true,
      synchronize: false,
    });
  });

  it('an empty list of controllers is no controllers', () => {
    expect(specOf('ValidatingPolicy', `{autogen: {podControllers: {controllers: []}}, ${ok}}`)).toMatchObject({
      podControllers: [],
    });
  });

  it.each(['v1alpha1', 'v1beta1', 'v1'])('%s has the same form', version => {
    const raw = {...celPolicy('ValidatingPolicy', ok), apiVersion: `policies.kyverno.io/${version}`};
    expect(loadCelPolicy(raw).errors).toEqual([]);
  });

  it('the kinds of a namespace never had v1alpha1, and live in default unless told otherwise', () => {
    const raw = celPolicy('NamespacedValidatingPolicy', ok, {namespace: null} as unknown as JsonObject);
    expect(loadCelPolicy({...raw, apiVersion: 'policies.kyverno.io/v1alpha1'}).errors).toHaveLength(1);
    expect(loadCelPolicy(raw).policy?.ref).toMatchObject({namespace: 'default', key: 'default/p'});
  });
});

describe('exceptions', () => {
  const faults = (spec: string) => loadCelException(celException(spec)).errors.map(formatDiagnostic);

  it.each<[what: string, spec: string, faults: readonly string[]]>([
    ['no policy', 'policyRefs: []', ['spec.policyRefs: Invalid value: must specify at least one policy ref']],
    [
      'neither name nor kind',
      'policyRefs: [{}]',
      [
        'spec.policyRefs[0].name: Invalid value: must specify policy name',
        'spec.policyRefs[0].kind: Invalid value: must specify policy kind',
      ],
    ],
    [
      'an end that is no time',
      'expiresAt: tomorrow',
      ['spec.expiresAt: Invalid value: "tomorrow": must be a time in RFC 3339'],
    ],
  ])('%s', (_what, spec, wanted) => {
    expect(faults(spec)).toEqual(wanted);
  });

  it('have an end and a priority', () => {
    const {policy} = loadCelException(
      celException('expiresAt: "2026-01-01T00:00:00Z"', {labels: {'polex.kyverno.io/priority': '7'}}),
    );
    expect(policy).toMatchObject({
      expiresAt: Date.UTC(2026, 0, 1),
      priority: 7,
      reportResult: 'skip',
      key: 'kyverno/e',
    });
  });
});
