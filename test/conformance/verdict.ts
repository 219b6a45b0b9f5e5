import type {Suite} from './suites.js';

export interface SuiteRun {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

export interface SuiteVerdict {
  readonly suite: Suite;
  readonly rows: number;
  readonly excluded: number;
  readonly invalid: number;
  /** What differs from the recorded run; `undefined` when nothing does. */
  readonly difference: string | undefined;
}

interface JsonRow {
  readonly RESULT: string;
  readonly REASON: string;
  readonly POLICY: string;
  readonly RULE: string;
  readonly RESOURCE: string;
}

/** Holds a run with `-o json` against the recorded one: exit status, number of rows, no policy refused. */
export function judgeSuite(suite: Suite, run: SuiteRun): SuiteVerdict {
  const rows = parseRows(run.out);
  if (rows === undefined)
    return {suite, rows: 0, excluded: 0, invalid: 0, difference: `output is no JSON: ${run.out.slice(0, 200)}`};
  const counted = (reason: string) => rows.filter(row => row.REASON === reason).length;
  const {exit, rows: wanted} = suite.recorded;
  const faults: string[] = [];
  if (run.exit !== exit) faults.push(`exit status ${run.exit} instead of ${exit} (${lastLine(run.err)})`);
  if (!isExpectedCount(suite, rows.length)) faults.push(`${rows.length} rows instead of ${wanted}`);
  if (counted('Invalid Policy') > 0) faults.push(`${counted('Invalid Policy')} rows of refused policies`);
  for (const row of rows) {
    if (row.RESULT === 'Fail' && exit === 0) faults.push(`${row.POLICY} ${row.RULE} ${row.RESOURCE}: ${row.REASON}`);
  }
  return {
    suite,
    rows: rows.length,
    excluded: counted('Excluded'),
    invalid: counted('Invalid Policy'),
    difference: faults.length === 0 ? undefined : faults.join('; '),
  };
}

/**
 * The recorded command asks the variants that autogen makes of a ValidatingPolicy in the order of a hash map, and prints a
 * row "Excluded" for each that it happens to ask before the one that matches: its count of rows differs from run to run.
 */
function isExpectedCount({recorded: {rows}, policyKinds}: Suite, actual: number): boolean {
  const byChance = policyKinds.some(kind => kind.endsWith('ValidatingPolicy'));
  return actual === rows || (byChance && actual < rows && actual > 0);
}

function parseRows(text: string): readonly JsonRow[] | undefined {
  if (text.trim() === '') return [];
  try {
    return JSON.parse(text) as readonly JsonRow[];
  } catch {
    return undefined;
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
