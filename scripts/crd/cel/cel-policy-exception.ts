import type {Definition} from '../definition.js';
import {list, named, text, textMap, texts, word} from '../schema.js';
import {matchConditions} from './expressions.js';

const spec = named('CelPolicyExceptionSpec', 'Who is freed from which policies.', {
  policyRefs: list(
    'Policies that do not apply.',
    named('PolicyReference', 'A policy.', {name: text('Name.'), kind: text('Kind, for instance ValidatingPolicy.')}),
  ),
  matchConditions,
  images: texts('Images that stay allowed, for use as exceptions.allowedImages.'),
  allowedValues: texts('Values that stay allowed, for use as exceptions.allowedValues.'),
  reportResult: word('Result in reports; skip when unset.', ['skip', 'pass']),
  expiresAt: text('Moment from which it no longer holds, RFC 3339.'),
  properties: textMap('Facts for people and tools.'),
  evaluationMode: text('Which product the exception is for.'),
});

export const celPolicyException: Definition = {
  group: 'policies.kyverno.io',
  kind: 'PolicyException',
  plural: 'policyexceptions',
  scope: 'Namespaced',
  shortNames: [],
  categories: ['kyverno'],
  versions: [{name: 'v1'}, {name: 'v1beta1', storage: true}, {name: 'v1alpha1', deprecatedFor: 'v1'}],
  columns: [],
  description: 'Frees some objects from some CEL policies.',
  properties: {spec},
  required: ['spec'],
  typeName: 'CelPolicyException',
};
