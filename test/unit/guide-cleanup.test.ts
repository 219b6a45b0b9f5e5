import {describe, expect, it} from 'vitest';
import {createOfflineContextLoader} from '../../adapters/offline-context-loader.js';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {defaultLimits} from '../../engine/budget.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import type {CompiledCleanup} from '../../engine/cleanup/compile-cleanup-policy.js';
import {compilePolicy} from '../../engine/compile/compile-policy.js';
import {RuleRun} from '../../engine/context/rule-run.js';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import {loadClassicPolicy} from '../../engine/policy/index.js';
import {type GuideRow, guideObject, guideObjects, guideRoot, guideRows} from '../guide/load.js';

const root = guideRoot();

function cleanupsOf(root: string, row: GuideRow): readonly CompiledCleanup[] {
  return guideObjects(root, row.policy!).flatMap(object => {
    const {policy, errors} = loadClassicPolicy(object, {resources: builtinResourceMap});
    if (policy === undefined) throw new Error(errors.map(formatDiagnostic).join('\n'));
    const compiled = compilePolicy(policy, {matchConditions: 'not-available', background: 'served'});
    if (compiled.policy === undefined) throw new Error(compiled.problems.map(formatDiagnostic).join('\n'));
    // Whatever a clean-up removes, a request never meets its rule.
    expect(compiled.policy.rules.map(rule => rule.name)).not.toContain(row.rule);
    return compiled.policy.cleanups;
  });
}

describe.skipIf(root === undefined)('clean-ups of the guide', () => {
  const rows = root === undefined ? [] : guideRows(root);

  it('has rows', () => expect(rows.filter(row => row.operation === 'CLEANUP').length).toBeGreaterThan(5));

  for (const row of rows.filter(row => row.operation === 'CLEANUP')) {
    it(`${row.id}: ${row.expected}`, async () => {
      const loader = createOfflineContextLoader({resources: [], resourceMap: builtinResourceMap, now: Date.now});
      const run = new RuleRun({loader, regex: createRegexEngine(), limits: defaultLimits, resources: builtinResourceMap, operatorNamespace: 'kyverno'});
      const object = guideObject(root!, row.resource);
      const removed: boolean[] = [];
      for (const cleanup of cleanupsOf(root!, row).filter(cleanup => cleanup.rule === row.rule)) {
        removed.push(await run.complete(() => cleanup.matches(object, run)));
      }
      expect(removed).toEqual([row.expected === 'deleted']);
    });
  }
});
