import {describe, expect, it} from 'vitest';
import {defaultConfig, type OperatorConfig, parseConfig} from './config-map.js';

const selector = {matchExpressions: [{key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system']}]};

describe('a key of the ConfigMap', () => {
  const rows: [string, Record<string, string>, Partial<OperatorConfig>][] = [
    [
      'defaultRegistry',
      {defaultRegistry: 'registry.example:5000/mirror'},
      {defaultRegistry: 'registry.example:5000/mirror'},
    ],
    ['enableDefaultRegistryMutation', {enableDefaultRegistryMutation: 'false'}, {enableDefaultRegistryMutation: false}],
    ['generateSuccessEvents', {generateSuccessEvents: 'true'}, {generateSuccessEvents: true}],
    [
      'successEventActions',
      {successEventActions: 'Resource Passed, Resource Mutated'},
      {successEventActions: ['Resource Passed', 'Resource Mutated']},
    ],
    [
      'webhooks',
      {webhooks: JSON.stringify({namespaceSelector: selector, objectSelector: null})},
      {webhooks: {namespaceSelector: selector} as OperatorConfig['webhooks']},
    ],
    [
      'webhookAnnotations',
      {webhookAnnotations: '{"admissions.enforcer/disabled":"true"}'},
      {webhookAnnotations: {'admissions.enforcer/disabled': 'true'}},
    ],
    ['webhookLabels', {webhookLabels: '{"team":"a"}'}, {webhookLabels: {team: 'a'}}],
    [
      'matchConditions',
      {matchConditions: '[{"name":"no-nodes","expression":"true"}]'},
      {matchConditions: [{name: 'no-nodes', expression: 'true'}]},
    ],
    ['updateRequestThreshold', {updateRequestThreshold: '0'}, {updateRequestThreshold: 0}],
    ['maxContextSize', {maxContextSize: '1.5Mi'}, {maxContextSize: 1_572_864}],
    [
      'exclusions',
      {excludeUsernames: '!ann, b*', excludeGroups: 'system:nodes', excludeRoles: 'a:b', excludeClusterRoles: 'c,'},
      {userExclusions: {usernames: ['!ann', 'b*'], groups: ['system:nodes'], roles: ['a:b'], clusterRoles: ['c']}},
    ],
    ['an empty text, as if it were missing', {webhooks: '', updateRequestThreshold: ' '}, defaultConfig],
    ['a key of another program', {somethingElse: '1'}, defaultConfig],
  ];
  it.each(rows)('%s', (_, data, expected) => {
    const {config, problems} = parseConfig(data);
    expect(problems).toEqual([]);
    expect(config).toEqual({...defaultConfig, ...expected});
  });

  it('resourceFilters', () => {
    const {config} = parseConfig({resourceFilters: '[Event,*,*] [*/*,kube-system,*]'});
    expect(
      config.resourceFilters.map(({kind, namespace, name}) => [kind.kind, kind.subresource, namespace, name]),
    ).toEqual([
      ['Event', '', '*', '*'],
      ['*', '*', 'kube-system', '*'],
    ]);
  });
});

describe('without a ConfigMap', () => {
  it('all defaults hold', () => {
    expect(parseConfig(undefined)).toEqual({config: defaultConfig, problems: []});
  });
});

describe('a wrong value is ignored, and its key is named', () => {
  const rows: [string, Record<string, string>, string][] = [
    [
      'a bool',
      {generateSuccessEvents: 'often'},
      'ConfigMap key generateSuccessEvents is ignored: "often" is neither true nor false',
    ],
    [
      'a count',
      {updateRequestThreshold: '-1'},
      'ConfigMap key updateRequestThreshold is ignored: "-1" is no whole number from 0',
    ],
    ['a size', {maxContextSize: 'big'}, 'ConfigMap key maxContextSize is ignored: "big" is no size such as 2Mi'],
    [
      'a negative size',
      {maxContextSize: '-1Mi'},
      'ConfigMap key maxContextSize is ignored: "-1Mi" is no size such as 2Mi',
    ],
    [
      'a registry with a scheme',
      {defaultRegistry: 'https://a'},
      'ConfigMap key defaultRegistry is ignored: "https://a" is no registry host',
    ],
    [
      'webhooks as a list',
      {webhooks: '[]'},
      'ConfigMap key webhooks is ignored: it is no JSON object with namespaceSelector and objectSelector',
    ],
    [
      'an unknown selector',
      {webhooks: '{"selector":{}}'},
      'ConfigMap key webhooks is ignored: it has the unknown field selector',
    ],
    [
      'a selector that the API server would refuse',
      {webhooks: '{"objectSelector":{"matchLabels":{"a":"*"}}}'},
      'ConfigMap key webhooks is ignored: objectSelector has no valid label in matchLabels.a',
    ],
    [
      'labels with a bad value',
      {webhookLabels: '{"a":"b c"}'},
      'ConfigMap key webhookLabels is ignored: the value of "a" is not valid',
    ],
    [
      'annotations with a bad key',
      {webhookAnnotations: '{"a b":"c"}'},
      'ConfigMap key webhookAnnotations is ignored: "a b" is no valid key',
    ],
    [
      'annotations as a list',
      {webhookAnnotations: '["a"]'},
      'ConfigMap key webhookAnnotations is ignored: it is no JSON object',
    ],
    [
      'a condition without a name',
      {matchConditions: '[{"expression":"true"}]'},
      'ConfigMap key matchConditions is ignored: [0] has no valid name',
    ],
    [
      'a condition without an expression',
      {matchConditions: '[{"name":"a"}]'},
      'ConfigMap key matchConditions is ignored: [0] has no expression',
    ],
    [
      'two conditions of one name',
      {matchConditions: '[{"name":"a","expression":"true"},{"name":"a","expression":"true"}]'},
      'ConfigMap key matchConditions is ignored: two conditions are named a',
    ],
    [
      'a match condition with the name of the one for bootstrap kinds',
      {matchConditions: '[{"name":"kyverno-exclude-bootstrap-resources","expression":"true"}]'},
      'ConfigMap key matchConditions is ignored: two conditions are named kyverno-exclude-bootstrap-resources',
    ],
    [
      'as many match conditions as leave no place for that one',
      {matchConditions: JSON.stringify(Array.from({length: 64}, (_, index) => ({name: `c${index}`, expression: 'true'})))},
      'ConfigMap key matchConditions is ignored: it has more than 62 conditions',
    ],
    [
      'a filter of four parts',
      {resourceFilters: '[a,b,c,d]'},
      'ConfigMap key resourceFilters, a part is ignored: [a,b,c,d] has more than the three parts kind,namespace,name',
    ],
  ];
  it.each(rows)('%s', (_, data, problem) => {
    const {config, problems} = parseConfig({...data, excludeGroups: 'kept'});
    expect(problems).toEqual([problem]);
    expect(config).toEqual({...defaultConfig, userExclusions: {...defaultConfig.userExclusions, groups: ['kept']}});
  });

  it('broken JSON, with the place of the fault', () => {
    const {config, problems} = parseConfig({webhooks: '{"namespaceSelector"'});
    expect(config.webhooks).toEqual({});
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^ConfigMap key webhooks is ignored: it is no JSON \(.+\)$/);
  });
});
