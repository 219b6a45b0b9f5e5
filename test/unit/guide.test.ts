import {describe, expect, it} from 'vitest';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {createOfflineContextLoader} from '../../adapters/offline-context-loader.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import {type JsonObject, own, ownPath} from '../../engine/json/types.js';
import {createEngine} from '../../engine/run/create-engine.js';
import {PolicyCache} from '../../engine/snapshot/policy-cache.js';
import type {Operation, RuleResult} from '../../engine/types.js';
import {type GuideRow, guideObject, guideObjects, guideRoot, guideRows, messagesOf} from '../guide/load.js';
import {engineRequest} from '../guide/request.js';

const root = guideRoot();
const regex = createRegexEngine();

function loaded(root: string, file: string) {
  const cache = new PolicyCache({
    resources: () => builtinResourceMap,
    compile: {matchConditions: 'not-available', background: 'served', regex},
    exceptions: {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: ''},
  });
  const states = guideObjects(root, file).map(object =>
    own(object, 'kind') === 'PolicyException' ? cache.putException(object) : cache.putPolicy(object),
  );
  const engine = createEngine({policies: cache, loader: createOfflineContextLoader({resources: [], resourceMap: builtinResourceMap, now: Date.now}), regex});
  return {cache, engine, states};
}

describe.skipIf(root === undefined)('the guide, offline', () => {
  const rows = root === undefined ? [] : guideRows(root);

  for (const row of rows.filter(row => row.expected === 'denied' && row.policy === null && row.userInfo === undefined)) {
    it(`${row.id}: an outline is refused with one message per unfinished rule`, () => {
      for (const object of guideObjects(root!, row.resource)) {
        const {cache} = loaded(root!, row.resource);
        const state = cache.policy(String(ownPath(object, 'metadata', 'namespace') === undefined || own(object, 'kind') === 'ClusterPolicy' ? ownPath(object, 'metadata', 'name') : `${ownPath(object, 'metadata', 'namespace')}/${ownPath(object, 'metadata', 'name')}`));
        expect(state?.status).toBe('refused');
        const text = state?.status === 'refused' ? state.problems.map(formatDiagnostic).join('\n') : '';
        for (const message of messagesOf(row)) expect(text).toContain(message);
      }
    });
  }

  for (const row of rows.filter(row => row.policy !== null)) {
    // guide-generate.test.ts and guide-cleanup.test.ts have the rest.
    if (['generated', 'deleted'].includes(row.expected) || row.operation === 'CLEANUP') continue;
    it(`${row.id}: ${row.expected}`, () => judge(root!, row));
  }
});

async function judge(root: string, row: GuideRow) {
  const {engine, states} = loaded(root, row.policy!);
  for (const state of states) {
    if (state.status === 'refused') throw new Error(state.problems.map(formatDiagnostic).join('\n'));
  }
  const request = engineRequest({
    operation: (row.operation === 'BACKGROUND' ? 'CREATE' : row.operation) as Operation,
    object: guideObject(root, row.resource),
    ...(row.oldResource !== undefined && {oldObject: guideObject(root, row.oldResource)}),
    ...(row.userInfo !== undefined && {userInfo: row.userInfo as JsonObject}),
  });
  const deadline = Number.POSITIVE_INFINITY;
  const mutated = await engine.mutate(request, {deadline});
  if (row.expected === 'mutated') {
    expect(mutated.denied).toBeUndefined();
    expect(mutated.object).toEqual({...guideObject(root, row.outcome!), ...placed(mutated.object, guideObject(root, row.outcome!))});
    return;
  }
  const judgeNow = row.operation === 'BACKGROUND' ? engine.applyBackgroundChecks : engine.validate;
  const {results} = await judgeNow(request, {bucket: 'all', deadline});
  const found: RuleResult[] = [...mutated.results, ...results]
    .filter(result => row.policyName === undefined || result.policy.name === row.policyName || result.policy.key === row.policyName)
    .flatMap(result => result.rules)
    .filter(rule => rule.rule === row.rule);
  const status = found[0]?.status ?? 'skip';
  expect(status === 'error' && row.expected === 'fail' ? 'fail' : status, found[0]?.message).toBe(row.expected);
  for (const message of messagesOf(row)) expect(found[0]?.message).toContain(message);
  if (row.admission !== undefined && row.expected === 'fail') {
    expect(found[0]?.action).toBe(row.admission === 'denied' ? 'Enforce' : 'Audit');
  }
}

/** The guide leaves out the namespace `default` that the API server fills in. */
function placed(actual: JsonObject | undefined, wanted: JsonObject): JsonObject {
  const metadata = own(wanted, 'metadata') as JsonObject;
  return own(metadata, 'namespace') === undefined ? {metadata: {...metadata, namespace: String(ownPath(actual, 'metadata', 'namespace'))}} : {};
}
