import {describe, expect, it} from 'vitest';
import {Budget, defaultLimits} from '../../engine/budget.js';
import {EvalError} from '../../engine/diagnostic.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {applyJsonPatch} from '../../engine/mutate/index.js';
import {deadline, engineOf, judge, mutated, policyOf, verdicts} from '../../engine/testing/engines.js';
import {recordingImages} from '../../engine/testing/image-source.js';
import {recordingLoader} from '../../engine/testing/recording-loader.js';
import {frozen, pod, requestOf} from '../../engine/testing/requests.js';
import type {EngineRequest, ValidateOptions} from '../../engine/types.js';

const pods = 'match: {any: [{resources: {kinds: [Pod]}}]}';
const labels = (name: string, action = '') =>
  `{name: ${name}, ${pods}, validate: {${action} message: needs ${name}, pattern: {metadata: {labels: {${name}: "?*"}}}}}`;
const request = requestOf({object: frozen(pod('p', {metadata: {labels: {a: '1'}}}))});

describe('validate', () => {
  it('answers one result per policy and rule that has something to say', async () => {
    const {engine} = engineOf([
      policyOf('one', `[${labels('a')}, ${labels('b')}]`, {metadata: {annotations: {x: 'y'}}}),
      policyOf(
        'two',
        '[{name: s, match: {any: [{resources: {kinds: [Service]}}]}, validate: {pattern: {spec: {type: x}}}}]',
      ),
    ]);
    const {results} = await engine.validate(request, {bucket: 'all', deadline});
    expect(results).toMatchObject([
      {
        policy: {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', namespace: '', name: 'one', key: 'one'},
        failurePolicy: 'Fail',
        emitWarning: false,
        annotations: {x: 'y'},
        background: false,
        rules: [
          {rule: 'a', type: 'Validation', status: 'pass', action: 'Enforce', message: "validation rule 'a' passed."},
          {
            rule: 'b',
            type: 'Validation',
            status: 'fail',
            action: 'Enforce',
            message: 'validation error: needs b. rule b failed at path /metadata/labels/b/',
          },
        ],
      },
    ]);
  });

  const policies = [
    policyOf('audit', `[${labels('b')}]`, {spec: '{validationFailureAction: Audit}'}),
    policyOf('enforce', `[${labels('b')}]`),
    policyOf('mixed', `[${labels('b', 'failureAction: Audit,')}, ${labels('c', 'failureAction: Enforce,')}]`),
    policyOf('moved', `[${labels('b')}]`, {
      spec: '{validationFailureAction: Audit, validationFailureActionOverrides: [{action: Enforce, namespaces: [default]}]}',
    }),
    policyOf('warns', `[${labels('b')}]`, {spec: '{validationFailureAction: Audit, emitWarning: true}'}),
  ];
  it.each<[ValidateOptions['bucket'], readonly string[]]>([
    ['enforce', ['enforce/b fail', 'mixed/c fail', 'moved/b fail']],
    ['audit', ['audit/b fail', 'mixed/b fail']],
    ['audit-warn', ['warns/b fail']],
    ['all', ['audit/b fail', 'enforce/b fail', 'mixed/b fail', 'mixed/c fail', 'moved/b fail', 'warns/b fail']],
  ])('judges the rules of bucket %s', async (bucket, want) => {
    expect(await verdicts(engineOf(policies).engine, request, {bucket})).toEqual(want);
  });

  it('every rule is in exactly one of the buckets', async () => {
    const {engine} = engineOf(policies);
    const parts = await Promise.all(
      (['enforce', 'audit', 'audit-warn'] as const).map(bucket => verdicts(engine, request, {bucket})),
    );
    expect(parts.flat().sort()).toEqual((await verdicts(engine, request)).sort());
  });

  it('keeps to policies of one failure policy', async () => {
    const {engine} = engineOf([
      policyOf('closed', `[${labels('b')}]`),
      policyOf('open', `[${labels('b')}]`, {spec: '{webhookConfiguration: {failurePolicy: Ignore}}'}),
      policyOf('open-of-old', `[${labels('b')}]`, {spec: '{failurePolicy: Ignore}'}),
    ]);
    expect(await verdicts(engine, request, {failurePolicy: 'Fail'})).toEqual(['closed/b fail']);
    expect(await verdicts(engine, request, {failurePolicy: 'Ignore'})).toEqual(['open/b fail', 'open-of-old/b fail']);
  });

  it.each<['Fail' | 'Ignore' | undefined, readonly string[]]>([
    [undefined, ['Fail', 'Ignore']],
    ['Fail', ['Fail', 'Fail']],
    ['Ignore', ['Ignore', 'Ignore']],
  ])('reports what an error leads to when the path says %s', async (errors, want) => {
    const {engine} = engineOf([
      policyOf('closed', `[${labels('b')}]`),
      policyOf('open', `[${labels('b')}]`, {spec: '{failurePolicy: Ignore}'}),
    ]);
    const {results} = await engine.validate(request, {bucket: 'all', deadline, ...(errors !== undefined && {errors})});
    expect(results.map(result => result.failurePolicy)).toEqual(want);
  });

  it('an installation that never closes says so of every policy', async () => {
    const {engine} = engineOf([policyOf('closed', `[${labels('b')}]`)], {engine: {forceIgnore: true}});
    expect(await verdicts(engine, request, {failurePolicy: 'Fail'})).toEqual([]);
    const {results} = await engine.validate(request, {bucket: 'all', failurePolicy: 'Ignore', deadline});
    expect(results.map(result => result.failurePolicy)).toEqual(['Ignore']);
  });

  it('runs exactly the policies that are named, each once, in canonical order', async () => {
    const {engine} = engineOf(policies);
    expect(await verdicts(engine, request, {only: ['warns', 'audit', 'gone', 'audit']})).toEqual([
      'audit/b fail',
      'warns/b fail',
    ]);
  });

  it('leaves policies with match conditions to those who name them, and then runs all their rules', async () => {
    const spec =
      '{validationFailureAction: Audit, webhookConfiguration: {matchConditions: [{name: m, expression: "true"}]}}';
    const {engine} = engineOf([policyOf('fine', `[${labels('b')}]`, {spec}), policies[1]!]);
    expect(await verdicts(engine, request, {bucket: 'enforce'})).toEqual(['enforce/b fail']);
    expect(await verdicts(engine, request, {bucket: 'enforce', only: ['fine']})).toEqual(['fine/b fail']);
  });

  it('leaves out policies that do not take part at admission', async () => {
    const {engine} = engineOf([policyOf('scan', `[${labels('b')}]`, {spec: '{admission: false, background: true}'})]);
    expect(await verdicts(engine, request)).toEqual([]);
  });

  it.each<[string, string, readonly string[]]>([
    ['pass', `[${labels('a')}, ${labels('b')}]`, ['p/a pass']],
    ['fail', `[${labels('b')}, ${labels('a')}]`, ['p/b fail']],
    [
      'not skip',
      `[{name: s, ${pods}, preconditions: {all: [{key: a, operator: Equals, value: b}]}, validate: {pattern: {kind: Pod}}}, ${labels('a')}]`,
      ['p/s skip', 'p/a pass'],
    ],
    [
      'not error',
      `[{name: e, ${pods}, validate: {deny: {conditions: {all: [{key: "{{ request.object.zzz }}", operator: Equals, value: b}]}}}}, ${labels('a')}]`,
      ['p/e error', 'p/a pass'],
    ],
  ])('with applyRules One, ends a policy at the first %s', async (_title, rules, want) => {
    expect(await verdicts(engineOf([policyOf('p', rules, {spec: '{applyRules: One}'})]).engine, request)).toEqual(want);
  });

  it('a policy of a namespace sees the objects of that namespace only', async () => {
    const {engine} = engineOf([
      policyOf(
        'p',
        `[{name: r, match: {any: [{resources: {kinds: ["*"]}}]}, validate: {pattern: {metadata: {labels: {zz: "?*"}}}}}]`,
        {namespace: 'team'},
      ),
    ]);
    const status = async (asked: EngineRequest) => (await judge(engine, asked)).map(rule => rule.status);
    expect(await status(requestOf({object: pod('x', {metadata: {namespace: 'team'}})}))).toEqual(['fail']);
    expect(await status(requestOf({object: pod('x', {metadata: {namespace: 'other'}})}))).toEqual([]);
    expect(await status(requestOf({object: {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'team'}}}))).toEqual(
      [],
    );
    expect(
      await status(requestOf({object: {apiVersion: 'v1', kind: 'Node', metadata: {name: 'team', namespace: 'team'}}})),
    ).toEqual([]);
    const named = await engine.validate(requestOf({object: pod('x', {metadata: {namespace: 'other'}})}), {
      bucket: 'all',
      deadline,
      only: ['team/p'],
    });
    expect(named.results).toEqual([]);
  });
});

describe('the outcome of a rule', () => {
  const outcome = async (rule: string, asked: EngineRequest = request) => {
    const [found] = await judge(engineOf([policyOf('p', `[{name: r, ${pods}, ${rule}}]`)]).engine, asked);
    return found === undefined ? 'nothing' : `${found.status}: ${found.message}`;
  };
  const bad = 'key: "{{ request.object.zzz }}", operator: Equals, value: x';
  const yes = 'key: "{{ request.name }}", operator: Equals, value: p';
  const no = 'key: "{{ request.name }}", operator: Equals, value: q';
  const deleting = requestOf({operation: 'DELETE', oldObject: pod('p')});

  it.each<[string, string, string]>([
    [
      'preconditions that do not hold',
      `preconditions: {all: [{${no}}]}, validate: {pattern: {kind: Pod}}`,
      'skip: preconditions not met',
    ],
    [
      'with their message',
      `preconditions: {all: [{${no}, message: name not q}]}, validate: {pattern: {kind: Pod}}`,
      'skip: preconditions not met; name not q',
    ],
    [
      'preconditions that cannot be evaluated',
      `preconditions: {all: [{${bad}}]}, validate: {pattern: {kind: Pod}}`,
      'error: failed to evaluate preconditions: failed to substitute variables in condition key: failed to resolve request.object.zzz at path : JMESPath query failed: Unknown key "zzz" in path',
    ],
    [
      'a pattern with a variable that is not there',
      'validate: {pattern: {spec: {a: "{{ request.object.zzz }}"}}}',
      'error: variable substitution failed: failed to resolve request.object.zzz at path /spec/a: JMESPath query failed: Unknown key "zzz" in path',
    ],
    ['deny that holds', `validate: {deny: {conditions: {all: [{${yes}}]}}}`, 'fail: validation error: rule r failed'],
    ['deny without conditions', 'validate: {deny: {}}', 'fail: validation error: rule r failed'],
    [
      'deny with a message',
      `validate: {message: "no {{ request.name }}", deny: {conditions: {all: [{${yes}}]}}}`,
      'fail: no p',
    ],
    [
      'deny with messages of conditions',
      `validate: {message: bad, deny: {conditions: {all: [{${yes}, message: name is p}]}}}`,
      'fail: bad; name is p',
    ],
    [
      'deny with a message that cannot be made',
      `validate: {message: "{{ request.object.zzz }}", deny: {conditions: {all: [{${yes}, message: name is p}]}}}`,
      'fail: name is p',
    ],
    [
      'deny with neither',
      `validate: {message: "{{ request.object.zzz }}", deny: {conditions: {all: [{${yes}}]}}}`,
      'fail: validation error: rule r failed',
    ],
    [
      'deny with a message that is no text',
      `validate: {message: "{{ request.object }}", deny: {conditions: {all: [{${yes}}]}}}`,
      "fail: the produced message didn't resolve to a string, check your policy definition.",
    ],
    [
      'deny that does not hold',
      `validate: {message: bad, deny: {conditions: {all: [{${no}}]}}}`,
      "pass: validation rule 'r' passed.",
    ],
    [
      'deny that cannot be evaluated',
      `validate: {deny: {conditions: {all: [{${bad}}]}}}`,
      'error: failed to check deny conditions: failed to substitute variables in condition key: failed to resolve request.object.zzz at path : JMESPath query failed: Unknown key "zzz" in path',
    ],
    [
      'a pattern with a message',
      'validate: {message: "{{ request.name }} needs x", pattern: {metadata: {labels: {x: "?*"}}}}',
      'fail: validation error: p needs x. rule r failed at path /metadata/labels/x/',
    ],
    [
      'a pattern with a message that cannot be made',
      'validate: {message: "{{ request.object.zzz }}", pattern: {metadata: {labels: {x: "?*"}}}}',
      'fail: validation error: variables substitution error in rule r execution error: ',
    ],
    [
      'a pattern with a message that is no text',
      'validate: {message: "{{ request.object.metadata.labels }}", pattern: {metadata: {labels: {x: "?*"}}}}',
      'fail: validation error: {"a":"1"}. rule r failed',
    ],
    [
      'a pattern that skips',
      'validate: {message: "{{ request.object.zzz }}", pattern: {metadata: {labels: {(x): "?*"}}}}',
      'skip: ',
    ],
    [
      'anyPattern, no alternative',
      'validate: {message: m, anyPattern: [{metadata: {labels: {x: "?*"}}}, {metadata: {labels: {(yy): "?*"}}}]}',
      'fail: validation error: m. rule r[0] failed at path /metadata/labels/x/',
    ],
    [
      'anyPattern, one alternative',
      'validate: {message: "{{ request.object.zzz }}", anyPattern: [{metadata: {labels: {x: "?*"}}}, {kind: Pod}]}',
      "pass: validation rule 'r' anyPattern[1] passed.",
    ],
    [
      'a loop that fails',
      'validate: {message: "bad {{ request.name }}", foreach: [{list: request.object.spec.containers, deny: {conditions: {any: [{key: "{{ element.image }}", operator: Equals, value: "nginx:*", message: "no {{ element.image }}"}]}}}]}',
      'fail: validation failure: bad p; no nginx:1.27',
    ],
    [
      'a loop over an element’s pattern',
      'validate: {message: m, foreach: [{list: request.object.spec.containers, pattern: {image: "!nginx*"}}]}',
      'fail: validation failure: validation error: m. rule r failed at path /image/',
    ],
    [
      'a loop that passes',
      'validate: {message: m, foreach: [{list: request.object.spec.containers, pattern: {image: "nginx*"}}]}',
      'pass: rule passed',
    ],
    [
      'a loop over a map is one element',
      'validate: {message: m, foreach: [{list: request.object.spec, pattern: {containers: [{name: main}]}}]}',
      'pass: rule passed',
    ],
    [
      'a loop without elements',
      'validate: {message: m, foreach: [{list: "request.object.spec.containers[?name == \'x\']", pattern: {image: x}}]}',
      'nothing',
    ],
    [
      'a loop over an unknown key',
      'validate: {message: m, foreach: [{list: request.object.spec.zzz, pattern: {image: x}}]}',
      'nothing',
    ],
    [
      'a loop over what cannot be evaluated',
      'validate: {message: m, foreach: [{list: "to_number(`{}`) || length(`1`)", pattern: {image: x}}]}',
      'error: failed to evaluate list: ',
    ],
    [
      'a loop whose elements are left out',
      `validate: {message: m, foreach: [{list: request.object.spec.containers, preconditions: {all: [{${no}}]}, pattern: {image: x}}]}`,
      'nothing',
    ],
    [
      'a loop whose preconditions cannot be evaluated',
      `validate: {message: m, foreach: [{list: request.object.spec.containers, preconditions: {all: [{${bad}}]}, pattern: {image: x}}]}`,
      'nothing',
    ],
    [
      'a loop of loops',
      'validate: {foreach: [{list: request.object.spec.containers, foreach: [{list: "[\'a\', \'b\']", deny: {conditions: {all: [{key: "{{ element }}", operator: Equals, value: b, message: "{{ element0.name }} {{ element1 }} {{ elementIndex }}"}]}}}]}]}',
      'fail: validation failure: validation failure: main b 1',
    ],
    [
      'element scope on what is no map',
      'validate: {message: m, foreach: [{list: "[\'a\']", elementScope: true, pattern: {kind: Pod}}]}',
      'error: validation failure: failed to process foreach: cannot use elementScope=true foreach rules for elements that are not maps, expected type=map got type=string',
    ],
    [
      'no element scope: the object',
      'validate: {message: m, foreach: [{list: request.object.spec.containers, elementScope: false, pattern: {kind: Pod}}]}',
      'pass: rule passed',
    ],
    [
      'texts are not the subject',
      'validate: {message: m, foreach: [{list: "[\'a\']", pattern: {kind: Pod}}]}',
      'pass: rule passed',
    ],
  ])('%s', async (_title, rule, want) => {
    const got = await outcome(rule);
    expect(want.endsWith(': ') ? got.slice(0, want.length) : got.startsWith(want) ? want : got).toBe(want);
  });

  it.each<[string, string, string]>([
    ['patterns have nothing to say', 'validate: {pattern: {kind: Service}}', 'nothing'],
    ['nor alternatives', 'validate: {anyPattern: [{kind: Service}]}', 'nothing'],
    [
      'deny speaks of the old object',
      'validate: {message: "no {{ request.object.metadata.name }}", deny: {conditions: {all: [{key: "{{ request.object.kind }}", operator: Equals, value: Pod}]}}}',
      'fail: no p',
    ],
    [
      'a loop over the new object has no elements',
      'validate: {message: m, foreach: [{list: request.object.spec.containers, deny: {}}]}',
      'nothing',
    ],
    [
      'a loop over the old object has',
      'validate: {message: m, foreach: [{list: request.oldObject.spec.containers, deny: {}}]}',
      'fail: validation failure: m',
    ],
  ])('on DELETE, %s', async (_title, rule, want) => {
    expect(await outcome(rule, deleting)).toBe(want);
  });

  it('report properties come with it, those that cannot be made left out', async () => {
    const [found] = await judge(
      engineOf([
        policyOf(
          'p',
          `[{name: r, ${pods}, reportProperties: {who: "{{ request.name }}", count: "{{ length(request.object.spec.containers) }}", x: "{{ request.object.zzz }}"}, validate: {pattern: {kind: Pod}}}]`,
        ),
      ]).engine,
      request,
    );
    expect({...found?.properties}).toEqual({who: 'p', count: '1'});
  });

  it('a message or property that uses up the budget leaves a failure a failure', async () => {
    const huge = requestOf({object: pod('p', {metadata: {annotations: {big: 'x'.repeat(3_000_000)}}})});
    const big = '{{ request.object.metadata.annotations.big }}';
    for (const check of [
      `deny: {conditions: {all: [{${yes}, message: "a ${big}"}]}}`,
      `deny: {conditions: {all: [{${yes}}]}}`,
      'pattern: {metadata: {labels: {x: "?*"}}}',
      'anyPattern: [{metadata: {labels: {x: "?*"}}}]',
    ]) {
      expect(
        await outcome(`reportProperties: {x: "a ${big}"}, validate: {message: "a ${big}", ${check}}`, huge),
      ).toMatch(/^fail: /);
    }
  });
});

describe('an update of what violated before', () => {
  const violating = (version: string) => pod('p', {metadata: {labels: {version}}, spec: {hostPID: true}});
  const good = pod('p');
  const rule = (more = '', action = 'failureAction: Enforce,', match = pods) =>
    `[{name: r, ${match}, ${more} validate: {${action} message: m, pattern: {spec: {=(hostPID): false}}}}]`;
  const status = async (
    rules: string,
    asked: Parameters<typeof requestOf>[0],
    spec = '{validationFailureAction: Audit}',
  ) => (await judge(engineOf([policyOf('p', rules, {spec})]).engine, requestOf(asked))).map(found => found.status)[0];
  const update = {object: violating('2'), oldObject: violating('1')};

  it.each<[string, string, Parameters<typeof requestOf>[0], string, string | undefined]>([
    ['is let be', rule(), update, '{}', 'skip'],
    ['where the policy enforces', rule('', ''), update, '{validationFailureAction: Enforce}', 'skip'],
    ['but not where the rule audits', rule('', 'failureAction: Audit,'), update, '{}', 'fail'],
    [
      'whatever overrides say',
      rule('', ''),
      update,
      '{validationFailureAction: Audit, validationFailureActionOverrides: [{action: Enforce, namespaces: ["*"]}]}',
      'fail',
    ],
    [
      'unless the rule says no',
      rule('', 'failureAction: Enforce, allowExistingViolations: false,'),
      update,
      '{}',
      'fail',
    ],
    ['unless it did not violate before', rule(), {object: violating('2'), oldObject: good}, '{}', 'fail'],
    ['not on creation', rule(), {object: violating('2')}, '{}', 'fail'],
    [
      'when preconditions hold for the old object too',
      rule(
        'preconditions: {all: [{key: "{{ request.object.metadata.labels.version }}", operator: AnyIn, value: ["1", "2"]}]},',
      ),
      update,
      '{}',
      'skip',
    ],
    [
      'unless they did not',
      rule(
        'preconditions: {all: [{key: "{{ request.object.metadata.labels.version }}", operator: Equals, value: "2"}]},',
      ),
      update,
      '{}',
      'fail',
    ],
    [
      'unless the rule is for updates only',
      rule('', 'failureAction: Enforce,', 'match: {any: [{resources: {kinds: [Pod], operations: [UPDATE]}}]}'),
      update,
      '{}',
      'fail',
    ],
    [
      'unless the rule is for some users',
      rule(
        '',
        'failureAction: Enforce,',
        'match: {any: [{resources: {kinds: [Pod]}, subjects: [{kind: User, name: jane}]}]}',
      ),
      update,
      '{}',
      'fail',
    ],
    [
      'judged without what came after',
      '[{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {failureAction: Enforce, message: m, deny: {conditions: {all: [{key: "{{ request.oldObject.metadata.labels.version || \'none\' }}", operator: Equals, value: "1"}]}}}}]',
      update,
      '{}',
      'fail',
    ],
  ])('%s', async (_title, rules, asked, spec, want) => {
    expect(await status(rules, asked, spec)).toBe(want);
  });
});

describe('mutate', () => {
  const patch = (name: string, body: string) => `{name: ${name}, ${pods}, mutate: {patchStrategicMerge: ${body}}}`;

  it('answers the object, the patch that leads to it, and a result per rule', async () => {
    const {engine} = engineOf([
      policyOf(
        'p',
        `[${patch('add', '{metadata: {labels: {+(a): z, new: x}}}')}, ${patch('again', '{metadata: {labels: {new: x}}}')}]`,
      ),
    ]);
    const {object, patch: operations, results, denied} = await mutated(engine, request);
    expect(denied).toBeUndefined();
    expect(object).toMatchObject({metadata: {labels: {a: '1', new: 'x'}}});
    expect(applyJsonPatch(request.object!, operations, new Budget(defaultLimits, () => 0))).toEqual(object);
    expect(results.flatMap(result => result.rules.map(rule => `${rule.rule} ${rule.status}: ${rule.message}`))).toEqual(
      ['add pass: mutated Pod/p in namespace default', 'again skip: no patches applied'],
    );
  });

  it('gives back the same object when nothing changes, also by way of changes', async () => {
    const {engine} = engineOf([
      policyOf(
        'p',
        `[${patch('a', '{metadata: {labels: {x: "1"}}}')}, ${patch('b', '{metadata: {labels: {x: null}}}')}]`,
      ),
    ]);
    const answer = await mutated(engine, request);
    expect(answer.patch).toEqual([]);
    expect(answer.object).toBe(request.object);
    expect((await mutated(engine, requestOf({operation: 'DELETE', oldObject: pod('p')}))).results).toEqual([]);
  });

  it('lets each rule and policy see what was changed before', async () => {
    const {engine} = engineOf([
      policyOf(
        'a',
        `[${patch('one', '{metadata: {labels: {x: "1"}}}')}, ${patch('two', '{metadata: {labels: {yy: "{{ request.object.metadata.labels.x }}2"}}}')}]`,
      ),
      policyOf(
        'b',
        `[{name: three, match: {any: [{resources: {kinds: [Pod], selector: {matchLabels: {yy: "12"}}}}]}, mutate: {patchesJson6902: "[{op: add, path: /metadata/labels/z, value: ok}]"}}]`,
      ),
    ]);
    expect((await mutated(engine, request)).object).toMatchObject({metadata: {labels: {x: '1', yy: '12', z: 'ok'}}});
  });

  const broken = `{name: bad, ${pods}, mutate: {patchStrategicMerge: {metadata: {labels: {x: "{{ request.object.zzz }}"}}}}}`;
  it('ends with the text of a denial when a rule fails and its policy fails closed', async () => {
    const {engine} = engineOf([
      policyOf('a', `[${patch('one', '{metadata: {labels: {x: "1"}}}')}, ${broken}]`),
      policyOf('b', `[${patch('two', '{metadata: {labels: {yy: "2"}}}')}]`),
    ]);
    const answer = await mutated(engine, request);
    expect(answer.denied).toBe(
      'mutation policy a error: failed to apply policy a rules [bad: variable substitution failed: failed to resolve request.object.zzz at path /metadata/labels/x: JMESPath query failed: Unknown key "zzz" in path]',
    );
    expect(answer.object).toBe(request.object);
    expect(answer.patch).toEqual([]);
  });

  it('drops all patches of a policy with a failed rule that fails open, and goes on', async () => {
    const {engine} = engineOf([
      policyOf('a', `[${patch('one', '{metadata: {labels: {x: "1"}}}')}, ${broken}]`, {
        spec: '{failurePolicy: Ignore}',
      }),
      policyOf('b', `[${patch('two', '{metadata: {labels: {yy: "2"}}}')}]`),
    ]);
    const {object, denied} = await mutated(engine, request);
    expect(denied).toBeUndefined();
    expect(object).toMatchObject({metadata: {labels: {a: '1', yy: '2'}}});
    expect(JSON.stringify(object)).not.toContain('"x"');
  });

  it.each<[string, string, string | undefined, JsonObject | undefined]>([
    [
      'a JSON patch',
      'patchesJson6902: "- {op: add, path: /metadata/labels/v, value: {{ length(request.object.spec.containers) }}}"',
      undefined,
      {metadata: {labels: {v: 1}}},
    ],
    [
      'a JSON patch whose test fails',
      'patchesJson6902: "- {op: test, path: /kind, value: Service}"',
      'denied',
      undefined,
    ],
    [
      'a loop by index',
      'foreach: [{list: request.object.spec.containers, patchesJson6902: "- {op: replace, path: /spec/containers/{{elementIndex}}/image, value: \\"{{ element.name }}\\"}"}]',
      undefined,
      {spec: {containers: [{name: 'main', image: 'main'}]}},
    ],
    [
      'a loop with the value at the same place',
      'foreach: [{list: request.object.spec.containers, patchStrategicMerge: {spec: {containers: [{(name): "{{ element.name }}", image: "reg/{{@}}"}]}}}]',
      undefined,
      {spec: {containers: [{name: 'main', image: 'reg/nginx:1.27'}]}},
    ],
    [
      'loops one after another',
      'foreach: [{list: "[\'a\']", patchStrategicMerge: {metadata: {labels: {x: "{{ element }}"}}}}, {list: "[request.object.metadata.labels.x]", patchStrategicMerge: {metadata: {labels: {yy: "{{ element }}b"}}}}]',
      undefined,
      {metadata: {labels: {x: 'a', yy: 'ab'}}},
    ],
    [
      'a loop over an unknown key',
      'foreach: [{list: request.object.zzz, patchStrategicMerge: {metadata: {labels: {x: a}}}}]',
      'failed to evaluate list request.object.zzz: Unknown key "zzz" in path',
      undefined,
    ],
    [
      'a loop with an element that fails',
      'foreach: [{list: request.object.spec.containers, patchStrategicMerge: {metadata: {labels: {x: "{{ request.object.zzz }}"}}}}]',
      'failed to mutate elements: variable substitution failed: ',
      undefined,
    ],
    [
      'a loop without elements',
      'foreach: [{list: "`[]`", patchStrategicMerge: {metadata: {labels: {x: a}}}}]',
      undefined,
      {metadata: {labels: {a: '1'}}},
    ],
    [
      'the last of a loop in order',
      'foreach: [{list: "[\'a\',\'b\']", order: Ascending, patchStrategicMerge: {metadata: {labels: {x: "{{ element }}"}}}}]',
      undefined,
      {metadata: {labels: {x: 'b'}}},
    ],
    [
      'the last of a loop in reverse, as merges go',
      'foreach: [{list: "[\'a\',\'b\']", patchStrategicMerge: {metadata: {labels: {x: "{{ element }}"}}}}]',
      undefined,
      {metadata: {labels: {x: 'a'}}},
    ],
  ])('%s', async (_title, mutate, error, want) => {
    const answer = await mutated(
      engineOf([policyOf('p', `[{name: r, ${pods}, mutate: {${mutate}}}]`)]).engine,
      request,
    );
    if (want === undefined) expect(answer.denied).toContain(error === 'denied' ? 'mutation policy p error' : error);
    else expect(answer).toMatchObject({object: want});
  });

  it('tells a loop that did nothing from a patch that did nothing', async () => {
    const {results} = await mutated(
      engineOf([
        policyOf(
          'p',
          `[{name: r, ${pods}, mutate: {foreach: [{list: "\`[]\`", patchStrategicMerge: {metadata: {labels: {x: a}}}}]}}]`,
        ),
      ]).engine,
      request,
    );
    expect(results[0]?.rules).toMatchObject([{status: 'skip', message: '0 elements processed', type: 'Mutation'}]);
  });
});

describe('the other operations', () => {
  it('applyBackgroundChecks judges all rules of policies that take part in scans', async () => {
    const {engine} = engineOf([
      policyOf('now', `[${labels('b')}]`, {spec: '{background: false}'}),
      policyOf('scan', `[${labels('b')}, ${labels('c', 'failureAction: Audit,')}]`, {
        spec: '{background: true, admission: false}',
      }),
    ]);
    const {results} = await engine.applyBackgroundChecks(requestOf({object: pod('p'), user: null}), {
      bucket: 'enforce',
      deadline,
    });
    expect(
      results.flatMap(result => result.rules.map(rule => `${result.policy.key}/${rule.rule} ${rule.status}`)),
    ).toEqual(['scan/b fail', 'scan/c fail']);
  });

  it('verifyAndPatchImages verifies, puts digests in and keeps a record', async () => {
    const digest = `sha256:${'1'.repeat(64)}`;
    const images = recordingImages({tags: {'reg.io/a:v1': digest}, signed: {[digest]: ['AAAA']}});
    const rules = `[{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, verifyImages: [{imageReferences: ["reg.io/*"], attestors: [{entries: [{keys: {publicKeys: "-----BEGIN PUBLIC KEY-----\\nAAAA\\n-----END PUBLIC KEY-----"}}]}]}]}]`;
    const {engine} = engineOf([policyOf('p', rules)], {loader: recordingLoader({imageSource: images})});
    const object = pod('p', {spec: {containers: [{name: 'c', image: 'reg.io/a:v1'}]}});
    const answer = await engine.verifyAndPatchImages(requestOf({object}), {deadline});
    expect(answer.results.flatMap(({rules: found}) => found.map(({status}) => status))).toEqual(['pass']);
    expect(ownPath(answer.object, 'spec', 'containers')).toEqual([{name: 'c', image: `reg.io/a:v1@${digest}`}]);
    expect(ownPath(answer.object, 'metadata', 'annotations', 'kyverno.io/verify-images')).toBe(
      `{"reg.io/a@${digest}":"pass"}`,
    );
  });

  it('contextLoader is the door that was given', () => {
    const loader = recordingLoader();
    expect(engineOf([], {loader}).engine.contextLoader()).toBe(loader);
  });
});

describe('what cannot be read from outside', () => {
  const entry = 'context: [{name: c, configMap: {name: x, namespace: default}}]';
  it.each([false, true])('is an error of the rules that need it, later: %s', async later => {
    const loader = recordingLoader({later, namespaces: {default: new EvalError('HTTP 500')}});
    const {engine} = engineOf(
      [
        policyOf(
          'p',
          `[{name: needs, ${pods}, ${entry}, validate: {pattern: {spec: {a: "{{ c.data.a }}"}}}}, {name: not, ${pods}, ${entry}, validate: {pattern: {kind: Pod}}}, {name: labels, match: {any: [{resources: {kinds: [Pod], namespaceSelector: {matchLabels: {a: b}}}}]}, validate: {pattern: {kind: Pod}}}]`,
        ),
      ],
      {loader},
    );
    expect(await verdicts(engine, request)).toEqual(['p/needs error', 'p/not pass', 'p/labels error']);
    expect(loader.calls.filter(call => call.startsWith('configMap'))).toHaveLength(1);
  });
});
