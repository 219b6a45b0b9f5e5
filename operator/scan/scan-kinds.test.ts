import {describe, expect, it} from 'vitest';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {compilePolicy} from '../../engine/compile/compile-policy.js';
import type {JsonObject} from '../../engine/json/types.js';
import {loadClassicPolicy} from '../../engine/policy/index.js';
import {scannedByClassic} from './scan-kinds.js';

function scanned(kinds: readonly string[], spec: JsonObject = {}): string[] {
  const rules = kinds.map((kind, index) => ({name: `r${index}`, match: {any: [{resources: {kinds: [kind]}}]}, validate: {message: 'm', pattern: {}}}));
  const object = {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name: 'p'}, spec: {...spec, rules}} as unknown as JsonObject;
  const {policy, errors} = loadClassicPolicy(object, {resources: builtinResourceMap});
  if (policy === undefined) throw new Error(JSON.stringify(errors));
  const compiled = compilePolicy(policy, {matchConditions: 'not-available'});
  return [...scannedByClassic(compiled.policy!, builtinResourceMap).keys()].sort();
}

describe('what a classic policy has looked through in the background', () => {
  it('is what its rules name, what makes Pods with them', () => {
    expect(scanned(['ConfigMap'])).toEqual(['/configmaps']);
    expect(scanned(['Pod'])).toContain('apps/deployments');
  });

  it('is nothing more for a rule on everything', () => {
    expect(scanned(['*'])).toEqual([]);
    expect(scanned(['*', 'Secret'])).toEqual(['/secrets']);
  });

  it('is every kind that a pattern of names fits', () => {
    expect(scanned(['Persistent*'])).toEqual(['/persistentvolumeclaims', '/persistentvolumes']);
  });

  it('is no question that is asked and never stored', () => {
    expect(scanned(['*Review'])).toEqual([]);
  });

  it('is nothing for a policy that keeps to admission', () => {
    expect(scanned(['ConfigMap'], {background: false})).toEqual([]);
  });
});
