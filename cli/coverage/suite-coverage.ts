import {type CoveragePoint, coveragePoints, reachedPoints} from '../../engine/explain/index.js';
import type {JsonObject} from '../../engine/json/types.js';
import {explainCompiled} from '../explain/explain-one.js';
import type {Expectation} from '../files/test-file.js';
import {coversRule} from '../offline/given.js';
import type {OfflineWorld} from '../offline/evaluate.js';

/** What one suite could reach of a policy and what it did. Plain data: it crosses threads. */
export interface SuiteCoverage {
  readonly policy: string;
  readonly points: readonly CoveragePoint[];
  /** Paths of points. */
  readonly reached: readonly string[];
}

export interface SuiteRun {
  readonly world: OfflineWorld;
  readonly resources: readonly JsonObject[];
  readonly expectations: readonly Expectation[];
}

/** Walks every rule that an expectation names over the suite's objects, once per operation that it is tested with. */
export async function suiteCoverage({world, resources, expectations}: SuiteRun): Promise<readonly SuiteCoverage[]> {
  const found: SuiteCoverage[] = [];
  for (const policy of world.policies) {
    if (policy.compiled === undefined) continue;
    const points = coveragePoints(policy.compiled.source);
    const rows = expectations.filter(row => row.policy === policy.name || row.policy === policy.key);
    const reached = new Set<string>();
    const operations = new Set(rows.map(row => row.operation || undefined));
    for (const operation of operations) {
      const named = rows.filter(row => (row.operation || undefined) === operation);
      for (const object of resources) {
        const {explanation} = await explainCompiled(policy.compiled, policy, world, {object, operation});
        const tested = explanation.rules.filter(rule =>
          named.some(row => !row.rule || coversRule(row.rule, rule.rule)),
        );
        for (const path of reachedPoints({...explanation, rules: tested})) reached.add(path);
      }
    }
    found.push({
      policy: policy.key,
      points,
      reached: points.map(point => point.path).filter(path => reached.has(path)),
    });
  }
  return found;
}
