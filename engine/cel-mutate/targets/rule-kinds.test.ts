import {describe, expect, it} from 'vitest';
import {createResourceMap} from '../../builtin-resources.js';
import type {ResourceRule} from '../../cel-policies/model.js';
import {kindsOfRules} from './rule-kinds.js';

const info = (group: string, version: string, kind: string, subResources: readonly string[] = []) => ({
  group,
  version,
  kind,
  resource: `${kind.toLowerCase()}s`,
  namespaced: true,
  subResources,
});
const resources = createResourceMap([
  info('', 'v1', 'Pod', ['status']),
  info('apps', 'v1', 'Deployment', ['status', 'scale']),
  info('apps', 'v1beta1', 'Deployment'),
]);

const rule = (apiGroups: string[], apiVersions: string[], names: string[]): ResourceRule => ({
  apiGroups,
  apiVersions,
  resources: names,
  operations: ['*'],
  scope: '*',
  resourceNames: [],
});

function names(...rules: ResourceRule[]): string[] {
  return kindsOfRules(rules, resources).map(({kind, subResource, any}) => {
    const place = [kind.group, kind.version, kind.resource, subResource].filter(part => part !== '').join('/');
    return any ? `${place} (any)` : place;
  });
}

describe('kinds of rules for targets', () => {
  it.each<readonly [string, ResourceRule[], string[]]>([
    ['one that is named', [rule([''], ['v1'], ['pods'])], ['v1/pods']],
    ['none that is unknown', [rule([''], ['v1'], ['widgets', 'pods/nope'])], []],
    ['a subresource', [rule(['apps'], ['v1'], ['deployments/scale'])], ['apps/v1/deployments/scale']],
    ['all of a group', [rule(['apps'], ['v1'], ['*'])], ['apps/v1/deployments (any)']],
    ['one version where any will do', [rule(['*'], ['*'], ['deployments'])], ['apps/v1/deployments']],
    ['the objects where a star stands for subresources', [rule([''], ['v1'], ['pods/*'])], ['v1/pods']],
    [
      'each once',
      [rule([''], ['v1'], ['pods']), rule(['*'], ['v1'], ['*', 'pods'])],
      ['v1/pods', 'apps/v1/deployments (any)'],
    ],
  ])('are %s', (_, rules, expected) => {
    expect(names(...rules)).toEqual(expected);
  });
});
