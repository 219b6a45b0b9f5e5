import {readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import {parse} from 'yaml';
import {readManifests} from '../../crds/testing/manifests.js';
import {dynType, mapOf, stringType} from '../../engine/cel/types/type.js';
import type {Value} from '../../engine/cel/values/value.js';
import {bindingsOf, celEnvironment, celHost} from '../cel/environment.js';

const samples = resolve(import.meta.dirname, '../../samples/gitops');

function read<T>(path: string): T {
  return parse(readFileSync(join(samples, path), 'utf8')) as T;
}

interface HealthCheck {
  readonly apiVersion: string;
  readonly kind: string;
  readonly current: string;
  readonly failed: string;
}

/** Kinds whose condition Ready says whether they are in force. */
const judged = [...readManifests().values()]
  .map(({spec}) => ({kind: spec.names.kind, group: spec.group}))
  .filter(({kind}) => (kind.endsWith('Policy') && !kind.endsWith('CleanupPolicy')) || kind === 'KyvernoConfiguration');

describe('the Flux layout', () => {
  const {spec} = read<{spec: {healthCheckExprs: readonly HealthCheck[]}}>('flux/policies.yaml');

  it('waits for every kind that has a verdict', () => {
    const named = spec.healthCheckExprs.map(({kind, apiVersion}) => `${kind}.${apiVersion.split('/')[0]}`);
    expect([...named].sort()).toEqual(judged.map(({kind, group}) => `${kind}.${group}`).sort());
  });

  const environment = celEnvironment({variables: {metadata: mapOf(stringType, dynType), status: mapOf(stringType, dynType)}, twoVariableMacros: false});

  function evaluate(expression: string, object: Readonly<Record<string, unknown>>): unknown {
    const outcome = environment.compile(expression);
    if (outcome.program === undefined) throw new Error(outcome.text);
    return outcome.program.evaluate(bindingsOf(environment, object as Readonly<Record<string, Value>>), celHost());
  }

  const ready = (status: string, reason: string, observedGeneration: number) => ({conditions: [{type: 'Other', status: 'True', reason: '', observedGeneration: 1}, {type: 'Ready', status, reason, observedGeneration}]});
  const rows: ReadonlyArray<readonly [string, object, boolean, boolean]> = [
    ['nothing said yet', {}, false, false],
    ['of the generation before', ready('True', 'Succeeded', 1), false, false],
    ['ready', ready('True', 'Succeeded', 2), true, false],
    ['pending', ready('False', 'Pending', 2), false, false],
    ['refused', ready('False', 'Failed', 2), false, true],
    ['refused before, not judged since', ready('False', 'Failed', 1), false, false],
  ];
  it.each(rows)('%s', (_, status, current, failed) => {
    for (const check of spec.healthCheckExprs) {
      const object = {metadata: {generation: 2}, status};
      expect([evaluate(check.current, object), evaluate(check.failed, object)], check.kind).toEqual([current, failed]);
    }
  });
});

describe('the Argo CD layout', () => {
  const {data} = read<{data: Readonly<Record<string, string>>}>('argo-cd/argocd-cm.yaml');

  it('has the same health check for every kind that has a verdict', () => {
    const checks = Object.entries(data).filter(([key]) => key.startsWith('resource.customizations.health.'));
    expect(checks.map(([key]) => key.slice('resource.customizations.health.'.length)).sort()).toEqual(judged.map(({kind, group}) => `${group}_${kind}`).sort());
    expect(new Set(checks.map(([, text]) => text)).size).toBe(1);
    expect(checks[0]![1]).toMatch(/observedGeneration.*metadata\.generation/);
  });

  it('leaves reports and requests out', () => {
    expect(data['resource.exclusions']).toMatch(/wgpolicyk8s\.io.*reports\.kyverno\.io/);
  });
});
