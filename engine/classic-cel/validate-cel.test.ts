import {describe, expect, it} from 'vitest';
import {formatDiagnostic} from '../diagnostic.js';
import type {JsonObject} from '../json/types.js';
import {emptyCache, engineOf, judge, policyOf} from '../testing/engines.js';
import {recordingLoader} from '../testing/recording-loader.js';
import {pod, requestOf} from '../testing/requests.js';

const rule = (cel: string, more = '') =>
  `[{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, ${more} validate: {message: the rule says so, cel: {${cel}}}}]`;
const limits = (cpu: string, memory = '1Gi', request = '1Gi'): JsonObject =>
  pod('a', {spec: {containers: [{name: 'c', resources: {limits: {cpu, memory}, requests: {memory: request}}}]}});

async function verdicts(cel: string, {object = pod('a'), more = '', metadata = {}, loader = recordingLoader()} = {}) {
  const {engine} = engineOf([policyOf('p', rule(cel, more), {metadata})], {loader});
  return (await judge(engine, requestOf({object}))).map(
    ({rule: name, status, message}) => `${name} ${status} ${message}`,
  );
}

describe('validate.cel', () => {
  it.each<[what: string, cel: string, verdicts: readonly string[]]>([
    ['holds', 'expressions: [{expression: "true"}]', ["r pass Validation rule 'r' passed."]],
    [
      'the first that does not',
      'expressions: [{expression: "true"}, {expression: "false", message: its own}]',
      ['r fail its own'],
    ],
    ["the rule's message", 'expressions: [{expression: "false"}]', ['r fail the rule says so']],
    [
      'a message that is made',
      `expressions: [{expression: "false", messageExpression: "'made ' + object.metadata.name"}]`,
      ['r fail made a'],
    ],
    [
      'one that cannot be made',
      'expressions: [{expression: "false", messageExpression: string(object.nope)}]',
      ['r fail the rule says so'],
    ],
    [
      'what cannot be evaluated is as good as a violation',
      'expressions: [{expression: object.nope == 1}]',
      ["r fail expression 'object.nope == 1' resulted in error: no such key: nope"],
    ],
    [
      'an absent object is null',
      'expressions: [{expression: oldObject == null && object != null}]',
      ["r pass Validation rule 'r' passed."],
    ],
    [
      'variables',
      "variables: [{name: n, expression: object.metadata.name}], expressions: [{expression: variables.n == 'a'}]"
        .replaceAll('name: n,', 'name: own,')
        .replace('variables.n', 'variables.own'),
      ["r pass Validation rule 'r' passed."],
    ],
    [
      'the name of the namespace at least',
      "expressions: [{expression: namespaceObject.metadata.name == 'default'}]",
      ["r pass Validation rule 'r' passed."],
    ],
  ])('%s', async (_what, cel, wanted) => {
    expect(await verdicts(cel)).toEqual(wanted);
  });

  it('preconditions in CEL', async () => {
    const more = "celPreconditions: [{name: c, expression: object.metadata.name == 'b'}],";
    expect(await verdicts('expressions: [{expression: "false"}]', {more})).toEqual([
      'r skip cel preconditions not met',
    ]);
  });

  it('params, each of them', async () => {
    const loader = recordingLoader({
      objects: {'configmaps/default/limits': {data: {most: '1'}}},
      lists: {
        'configmaps/default': {
          items: [
            {metadata: {labels: {a: 'b'}}, data: {most: '1'}},
            {metadata: {labels: {a: 'b'}}, data: {most: '0'}},
            {data: {most: '-1'}},
          ],
        },
      },
    });
    const kind = 'paramKind: {apiVersion: v1, kind: ConfigMap}';
    const expressions = 'expressions: [{expression: size(object.spec.containers) <= int(params.data.most)}]';
    const named = (name: string, action: string) =>
      `${kind}, paramRef: {name: ${name}, parameterNotFoundAction: ${action}}, ${expressions}`;
    expect(await verdicts(named('limits', 'Deny'), {loader})).toEqual(["r pass Validation rule 'r' passed."]);
    expect(await verdicts(named('none', 'Allow'), {loader})).toEqual(["r pass Validation rule 'r' passed."]);
    expect((await verdicts(named('none', 'Deny'), {loader}))[0]).toContain(
      'r error error in parameterized resource: no params found',
    );
    const selected = `${kind}, paramRef: {selector: {matchLabels: {a: b}}, parameterNotFoundAction: Deny}, ${expressions}`;
    expect(await verdicts(selected, {loader})).toEqual(['r fail the rule says so']);
  });

  it('an expression that does not compile refuses the policy', () => {
    const state = emptyCache().putPolicy(policyOf('p', rule('expressions: [{expression: object.x == foo()}]')));
    expect(state.status === 'refused' && state.problems.map(formatDiagnostic)).toEqual([
      expect.stringMatching(
        /^spec\.rules\[0\]\.validate\.cel\.expressions\[0\]\.expression: Invalid value: .*undeclared reference to 'foo'/s,
      ),
    ]);
  });

  it('follows Pods into their controllers', async () => {
    const {engine} = engineOf([
      policyOf(
        'p',
        rule(
          `expressions: [{expression: "object.spec.containers.all(c, c.image != 'bad')", message: object.spec is bad}]`,
        ),
      ),
    ]);
    const object = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {name: 'w', namespace: 'default'},
      spec: {template: {spec: {containers: [{name: 'c', image: 'bad'}]}}},
    };
    const [result] = await judge(engine, requestOf({object}));
    expect(result).toMatchObject({rule: 'autogen-r', status: 'fail', message: 'object.spec.template.spec is bad'});
  });
});

describe('quantities', () => {
  const range = `expressions: [{expression: "object.spec.containers.all(c, c.resources.limits.cpu > '100m' && c.resources.limits.cpu <= '4000m')"}]`;
  const ratio =
    'expressions: [{expression: "object.spec.containers.all(c, c.resources.limits.memory <= 2 * c.resources.requests.memory)"}]';

  it.each<[cel: string, object: JsonObject, status: string]>([
    [range, limits('500m'), 'pass'],
    [range, limits('1'), 'pass'],
    [range, limits('20'), 'fail'],
    [range, limits('0.1'), 'fail'],
    [ratio, limits('1', '2Gi', '1024Mi'), 'pass'],
    [ratio, limits('1', '2049Mi', '1Gi'), 'fail'],
    [ratio, limits('1', 'a lot', '1Gi'), 'fail'],
  ])('%s', async (cel, object, status) => {
    expect((await verdicts(cel, {object}))[0]?.split(' ')[1]).toBe(status);
  });

  it('messages quote what was written', async () => {
    expect(await verdicts(ratio, {object: limits('1', 'a lot', '1Gi')})).toEqual([
      "r fail expression 'object.spec.containers.all(c, c.resources.limits.memory <= 2 * c.resources.requests.memory)' resulted in error: no such overload",
    ]);
  });

  it('are text again where the policy says so', async () => {
    const metadata = {annotations: {'policies.kyverno.io/cel-quantities': 'text'}};
    expect((await verdicts(range, {object: limits('500m'), metadata}))[0]).toContain('r fail');
  });
});
