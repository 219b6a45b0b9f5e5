import {describe, expect, it} from 'vitest';
import {defaultLimits} from '../budget.js';
import {builtinResourceMap} from '../builtin-resources.js';
import {RuleRun} from '../context/rule-run.js';
import type {ContextLoader} from '../context-loader.js';
import {formatDiagnostic} from '../diagnostic.js';
import type {JsonObject} from '../json/types.js';
import {yamlObject} from '../policy/testing/build.js';
import {regex} from '../testing/engines.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {pod, requestOf, type TestRequest} from '../testing/requests.js';
import {compileAdmissionPolicy} from './compile-admission-policy.js';
import {judgeAdmission} from './judge-admission.js';
import {loadAdmissionBinding, loadAdmissionPolicy} from './load.js';

const pods =
  'matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}';

function native(kind: string, spec: string, name = 'p'): JsonObject {
  const body = kind.endsWith('Binding') ? spec : `${pods}, ${spec}`;
  return {apiVersion: 'admissionregistration.k8s.io/v1', kind, metadata: {name}, spec: yamlObject(`{${body}}`)};
}

const binding = (spec: string, name = 'b') =>
  native('ValidatingAdmissionPolicyBinding', `policyName: p, ${spec}`, name);

interface Options {
  readonly bindings?: readonly JsonObject[];
  readonly request?: TestRequest;
  readonly loader?: ContextLoader;
  readonly kind?: string;
}

async function answer(
  spec: string,
  {
    bindings = [],
    request = {object: pod('a')},
    loader = recordingLoader(),
    kind = 'ValidatingAdmissionPolicy',
  }: Options = {},
) {
  const {policy: source, errors} = loadAdmissionPolicy(native(kind, spec));
  if (source === undefined) throw new Error(errors.map(formatDiagnostic).join('\n'));
  const given = bindings.map(raw => loadAdmissionBinding(raw).policy!);
  const {policy, problems} = compileAdmissionPolicy(source, given, regex);
  if (policy === undefined) throw new Error(problems.map(formatDiagnostic).join('\n'));
  const run = new RuleRun({
    loader,
    regex,
    resources: builtinResourceMap,
    operatorNamespace: 'kyverno',
    limits: defaultLimits,
  });
  return judgeAdmission(policy, requestOf(request), run);
}

async function verdict(spec: string, options: Options = {}) {
  const {result} = await answer(spec, options);
  const [rule] = result?.rules ?? [];
  return rule === undefined ? undefined : `${rule.rule} ${rule.status} ${rule.message}`.trim();
}

describe('a native validating policy', () => {
  it.each<[what: string, spec: string, verdict: string | undefined]>([
    ['holds', 'validations: [{expression: "true"}]', 'p pass'],
    ['does not', 'validations: [{expression: "false"}]', 'p fail failed expression: false'],
    ['with a message', 'validations: [{expression: "false", message: " refused "}]', 'p fail refused'],
    [
      'a message of several lines is not shown',
      `validations: [{expression: "false", message: plain, messageExpression: "'a' + '\\\\n' + 'b'"}]`,
      'p fail plain',
    ],
    [
      'what cannot be judged',
      'validations: [{expression: object.nope == 1}]',
      "p error expression 'object.nope == 1' resulted in error: no such key: nope",
    ],
    [
      'under failure policy Ignore those after it are judged',
      'failurePolicy: Ignore, validations: [{expression: object.nope == 1}, {expression: "false", message: refused}]',
      'p fail refused',
    ],
    [
      'and what cannot be judged is told when none of them denies',
      'failurePolicy: Ignore, validations: [{expression: object.nope == 1}, {expression: "true"}]',
      "p error expression 'object.nope == 1' resulted in error: no such key: nope",
    ],
    [
      'conditions',
      'matchConditions: [{name: c, expression: "false"}], validations: [{expression: "false"}]',
      "p skip match conditions aren't met",
    ],
    ['an absent old object is null', 'validations: [{expression: oldObject == null}]', 'p pass'],
    ['nobody asks', "validations: [{expression: request.userInfo.uid == 'system:kyverno:background-scan'}]", 'p pass'],
  ])('%s', async (_what, spec, wanted) => {
    expect(await verdict(spec)).toBe(wanted);
  });

  it('says nothing of what it does not select', async () => {
    expect(
      await verdict('validations: [{expression: "false"}]', {request: {oldObject: pod('a'), operation: 'DELETE'}}),
    ).toBeUndefined();
  });

  it('the request has no objects of its own', () => {
    const {policy: source} = loadAdmissionPolicy(
      native('ValidatingAdmissionPolicy', 'validations: [{expression: request.object == null}]'),
    );
    expect(compileAdmissionPolicy(source!, [], regex).problems[0]?.message).toContain("undefined field 'object'");
  });
});

describe('bindings', () => {
  const spec = 'validations: [{expression: "false"}]';
  const selecting = 'matchResources: {objectSelector: {matchLabels: {app: web}}}';

  it('decide whether the policy acts, and how', async () => {
    expect(await verdict(spec, {bindings: [binding(selecting)]})).toBeUndefined();
    const web = {object: pod('a', {metadata: {labels: {app: 'web'}}})};
    const {result} = await answer(spec, {
      bindings: [binding(`validationActions: [Audit], ${selecting}`)],
      request: web,
    });
    expect(result?.rules[0]).toMatchObject({
      status: 'fail',
      actions: ['Audit'],
      action: 'Audit',
      properties: {binding: 'b'},
    });
    expect(result?.source).toBe('ValidatingAdmissionPolicy');
  });

  it('the worst of several counts', async () => {
    const named =
      'validations: [{expression: "!has(params.data.strict)"}], paramKind: {apiVersion: v1, kind: ConfigMap}';
    const loader = recordingLoader({
      objects: {'configmaps/default/a': {data: {strict: 'yes'}}, 'configmaps/default/b': {data: {}}},
    });
    const ref = (name: string) => binding(`paramRef: {name: ${name}, parameterNotFoundAction: Deny}`, name);
    const {result} = await answer(named, {bindings: [ref('b'), ref('a')], loader});
    expect(result?.rules[0]).toMatchObject({status: 'fail', properties: {binding: 'a'}});
    expect(await verdict(named, {bindings: [ref('b')], loader})).toBe('p pass');
    expect(await verdict(named, {bindings: [ref('c')], loader})).toBe(
      'p error failed to evaluate policy: no params found for policy binding with `Deny` parameterNotFoundAction',
    );
  });

  it.each<[what: string, ref: string, kind: string, request: TestRequest, message: string]>([
    [
      'a namespace for a cluster-scoped kind',
      'name: limits, namespace: x',
      'kind: Namespace',
      {object: pod('a')},
      'paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    ],
    [
      'an unknown kind',
      'name: limits',
      'kind: Nothing',
      {object: pod('a')},
      'no matches for kind "Nothing" in version "v1"',
    ],
  ])('%s', async (_what, ref, kind, request, message) => {
    const spec = `paramKind: {apiVersion: v1, ${kind}}, validations: [{expression: "true"}]`;
    expect(await verdict(spec, {bindings: [binding(`paramRef: {${ref}}`)], request})).toBe(
      `p error failed to evaluate policy: ${message}`,
    );
  });
});

describe('a native mutating policy', () => {
  const label = (value: string) =>
    `mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'team': ${value}}}}"}}]`;
  const kind = 'MutatingAdmissionPolicy';

  it('changes the object', async () => {
    const {result, object} = await answer(label("'blue'"), {kind});
    expect(result?.rules[0]).toMatchObject({
      type: 'Mutation',
      status: 'pass',
      message: 'mutation is successfully applied',
    });
    expect(object?.['metadata']).toMatchObject({name: 'a', labels: {team: 'blue'}});
  });

  it('goes on from binding to binding', async () => {
    const spec = `paramKind: {apiVersion: v1, kind: ConfigMap}, ${label("params.data.team + (has(object.metadata.labels) ? object.metadata.labels.team : '')")}`;
    const loader = recordingLoader({
      objects: {'configmaps/default/a': {data: {team: 'a'}}, 'configmaps/default/b': {data: {team: 'b'}}},
    });
    const bindings = ['a', 'b'].map(name =>
      native('MutatingAdmissionPolicyBinding', `policyName: p, paramRef: {name: ${name}}`, name),
    );
    const {object} = await answer(spec, {kind, bindings, loader});
    expect(object?.['metadata']).toMatchObject({labels: {team: 'ba'}});
  });

  it('conditions that do not hold', async () => {
    expect(await verdict(`matchConditions: [{name: c, expression: "false"}], ${label("'x'")}`, {kind})).toBe(
      "p skip match conditions aren't met",
    );
  });
});

describe('the authorizer', () => {
  const review = (status: JsonObject) => recordingLoader({posts: {'subjectaccessreviews/': {status}}});

  it.each<[what: string, expression: string, loader: ContextLoader, verdict: string]>([
    [
      'asks the API server',
      "authorizer.group('').resource('pods').namespace('default').check('delete').allowed()",
      review({allowed: true}),
      'p pass',
    ],
    [
      'for whoever is named',
      "authorizer.serviceAccount('default', 'bot').group('apps').resource('deployments').check('delete').allowed()",
      review({allowed: false}),
      "p fail failed expression: authorizer.serviceAccount('default', 'bot').group('apps').resource('deployments').check('delete').allowed()",
    ],
    [
      'about what the request is about',
      "authorizer.requestResource.check('custom').reason() == 'RBAC'",
      review({allowed: true, reason: 'RBAC'}),
      'p pass',
    ],
    ['says when nobody answers', "authorizer.requestResource.check('custom').errored()", recordingLoader(), 'p pass'],
  ])('%s', async (_what, expression, loader, wanted) => {
    expect(await verdict(`validations: [{expression: ${JSON.stringify(expression)}}]`, {loader})).toBe(wanted);
  });
});
