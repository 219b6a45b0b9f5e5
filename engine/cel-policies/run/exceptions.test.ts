import {describe, expect, it} from 'vitest';
import type {JsonObject} from '../../json/types.js';
import {recordingLoader} from '../../testing/recording-loader.js';
import {pod, requestOf} from '../../testing/requests.js';
import {celEngineOf, celException, celPolicy, celVerdicts} from '../testing/cel-engines.js';

const policy = celPolicy(
  'ValidatingPolicy',
  'validations: [{expression: "object.spec.containers.all(c, c.image in exceptions.allowedImages || \'any\' in exceptions.allowedValues)", message: refused}]',
);
const request = requestOf({object: pod('a')});
const inNamespace = {namespace: 'default'};

async function verdicts(exceptions: readonly JsonObject[], more = {}) {
  return celVerdicts(celEngineOf([policy, ...exceptions], more), request);
}

describe('exceptions', () => {
  it.each<[what: string, exceptions: readonly JsonObject[], verdicts: readonly string[]]>([
    ['none', [], ['fail refused']],
    ['one frees', [celException('{}')], ['exception skip rule is skipped due to policy exception: kyverno/e']],
    [
      'several are all named',
      [celException('{}', {name: 'b'}), celException('{}', {name: 'a'})],
      ['exception skip rule is skipped due to policy exception: kyverno/a, kyverno/b'],
    ],
    ['of another policy', [celException('policyRefs: [{name: other, kind: ValidatingPolicy}]')], ['fail refused']],
    ['of another kind', [celException('policyRefs: [{name: p, kind: MutatingPolicy}]')], ['fail refused']],
    [
      'whose conditions do not hold',
      [celException("matchConditions: [{name: c, expression: object.metadata.name == 'b'}]")],
      ['fail refused'],
    ],
    [
      'that passes',
      [celException('reportResult: pass')],
      ['exception pass rule is passed due to policy exception: kyverno/e'],
    ],
    [
      'the one of the highest priority says what is reported',
      [
        celException('{}', {name: 'a'}),
        celException('reportResult: pass', {name: 'b', labels: {'polex.kyverno.io/priority': '2'}}),
      ],
      ['exception pass rule is passed due to policy exception: kyverno/a, kyverno/b'],
    ],
    ['images are left to the expression', [celException('images: ["nginx:1.27"]')], ['pass success']],
    ['so are values', [celException('allowedValues: [any]')], ['pass success']],
    ['other images', [celException('images: [other]')], ['fail refused']],
    [
      'a full one wins over parts',
      [celException('images: [other]', {name: 'a'}), celException('{}', {name: 'b'})],
      ['exception skip rule is skipped due to policy exception: kyverno/b, kyverno/a'],
    ],
    [
      'one that cannot be judged is an error',
      [celException('matchConditions: [{name: c, expression: object.nope == 1}]')],
      ['evaluation error failed to load context: failed to evaluate exception kyverno/e: no such key: nope'],
    ],
    [
      'unless another one frees anyway',
      [
        celException('matchConditions: [{name: c, expression: object.nope == 1}]', {name: 'a'}),
        celException('{}', {name: 'b'}),
      ],
      ['exception skip rule is skipped due to policy exception: kyverno/b'],
    ],
    [
      'of its own namespace',
      [celException('{}', inNamespace)],
      ['exception skip rule is skipped due to policy exception: default/e'],
    ],
    ['of a foreign namespace', [celException('{}', {namespace: 'other'})], ['fail refused']],
    ['that has ended', [celException('expiresAt: "2020-01-01T00:00:00Z"')], ['fail refused']],
    [
      'that has not',
      [celException('expiresAt: "2090-01-01T00:00:00Z"')],
      ['exception skip rule is skipped due to policy exception: kyverno/e'],
    ],
  ])('%s', async (_what, exceptions, wanted) => {
    expect(await verdicts(exceptions)).toEqual(wanted);
  });

  it('free everywhere where the installation says so', async () => {
    const exceptions = [celException('{}', {namespace: 'other'})];
    expect(await verdicts(exceptions, {exceptionNamespace: '*'})).toHaveLength(1);
    expect((await verdicts(exceptions, {exceptionNamespace: '*'}))[0]).toContain('other/e');
  });

  it('of a tenant see nothing of other namespaces', async () => {
    const loader = recordingLoader({objects: {'configmaps/kyverno/c': {data: {}}}});
    const conditions = `matchConditions: [{name: c, expression: "has(resource.Get('v1', 'configmaps', 'kyverno', 'c').data)"}]`;
    expect((await verdicts([celException(conditions, inNamespace)], {loader}))[0]).toContain(
      'may not use configmaps of namespace kyverno',
    );
    expect(loader.calls).toEqual([]);
    expect((await verdicts([celException(conditions)], {loader}))[0]).toContain('skip');
  });

  it("know the policy's variables", async () => {
    const own = celPolicy(
      'ValidatingPolicy',
      '{variables: [{name: name, expression: object.metadata.name}], validations: [{expression: "false"}]}',
    );
    const engine = celEngineOf([own, celException("matchConditions: [{name: c, expression: variables.name == 'a'}]")]);
    expect((await celVerdicts(engine, request))[0]).toContain('skip');
  });
});
