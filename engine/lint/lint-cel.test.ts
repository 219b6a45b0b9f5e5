import {describe, expect, it} from 'vitest';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {builtinResourceMap} from '../builtin-resources.js';
import type {JsonObject} from '../json/types.js';
import {compileCelState} from '../cel-policies/snapshot/cel-policy-cache.js';
import {celDoubts} from './lint-cel.js';

const options = {resources: builtinResourceMap, compile: {regex: createRegexEngine()}};

function doubtsOf(spec: JsonObject) {
  const state = compileCelState(policy(spec), options);
  if (state.status !== 'served') throw new Error(JSON.stringify(state.problems));
  return celDoubts(state.policy);
}

function policy(spec: JsonObject): JsonObject {
  return {
    apiVersion: 'policies.kyverno.io/v1',
    kind: 'ValidatingPolicy',
    metadata: {name: 'p'},
    spec: {
      matchConstraints: {
        resourceRules: [{apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods']}],
      },
      ...spec,
    },
  };
}

describe('policies written in CEL under the linter', () => {
  it('that are in order are told what they cost, and nothing else', () => {
    const findings = doubtsOf({
      variables: [{name: 'all', expression: 'object.spec.containers'}],
      validations: [{expression: "variables.all.all(c, c.image.startsWith('corp/'))"}],
    });
    expect(findings.map(({id, severity}) => [id, severity])).toEqual([['cel-cost', 'info']]);
    expect(findings[0]?.message).toMatch(/costs at least \d+ units, at most what the sizes/);
  });

  it('have variables that are read', () => {
    const findings = doubtsOf({
      variables: [
          {name: 'a', expression: 'object.spec'},
          {name: 'b', expression: 'variables.a.containers'},
          {name: 'c', expression: 'object.metadata'},
        ],
      validations: [{expression: 'size(variables.b) < 3'}],
    });
    expect(findings.filter(({id}) => id === 'cel-unused-variable')).toMatchObject([
      {path: 'spec.variables[2]', message: 'no expression reads variables.c', severity: 'warning'},
    ]);
  });

  it('look at the object', () => {
    const findings = doubtsOf({validations: [{expression: 'true'}]});
    expect(findings).toMatchObject([{id: 'cel-constant', path: 'spec.validations[0].expression'}, {id: 'cel-cost'}]);
  });
});
