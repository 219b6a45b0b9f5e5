import {describe, expect, it} from 'vitest';
import {recordingLoader} from '../../testing/recording-loader.js';
import {pod, requestOf} from '../../testing/requests.js';
import {call, celEngineOf, celException, celPolicy} from '../testing/cel-engines.js';

async function verdicts(
  spec: string,
  object = pod('a'),
  more = {},
  exceptions: Parameters<typeof celEngineOf>[0] = [],
) {
  const engine = celEngineOf([celPolicy('DeletingPolicy', `{schedule: "@daily", ${spec}}`), ...exceptions], more);
  const {results} = await engine.deletes(requestOf({object}), call);
  return results.flatMap(({rules}) => rules.map(({rule, status, message}) => `${rule} ${status} ${message}`));
}

describe('a deleting policy', () => {
  it.each<[what: string, spec: string, verdicts: readonly string[]]>([
    ['without conditions takes all that it selects', 'conditions: []', ['p pass resource matched']],
    [
      'all conditions must hold',
      'conditions: [{name: a, expression: "true"}, {name: b, expression: "false"}]',
      ['p fail resource did not match'],
    ],
    [
      'conditions know the variables',
      "variables: [{name: own, expression: object.metadata.name}], conditions: [{name: a, expression: variables.own == 'a'}]",
      ['p pass resource matched'],
    ],
    [
      'operations do not matter',
      'matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [pods]}]}',
      ['p pass resource matched'],
    ],
    [
      'nor does it speak of other kinds',
      'matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], resources: [pods]}]}',
      [],
    ],
    [
      'there is no request',
      'conditions: [{name: a, expression: request.name == ""}]',
      ['p error no such attribute(s): request'],
    ],
    [
      'mixed lists are no lists of CEL',
      'conditions: [{name: a, expression: object.nope == 1}]',
      ['p error no such key: nope'],
    ],
  ])('%s', async (_what, spec, wanted) => {
    expect(await verdicts(spec)).toEqual(wanted);
  });

  it('sees the namespace of the object, of a Namespace itself', async () => {
    const loader = recordingLoader({
      objects: {'namespaces//default': {metadata: {name: 'default', labels: {keep: 'yes'}}}},
    });
    const spec = "conditions: [{name: a, expression: namespaceObject.metadata.labels.keep == 'yes'}]";
    expect(await verdicts(spec, pod('a'), {loader})).toEqual(['p pass resource matched']);
    const namespaces = `matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [namespaces]}]}, ${spec}`;
    const namespace = {apiVersion: 'v1', kind: 'Namespace', metadata: {name: 'n', labels: {keep: 'yes'}}};
    expect(await verdicts(namespaces, namespace)).toEqual(['p pass resource matched']);
  });

  it('any exception keeps the object', async () => {
    const exception = celException('{images: [x], policyRefs: [{name: p, kind: DeletingPolicy}]}');
    expect(await verdicts('conditions: []', pod('a'), {}, [exception])).toEqual([
      'exception skip rule is skipped due to policy exception: kyverno/e',
    ]);
  });

  it('judges payloads by its conditions alone', async () => {
    const engine = celEngineOf([
      celPolicy('DeletingPolicy', "{schedule: '@daily', conditions: [{name: a, expression: object.age > 3}]}"),
    ]);
    const {results} = await engine.validatePayload({age: 4}, call);
    expect(results[0]?.rules).toMatchObject([{rule: 'p', status: 'pass', message: 'payload matched'}]);
  });
});
