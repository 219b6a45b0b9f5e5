import {freeConditions} from './any-all-conditions.js';
import type {Definition} from './definition.js';
import {exclude, match} from './match.js';
import {as, flag, list, named, type SchemaNode, text, texts} from './schema.js';
import {podSecurityExclusions} from './validate.js';

const spec: SchemaNode = named('PolicyExceptionSpec', 'Who is freed from which rules.', {
  exceptions: list(
    'Rules that do not apply.',
    named('ExceptionEntry', 'Rules of one policy.', {
      policyName: text('Policy, as name or namespace/name.'),
      ruleNames: texts('Rules, with wildcards.'),
    }),
  ),
  match: as(match, 'Which objects are freed.'),
  exclude: as(exclude, 'Which of them are not.'),
  conditions: freeConditions('What must be true as well.'),
  background: flag('Hold also for existing objects; true when unset.'),
  podSecurity: podSecurityExclusions,
  rules: list(
    'Loose form of exceptions: rules by name, in any policy unless one is named.',
    named('ExceptionRule', 'A rule by name.', {
      name: text('Rule.'),
      policy: text('Policy that the rule is in.'),
      policyName: text('Policy that the rule is in.'),
    }),
  ),
  policyName: text('Policy that rules are in, in the loose form.'),
  policies: texts('Policies that rules are in, in the loose form.'),
});

export const policyException: Definition = {
  group: 'kyverno.io',
  kind: 'PolicyException',
  plural: 'policyexceptions',
  scope: 'Namespaced',
  shortNames: ['polex'],
  categories: ['kyverno'],
  versions: [
    {name: 'v2', storage: true},
    {name: 'v2beta1', deprecatedFor: 'v2'},
    {name: 'v2alpha1', deprecatedFor: 'v2'},
    {name: 'v1alpha1', deprecatedFor: 'v2'},
  ],
  columns: [],
  description: 'Frees some objects from some rules.',
  properties: {spec},
  required: ['spec'],
  explainsFirstVersionOnly: true,
};
