import {describe, expect, it} from 'vitest';
import {loadAdmissionBinding, loadAdmissionPolicy} from '../../admission-policies/load.js';
import type {Json, JsonObject} from '../../json/types.js';
import {celCache, celException, celPolicy} from '../testing/cel-engines.js';
import {celKinds} from './kinds.js';

function nested(depth: number): Json {
  let value: Json = 'x';
  for (let at = 0; at < depth; at++) value = at % 2 === 0 ? [value] : {a: value};
  return value;
}

const own = JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1, "toString": []}') as JsonObject;
const values: readonly Json[] = [
  null,
  true,
  1,
  '',
  'x'.repeat(100_000),
  [],
  [null],
  [[]],
  {},
  own,
  nested(300),
  nested(5_000),
];
const fields = [
  'matchConstraints',
  'matchConditions',
  'conditions',
  'variables',
  'validations',
  'mutations',
  'generate',
  'auditAnnotations',
  'validationActions',
  'evaluation',
  'autogen',
  'targetMatchConstraints',
  'schedule',
  'failurePolicy',
  'webhookConfiguration',
];

describe('whatever is written', () => {
  it.each(celKinds)('a %s is served or refused, nothing is thrown', kind => {
    for (const value of values) {
      expect(celCache().putPolicy({...celPolicy(kind, '{}'), spec: value} as JsonObject).status).toBe('refused');
      for (const field of fields) {
        const raw = celPolicy(kind, '{validations: [{expression: "true"}], schedule: "@daily"}');
        const spec = {...(raw['spec'] as JsonObject), [field]: value};
        expect(['served', 'refused']).toContain(celCache().putPolicy({...raw, spec}).status);
      }
    }
  });

  it('exceptions, native policies and bindings too', () => {
    for (const value of values) {
      const spec = {
        policyRefs: value,
        matchConditions: value,
        images: value,
        expiresAt: value,
        policyName: value,
        paramRef: value,
        validations: value,
      };
      expect(['served', 'refused']).toContain(
        celCache().putException({...celException('{}'), spec} as JsonObject).status,
      );
      for (const kind of ['ValidatingAdmissionPolicy', 'MutatingAdmissionPolicy']) {
        const head = {apiVersion: 'admissionregistration.k8s.io/v1', metadata: {name: 'p'}, spec};
        expect(loadAdmissionPolicy({...head, kind}).policy).toBeUndefined();
        expect(loadAdmissionBinding({...head, kind: `${kind}Binding`}).policy).toBeUndefined();
      }
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});
