import {describe, expect, it} from 'vitest';
import {loadException} from './load-exception.js';
import {yamlObject} from './testing/build.js';

function exception(spec: string, apiVersion = 'kyverno.io/v2') {
  return {
    apiVersion,
    kind: 'PolicyException',
    metadata: {name: 'e', namespace: 'n'},
    spec: yamlObject(spec),
  };
}

describe('exceptions', () => {
  it('are read in their current form', () => {
    const raw = exception(`
match: {any: [{resources: {kinds: [Pod], names: [a*]}}]}
conditions: {all: [{key: a, operator: Equals, value: a}]}
exceptions: [{policyName: p, ruleNames: [r, "autogen-*"]}]
podSecurity: [{controlName: Seccomp}]`);
    expect(loadException(raw)).toMatchObject({
      errors: [],
      warnings: [],
      policy: {
        namespace: 'n',
        name: 'e',
        background: true,
        match: {mode: 'any', filters: [{kinds: ['Pod'], names: ['a*']}]},
        entries: [{policyName: 'p', ruleNames: ['r', 'autogen-*']}],
        podSecurity: [{controlName: 'Seccomp'}],
        raw,
      },
    });
  });

  it('Q14 are read in the old form as exceptions of any policy', () => {
    const raw = exception(
      '{rules: [{name: check}], match: {resources: {namespaces: [legacy], selector: {matchLabels: {legacy: "true"}}}}}',
      'kyverno.io/v1alpha1',
    );
    const result = loadException(raw);
    expect(result.errors).toEqual([]);
    expect(result.warnings.map(({message}) => message)).toEqual([
      'compat: spec.rules: read as exceptions for the rules of these names and their derived rules in any policy',
    ]);
    expect(result.policy).toMatchObject({
      match: {mode: 'any', filters: [{kinds: [], namespaces: ['legacy'], selector: {matchLabels: {legacy: 'true'}}}]},
      entries: [{policyName: '*', ruleNames: ['check', 'autogen-check', 'autogen-cronjob-check']}],
    });
  });

  it('Q14 keep to the policies that the old form names, which need no match', () => {
    const {policy, errors} = loadException(
      exception('{policyName: p, rules: [{name: a}, {name: b, policy: team/q}]}', 'kyverno.io/v2alpha1'),
    );
    expect(errors).toEqual([]);
    expect(policy?.match).toBeUndefined();
    expect(policy?.entries.map(({policyName}) => policyName)).toEqual(['p', 'team/q']);
  });

  it.each([
    [
      'no policy name',
      '{exceptions: [{ruleNames: [r]}], match: {any: [{resources: {kinds: [Pod]}}]}}',
      'spec.exceptions[0].policyName',
      'An exception requires a policy name',
    ],
    [
      'no rule names',
      '{exceptions: [{policyName: p}], match: {any: [{resources: {kinds: [Pod]}}]}}',
      'spec.exceptions[0].ruleNames',
      'An exception requires at least one rule name',
    ],
    [
      'no entries',
      '{match: {any: [{resources: {kinds: [Pod]}}]}}',
      'spec.exceptions',
      'An exception requires at least one policy',
    ],
    [
      'any and all',
      '{exceptions: [{policyName: p, ruleNames: [r]}], match: {any: [{resources: {kinds: [Pod]}}], all: [{resources: {kinds: [Pod]}}]}}',
      'spec.match',
      "Can't specify any and all together",
    ],
    [
      'user info in the background',
      '{exceptions: [{policyName: p, ruleNames: [r]}], match: {any: [{subjects: [{kind: User, name: a}]}]}}',
      'spec.match.any[0].subjects',
      'Usage of user info is forbidden',
    ],
    [
      'old form for any policy and any object',
      '{rules: [{name: r}]}',
      'spec.match',
      'an exception that names no policy needs a match',
    ],
    [
      'old form beside the new',
      '{rules: [{name: r}], exceptions: [{policyName: p, ruleNames: [r]}]}',
      'spec.rules',
      'rules is the old form of exceptions and cannot stand beside it',
    ],
    [
      'a control without images',
      '{exceptions: [{policyName: p, ruleNames: [r]}], match: {any: [{resources: {kinds: [Pod]}}]}, podSecurity: [{controlName: Capabilities}]}',
      'spec.podSecurity[0].images',
      'exclude.images must be specified for the container level control',
    ],
    [
      'an incomplete condition',
      '{exceptions: [{policyName: p, ruleNames: [r]}], match: {any: [{resources: {kinds: [Pod]}}]}, conditions: {all: [{key: a}]}}',
      'spec.conditions.all[0]',
      'entered value of `key`, `value` or `operator` is missing or misspelled',
    ],
    [
      'an unknown field',
      '{exceptions: [{policyName: p, rulesNames: [r], ruleNames: [r]}], match: {any: [{resources: {kinds: [Pod]}}]}}',
      'spec.exceptions[0].rulesNames',
      'unknown field "rulesNames"',
    ],
  ])('refuse %s', (_, spec, path, message) => {
    const result = loadException(exception(spec));
    expect(result.policy).toBeUndefined();
    expect(result.errors.map(error => [error.path, error.message])).toContainEqual([path, message]);
  });

  it('take user info when they are not for the background', () => {
    const {errors} = loadException(
      exception(
        '{background: false, exceptions: [{policyName: p, ruleNames: [r]}], match: {any: [{subjects: [{kind: User, name: a}]}]}}',
      ),
    );
    expect(errors).toEqual([]);
  });
});
