import {describe, expect, it} from 'vitest';
import {EvalError} from '../../diagnostic.js';
import {recordingLoader} from '../../testing/recording-loader.js';
import {pod, requestOf} from '../../testing/requests.js';
import {call, celEngineOf, celPolicy, celResults, celVerdicts} from '../testing/cel-engines.js';

const one = requestOf({object: pod('a', {metadata: {labels: {team: 'blue'}}})});

async function verdicts(spec: string, request = one, more = {}) {
  return celVerdicts(celEngineOf([celPolicy('ValidatingPolicy', spec)], more), request);
}

describe('verdicts of a validating policy', () => {
  it.each<[what: string, spec: string, verdicts: readonly string[]]>([
    ['all hold', 'validations: [{expression: "true"}, {expression: has(object.spec)}]', ['pass success']],
    [
      'the first that does not hold decides',
      'validations: [{expression: "true"}, {expression: "false", message: refused}, {expression: "false", message: neither}]',
      ['fail refused'],
    ],
    [
      'without a message',
      'validations: [{expression: "true"}, {expression: "false"}]',
      ['fail CEL expression validation failed at index 1'],
    ],
    [
      'a message that is made wins',
      `validations: [{expression: "false", message: plain, messageExpression: "'made for ' + object.metadata.name"}]`,
      ['fail made for a'],
    ],
    [
      'an empty one does not fall back to the plain one',
      `validations: [{expression: "false", message: plain, messageExpression: "''"}]`,
      ['fail CEL expression validation failed at index 0'],
    ],
    [
      'a message that cannot be made does not change the verdict',
      'validations: [{expression: "false", messageExpression: string(object.nope)}]',
      ['fail failed to evaluate message expression: no such key: nope'],
    ],
    ['what cannot be judged', 'validations: [{expression: object.nope == 1}]', ['error error: no such key: nope']],
    [
      'under failure policy Ignore those after it are judged',
      '{failurePolicy: Ignore, validations: [{expression: object.nope == 1}, {expression: "true"}, {expression: "false", message: refused}]}',
      ['fail refused'],
    ],
    [
      'under Fail they are not',
      'validations: [{expression: object.nope == 1}, {expression: "false", message: refused}]',
      ['error error: no such key: nope'],
    ],
    [
      'failure policy Ignore does not soften that',
      '{failurePolicy: Ignore, validations: [{expression: object.nope == 1}]}',
      ['error error: no such key: nope'],
    ],
    [
      'a condition that does not hold',
      '{matchConditions: [{name: c, expression: "false"}], validations: [{expression: "false"}]}',
      ['skip skip'],
    ],
    [
      'a false condition after one that cannot be judged',
      '{matchConditions: [{name: a, expression: object.nope}, {name: b, expression: "false"}], validations: [{expression: "false"}]}'.replace(
        'object.nope}',
        'object.nope == 1}',
      ),
      ['skip skip'],
    ],
    [
      'a condition that cannot be judged',
      '{matchConditions: [{name: a, expression: object.nope == 1}], validations: [{expression: "false"}]}',
      ['evaluation error failed to load context: no such key: nope'],
    ],
    [
      'and under failure policy Ignore does not hold',
      '{failurePolicy: Ignore, matchConditions: [{name: a, expression: object.nope == 1}], validations: [{expression: "false"}]}',
      ['skip skip'],
    ],
    [
      'a variable that nobody reads is never evaluated',
      '{variables: [{name: bad, expression: object.nope}], validations: [{expression: "true"}]}',
      ['pass success'],
    ],
    [
      "a variable's error is its reader's, and absorbed like any other",
      '{variables: [{name: bad, expression: object.nope}], validations: [{expression: variables.bad == 1 || true}, {expression: variables.bad == 1}]}',
      ['error error: no such key: nope'],
    ],
    [
      'variables stand on one another',
      '{variables: [{name: team, expression: object.metadata.labels.team}, {name: known, expression: "variables.team in [\'blue\']"}], validations: [{expression: variables.known}]}',
      ['pass success'],
    ],
    [
      'constraints that do not select say nothing',
      `{matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: ["*"], resources: [deployments]}]}, validations: [{expression: "false"}]}`,
      [],
    ],
  ])('%s', async (_what, spec, wanted) => {
    expect(await verdicts(spec)).toEqual(wanted);
  });

  it('labels of a namespace that cannot be had', async () => {
    const loader = recordingLoader({namespaces: {default: new EvalError('no answer')}});
    const constraints =
      'matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]}], namespaceSelector: {matchLabels: {a: b}}}';
    expect(await verdicts(`{${constraints}, validations: [{expression: "true"}]}`, one, {loader})).toEqual([
      'match error failed to execute matching: failed to get labels of namespace default: no answer',
    ]);
  });
});

describe('what an expression sees', () => {
  const holds = async (expression: string, request = one, more = {}) => {
    const spec = `validations: [{expression: ${JSON.stringify(expression)}}]`;
    return (await verdicts(spec, request, more))[0];
  };
  const update = requestOf({object: pod('a'), oldObject: pod('a')});
  const removal = requestOf({oldObject: pod('a'), operation: 'DELETE'});

  it.each<[what: string, expression: string, request: typeof one]>([
    ['on CREATE an old object that is empty', 'oldObject != null && !has(oldObject.metadata)', one],
    ['and null in the request', 'has(request.oldObject) && request.oldObject == null', one],
    ['on UPDATE both', 'has(object.metadata) && has(oldObject.metadata)', update],
    [
      'on DELETE a new object that is empty',
      'object != null && !has(object.metadata) && request.object == null',
      removal,
    ],
    [
      'the request',
      "request.operation == 'CREATE' && request.kind.kind == 'Pod' && request.userInfo.username == 'jane'",
      one,
    ],
    ['absent fields of the request are absent', '!has(request.subResource) && request.options == null', one],
    ['exceptions, empty', 'exceptions.allowedImages == [] && exceptions.allowedValues == []', one],
    ['no namespace where none is known', 'namespaceObject == null', one],
  ])('%s', async (_what, expression, request) => {
    expect(await holds(expression, request)).toBe('pass success');
  });

  it('the namespace, fetched only when it is read', async () => {
    const namespace = {metadata: {name: 'default', labels: {env: 'prod'}}};
    const loader = recordingLoader({objects: {'namespaces//default': namespace}, later: true});
    expect(await holds("namespaceObject.metadata.labels.env == 'prod'", one, {loader})).toBe('pass success');
    expect(loader.calls).toEqual(['get namespaces//default']);
    expect(await holds('true', one, {loader})).toBe('pass success');
    expect(loader.calls).toHaveLength(1);
  });

  it('of its namespace alone, when it is of one', async () => {
    const loader = recordingLoader({objects: {'configmaps/default/c': {data: {a: 'b'}}}});
    const spec = `validations: [{expression: "resource.Get('v1', 'configmaps', 'c').data.a == 'b'"}]`;
    const engine = celEngineOf([celPolicy('NamespacedValidatingPolicy', spec)], {loader});
    expect(await celVerdicts(engine, one)).toEqual(['pass success']);
    expect(loader.calls).toEqual(['get configmaps/default/c']);
    const elsewhere = requestOf({object: pod('a', {metadata: {namespace: 'other'}})});
    expect(await celVerdicts(engine, elsewhere)).toEqual([]);
  });
});

describe('results', () => {
  it('carry annotations, actions and where the violation is', async () => {
    const spec = `{validationActions: [Deny, Warn], auditAnnotations: [{key: who, valueExpression: "'for ' + object.metadata.name"}, {key: none, valueExpression: "''"}, {key: nothing, valueExpression: "null"}], validations: [{expression: "true"}, {expression: "false"}]}`;
    const engine = celEngineOf([celPolicy('ValidatingPolicy', spec, {annotations: {a: 'b'}})]);
    const {results} = await engine.validate(one, call);
    expect(results[0]).toMatchObject({source: 'KyvernoValidatingPolicy', annotations: {a: 'b'}, failurePolicy: 'Fail'});
    expect(results[0]?.rules).toEqual([
      {
        rule: '',
        type: 'Validation',
        status: 'fail',
        message: 'CEL expression validation failed at index 1',
        action: 'Enforce',
        actions: ['Deny', 'Warn'],
        properties: {'cel.validationIndex': '1', who: 'for a'},
      },
    ]);
  });

  it('an annotation that cannot be made is an error of what else would pass', async () => {
    const spec =
      '{auditAnnotations: [{key: k, valueExpression: string(object.nope)}], validations: [{expression: "true"}]}';
    expect(await verdicts(spec)).toEqual([
      "evaluation error failed to load context: failed to evaluate auditAnnotation 'k': no such key: nope",
    ]);
    const failing =
      '{auditAnnotations: [{key: k, valueExpression: string(object.nope)}], validations: [{expression: "false", message: refused}]}';
    expect(await verdicts(failing)).toEqual(['fail refused']);
  });

  it('a policy that only audits does not enforce', async () => {
    const [rule] = await celResults(
      celEngineOf([
        celPolicy('ValidatingPolicy', '{validationActions: [Audit], validations: [{expression: "false"}]}'),
      ]),
      one,
    );
    expect(rule).toMatchObject({action: 'Audit', actions: ['Audit']});
  });
});

describe('which policies take part', () => {
  const policies = [
    celPolicy('ValidatingPolicy', 'validations: [{expression: "true"}]', {name: 'b'}),
    celPolicy('ValidatingPolicy', '{evaluation: {admission: {enabled: false}}, validations: [{expression: "true"}]}', {
      name: 'a',
    }),
    celPolicy('ValidatingPolicy', '{evaluation: {background: {enabled: false}}, validations: [{expression: "true"}]}', {
      name: 'c',
    }),
    celPolicy('NamespacedValidatingPolicy', 'validations: [{expression: "true"}]', {name: 'b'}),
  ];
  const asked = async (more: object) => {
    const {results} = await celEngineOf(policies).validate(one, {...call, ...more});
    return results.map(({policy}) => `${policy.kind} ${policy.key}`.replace('ValidatingPolicy', 'VP'));
  };

  it.each<[what: string, more: object, policies: readonly string[]]>([
    ['all, by namespace and name', {}, ['VP a', 'VP b', 'VP c', 'NamespacedVP default/b']],
    ['those of admission', {phase: 'admission'}, ['VP b', 'VP c', 'NamespacedVP default/b']],
    ['those of scans', {phase: 'background'}, ['VP a', 'VP b', 'NamespacedVP default/b']],
    ['one kind', {kind: 'NamespacedValidatingPolicy'}, ['NamespacedVP default/b']],
    ['by name', {kind: 'ValidatingPolicy', names: ['c', 'b', 'unknown']}, ['VP b', 'VP c']],
    ['none', {kind: 'ValidatingPolicy', names: []}, []],
  ])('%s', async (_what, more, wanted) => {
    expect(await asked(more)).toEqual(wanted);
  });
});

describe('Pod controllers', () => {
  const spec = `validations: [{expression: "object.spec.containers.all(c, c.image != 'bad')", messageExpression: "'bad image in ' + object.metadata.name"}]`;
  const template = (image: string) => ({spec: {containers: [{name: 'c', image}]}});
  const request = (apiVersion: string, kind: string, body: object) =>
    requestOf({object: {apiVersion, kind, metadata: {name: 'web', namespace: 'default'}, spec: body} as never});

  it.each<[what: string, request: ReturnType<typeof request>, verdicts: readonly string[]]>([
    ['a Deployment', request('apps/v1', 'Deployment', {template: template('bad')}), ['fail bad image in web']],
    ['a good one', request('apps/v1', 'Deployment', {template: template('good')}), ['pass success']],
    [
      'a CronJob',
      request('batch/v1', 'CronJob', {jobTemplate: {spec: {template: template('bad')}}}),
      ['fail bad image in web'],
    ],
    ['not a kind without template', request('v1', 'Service', {}), []],
  ])('%s', async (_what, about, wanted) => {
    expect(await verdicts(spec, about)).toEqual(wanted);
  });

  it('a template without metadata reads as that of a Pod', async () => {
    const labels = 'validations: [{expression: "!has(object.metadata.labels)"}]';
    expect(await verdicts(labels, request('apps/v1', 'Deployment', {template: template('x')}))).toEqual([
      'pass success',
    ]);
  });

  it('other workloads are judged by the Pods that they would make', async () => {
    const own = `{autogen: {podControllers: {controllers: [jobsets.v1alpha2.jobset.x-k8s.io]}}, ${spec}}`;
    const jobs = (images: readonly string[]) => ({
      replicatedJobs: images.map(image => ({name: 'r', template: {spec: {template: template(image)}}})),
    });
    const about = (body: object) => request('jobset.x-k8s.io/v1alpha2', 'JobSet', body);
    expect(await verdicts(own, about(jobs(['good', 'bad'])))).toEqual([
      'fail bad image in web (pod template at spec.replicatedJobs[1].template.spec.template)',
    ]);
    expect(await verdicts(own, about(jobs(['good'])))).toEqual(['pass success']);
    expect(await verdicts(own, about({}))).toEqual([
      'error extraction mode: no pod template found in jobset.x-k8s.io/v1alpha2/JobSet',
    ]);
  });
});

describe('payloads', () => {
  const judge = async (spec: string, payload: unknown) => {
    const engine = celEngineOf([
      celPolicy('ValidatingPolicy', `{evaluation: {mode: JSON}, matchConstraints: null, ${spec}}`),
    ]);
    const {results} = await engine.validatePayload(payload as never, call);
    return results.flatMap(({rules}) => rules.map(({status, message}) => `${status} ${message}`));
  };

  it.each<[expression: string, verdict: string]>([
    ['object.a == 1 && object.a < 2', 'pass success'],
    ['type(object.a) == double', 'pass success'],
    ['oldObject == null && namespaceObject == null', 'pass success'],
    ['request.operation == ""', 'error error: no such key: operation'],
  ])('%s', async (expression, verdict) => {
    expect(await judge(`validations: [{expression: ${JSON.stringify(expression)}}]`, {a: 1})).toEqual([verdict]);
  });

  it('are not for policies about requests', async () => {
    const engine = celEngineOf([celPolicy('ValidatingPolicy', 'validations: [{expression: "true"}]')]);
    expect((await engine.validatePayload({}, call)).results).toEqual([]);
  });
});

describe('hostile expressions', () => {
  it('end when their cost is over', async () => {
    const nested = 'l.all(a, l.all(b, l.all(c, l.all(d, l.all(e, l.all(f, a + b + c + d + e + f >= 0))))))';
    const expression = `cel.bind(l, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9], ${nested})`;
    const [verdict] = await verdicts(`validations: [{expression: ${JSON.stringify(expression)}}]`);
    expect(verdict).toContain('error error: operation cancelled: actual cost limit exceeded');
  });

  it('keys that objects have by birth are not there', async () => {
    const spec = 'validations: [{expression: "!has(object.constructor) && !(\'toString\' in object.metadata)"}]';
    expect(await verdicts(spec)).toEqual(['pass success']);
  });
});
