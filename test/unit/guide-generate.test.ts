import {describe, expect, it} from 'vitest';
import {createOfflineContextLoader} from '../../adapters/offline-context-loader.js';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {createEngine} from '../../engine/run/create-engine.js';
import {PolicyCache} from '../../engine/snapshot/policy-cache.js';
import type {Operation} from '../../engine/types.js';
import {type GuideRow, guideObject, guideObjects, guideRoot, guideRows} from '../guide/load.js';
import {engineRequest} from '../guide/request.js';

const root = guideRoot();

describe.skipIf(root === undefined)('the guide, generation offline', () => {
  const rows = root === undefined ? [] : guideRows(root);
  const policies = new Set(rows.filter(row => row.expected === 'generated').map(row => row.policy));
  // A namespace made later is filled by the reconcile of the source, not by the admission of the namespace.
  const direct = rows.filter(row => policies.has(row.policy) && own(row.context ?? {}, 'existing') === undefined);
  for (const row of direct.filter(row => ['generated', 'skip'].includes(row.expected))) {
    it(`${row.id}: ${row.expected}`, () => judge(root!, row));
  }
});

async function judge(root: string, row: GuideRow) {
  const cache = new PolicyCache({
    resources: () => builtinResourceMap,
    compile: {matchConditions: 'not-available', background: 'served'},
    exceptions: {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: ''},
  });
  for (const object of guideObjects(root, row.policy!)) {
    const state = cache.putPolicy(object);
    if (state.status === 'refused') throw new Error(state.problems.map(formatDiagnostic).join('\n'));
  }
  const object = guideObject(root, row.resource);
  const loader = createOfflineContextLoader({resources: surroundings(row, object), resourceMap: builtinResourceMap, now: Date.now});
  const engine = createEngine({policies: cache, loader, regex: createRegexEngine()});
  const request = engineRequest({operation: row.operation as Operation, object});
  const {results} = await engine.generate(request, {deadline: Number.POSITIVE_INFINITY});
  const found = results.flatMap(result => result.rules).filter(rule => rule.rule === row.rule);
  if (row.expected === 'skip') {
    expect(found.filter(rule => rule.status !== 'skip').flatMap(rule => rule.targets ?? [])).toEqual([]);
    return;
  }
  expect(found[0]?.status, found[0]?.message).toBe('pass');
  const made = found.flatMap(rule => rule.targets ?? []);
  const wanted = guideObjects(root, row.outcome!);
  for (const expected of wanted) expect(made.some(candidate => contains(candidate, expected)), JSON.stringify({made, expected}, null, 1)).toBe(true);
  expect(made.map(nameOf).sort()).toEqual(wanted.map(nameOf).sort());
}

/** The trigger and the namespaces that the row says exist. */
function surroundings(row: GuideRow, object: JsonObject): JsonObject[] {
  const names = own(row.context ?? {}, 'namespaces');
  return [object, ...(Array.isArray(names) ? names : []).map(name => ({apiVersion: 'v1', kind: 'Namespace', metadata: {name}}))];
}

function contains(actual: Json | undefined, expected: Json): boolean {
  if (Array.isArray(expected)) return Array.isArray(actual) && actual.length === expected.length && expected.every((item, index) => contains(actual[index], item));
  if (isObject(expected)) return isObject(actual) && Object.entries(expected).every(([key, value]) => contains(own(actual, key), value));
  return actual === expected;
}

function nameOf(object: JsonObject): string {
  return `${own(object, 'kind')} ${ownPath(object, 'metadata', 'namespace') ?? ''}/${ownPath(object, 'metadata', 'name')}`;
}
