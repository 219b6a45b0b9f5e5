import {writeFile} from 'node:fs/promises';
import type {Json} from '../../engine/json/types.js';
import {ioMessage} from '../files/documents.js';
import {FileError} from '../files/file-error.js';
import {prettyJson} from '../output/json-text.js';
import type {CoveragePoint} from '../../engine/explain/index.js';
import type {SuiteCoverage} from './suite-coverage.js';

export interface PolicyCoverage {
  readonly policy: string;
  readonly total: number;
  readonly reached: number;
  /** Whole percent, rounded down; 100 without points. */
  readonly percent: number;
  readonly unreached: readonly CoveragePoint[];
}

export interface CoverageReport {
  readonly total: number;
  readonly reached: number;
  readonly percent: number;
  readonly policies: readonly PolicyCoverage[];
}

/** What the suites of a run reached together. Policies of one name that differ count apart. */
export function coverageReport(suites: readonly SuiteCoverage[]): CoverageReport {
  const policies = new Map<
    string,
    {readonly policy: string; readonly points: readonly CoveragePoint[]; readonly reached: Set<string>}
  >();
  for (const {policy, points, reached} of suites) {
    const key = JSON.stringify([policy, points]);
    const known = policies.get(key) ?? {policy, points, reached: new Set<string>()};
    for (const path of reached) known.reached.add(path);
    policies.set(key, known);
  }
  const list = [...policies.values()].map(({policy, points, reached}): PolicyCoverage => {
    const unreached = points.filter(point => !reached.has(point.path));
    return {policy, ...figures(points.length, points.length - unreached.length), unreached};
  });
  list.sort((a, b) => (a.policy < b.policy ? -1 : a.policy > b.policy ? 1 : 0));
  const sum = (field: 'total' | 'reached') => list.reduce((count, policy) => count + policy[field], 0);
  return {...figures(sum('total'), sum('reached')), policies: list};
}

function figures(total: number, reached: number) {
  return {total, reached, percent: total === 0 ? 100 : Math.floor((100 * reached) / total)};
}

const kinds: Readonly<Record<CoveragePoint['kind'], string>> = {
  rule: 'rule',
  match: 'match filter',
  exclude: 'exclude filter',
  precondition: 'precondition',
  condition: 'condition',
  alternative: 'alternative',
  anchor: 'anchor',
  foreach: 'loop over',
};

/** One line per policy, one more for each point that no test reached. */
export function coverageText(report: CoverageReport): string {
  const lines = [`Coverage: ${report.reached} of ${report.total} points (${report.percent}%)`];
  for (const {policy, reached, total, percent, unreached} of report.policies) {
    lines.push(`  ${policy}: ${reached} of ${total} (${percent}%)`);
    for (const {kind, name, path, rule} of unreached)
      lines.push(`    not reached: ${kinds[kind]} ${name} of rule ${rule} (${path})`);
  }
  return `${lines.join('\n')}\n`;
}

/** The report as JSON (docs/coverage.md). */
export async function writeCoverage(path: string, report: CoverageReport): Promise<void> {
  try {
    await writeFile(path, `${prettyJson(report as unknown as Json)}\n`);
  } catch (error) {
    throw new FileError(ioMessage('write', path, error));
  }
}
