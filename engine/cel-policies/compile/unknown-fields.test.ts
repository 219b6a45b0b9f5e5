import {describe, expect, it} from 'vitest';
import {formatDiagnostic} from '../../diagnostic.js';
import {celCache, celPolicy} from '../testing/cel-engines.js';

const rules = (resources: string, group = '""') =>
  `matchConstraints: {resourceRules: [{apiGroups: [${group}], apiVersions: [v1], operations: ["*"], resources: [${resources}]}]}`;

function warnings(expression: string, more = ''): string[] {
  const spec = `{${more} autogen: {podControllers: {controllers: []}}, validations: [{expression: ${JSON.stringify(expression)}}]}`;
  const state = celCache().putPolicy(celPolicy('ValidatingPolicy', spec));
  if (state.status === 'refused') throw new Error(state.problems.map(formatDiagnostic).join('\n'));
  return state.warnings.map(formatDiagnostic);
}

const at = 'spec.validations[0].expression: ';

describe('fields that no selected kind has', () => {
  it.each<[what: string, expression: string, warnings: readonly string[], more?: string]>([
    [
      'a selection',
      'object.spec.hostnetwork == true',
      [`${at}undefined field 'hostnetwork'; Pod has no such field (did you mean "hostNetwork"?)`],
    ],
    [
      'an optional one, which would be silent',
      'object.spec.?hostNetwrk.orValue(false) == false',
      [`${at}undefined field 'hostNetwrk'; Pod has no such field (did you mean "hostNetwork"?)`],
    ],
    [
      'an index',
      'object.spec["hostPid"] == true',
      [`${at}undefined field 'hostPid'; Pod has no such field (did you mean "hostPID"?)`],
    ],
    [
      'of the elements of a list',
      'object.spec.containers.all(c, c.immage != "")',
      [`${at}undefined field 'immage'; Pod has no such field (did you mean "image"?)`],
    ],
    [
      'of lists put together',
      '(object.spec.containers + object.spec.?initContainers.orValue([])).exists(c, has(c.privileged))',
      [`${at}undefined field 'privileged'; Pod has no such field`],
    ],
    [
      'through a map',
      'object.spec.containers.map(c, c.securityContext).all(s, s.privilegd == true)',
      [`${at}undefined field 'privilegd'; Pod has no such field (did you mean "privileged"?)`],
    ],
    [
      'through a variable',
      'variables.all.all(c, c.immage != "")',
      [`${at}undefined field 'immage'; Pod has no such field (did you mean "image"?)`],
      'variables: [{name: all, expression: object.spec.containers}],',
    ],
    [
      'of the request',
      'request.object.spec.hostpid == true',
      [`${at}undefined field 'hostpid'; Pod has no such field (did you mean "hostPID"?)`],
    ],
    [
      'labels and annotations are free',
      'object.metadata.labels.anything == "x" && "y" in object.metadata.annotations',
      [],
    ],
    ['quantities too', 'object.spec.containers.all(c, c.resources.limits.gpu == "1")', []],
    [
      'all that is there',
      'object.spec.containers.all(c, !has(c.securityContext.privileged)) && object.kind == "Pod"',
      [],
    ],
    ['a field of one kind of several', 'object.spec.replicas == 1', [], `${rules('deployments, daemonsets', 'apps')},`],
    [
      'of none of several',
      'object.spec.replica == 1',
      [`${at}undefined field 'replica'; Deployment, StatefulSet have no such field (did you mean "replicas"?)`],
      `${rules('deployments, statefulsets', 'apps')},`,
    ],
    ['kinds that nobody described', 'object.anything == 1', [], `${rules('widgets', 'example.com')},`],
    ['any kind', 'object.anything == 1', [], `${rules('"*"')},`],
  ])('%s', (_what, expression, wanted, more = '') => {
    expect(warnings(expression, more)).toEqual(wanted);
  });
});
