import {FileError, messageOf} from '../files/file-error.js';
import {isGitUrl, withClone} from '../files/git.js';
import type {TestCase} from '../files/test-file.js';
import {coloursFor, noColours} from '../output/colours.js';
import {type KeyServiceFlags, keyServicesOf} from '../offline/key-services.js';
import type {Streams} from '../output/streams.js';
import type {SuiteCoverage} from '../coverage/suite-coverage.js';
import {type Discovery, discoverTests} from './discover.js';
import type {Row} from './match-rows.js';
import {formatRows, type RowFormat, rowFormats, rowTable} from './row-formats.js';
import {runSuite, type SuiteResult} from './run-suite.js';
import {parseSelector, selectExpectations} from './selector.js';

export interface TestFlags extends KeyServiceFlags {
  readonly fileName: string;
  readonly gitBranch?: string;
  readonly testCaseSelector: string;
  readonly outputFormat?: string;
  readonly failOnly?: boolean;
  readonly detailedResults?: boolean;
  /** commander's form of `--remove-color`. */
  readonly removeColor?: boolean;
  readonly registry?: boolean;
  readonly requireTests?: boolean;
  readonly warningsAsErrors?: boolean;
  readonly strictResults?: boolean;
  /** `true`: a summary; a text: also a JSON file. */
  readonly coverage?: boolean | string;
  readonly coverageMin?: number;
}

/** `kyverno test`: 0 when every row passed. Throws `FileError` for what ends the command. */
export async function runTest(paths: readonly string[], flags: TestFlags, streams: Streams): Promise<number> {
  const format = parseFormat(flags.outputFormat);
  const selector = parseSelector(flags.testCaseSelector);
  // Machine output stands alone on standard output.
  const progress = (text: string) => (format === undefined ? streams.out(text) : streams.err(text));
  if (selector.malformed.length > 0)
    progress(`Filter errors:\n${selector.malformed.map(part => `  ${part}\n`).join('')}\n`);
  return withSources(paths, flags, progress, async folders => {
    const found = await discoverAll(folders, flags.fileName, streams);
    if (found.errors.length > 0) {
      progress(
        `Test errors:\n${found.errors.map(({path, message}) => `  Path: ${path}\n    Error: ${message}\n`).join('')}\n`,
      );
      throw new FileError(`found ${found.errors.length} errors after loading tests`);
    }
    if (found.tests.length === 0) {
      if (selector.malformed.length > 0) throw new FileError(selector.malformed.join('; '));
      if (flags.requireTests) throw new FileError('no tests found');
      progress('No test yamls available\n');
      return 0;
    }
    const selected = found.tests
      .map(test => ({
        test,
        expectations: selectExpectations(test.spec.results ?? [], selector, {intersect: flags.strictResults === true}),
      }))
      .filter(({expectations}) => expectations.length > 0);
    return report(selected, {flags, format, streams, progress});
  });
}

function parseFormat(text: string | undefined): RowFormat | undefined {
  if (text === undefined || text === '') return undefined;
  const format = rowFormats.find(known => known === text);
  if (format === undefined) throw new FileError(`invalid format, expected (${rowFormats.join(', ')})`);
  return format;
}

/** Runs `use` on local folders, clones in the place of URLs. */
async function withSources(
  paths: readonly string[],
  flags: TestFlags,
  progress: (text: string) => void,
  use: (folders: readonly string[]) => Promise<number>,
  done: readonly string[] = [],
): Promise<number> {
  const [path, ...rest] = paths;
  if (path === undefined) return use(done);
  if (!isGitUrl(path)) return withSources(rest, flags, progress, use, [...done, path]);
  return withClone(path, {branch: flags.gitBranch, onProgress: progress}, folder =>
    withSources(rest, flags, progress, use, [...done, folder]),
  );
}

async function discoverAll(folders: readonly string[], fileName: string, streams: Streams): Promise<Discovery> {
  const tests: TestCase[] = [];
  const errors: Discovery['errors'][number][] = [];
  for (const folder of folders) {
    try {
      const found = await discoverTests(folder, fileName);
      tests.push(...found.tests);
      errors.push(...found.errors);
    } catch (error) {
      if (error instanceof FileError) streams.err(`Error loading tests: ${messageOf(error)}\n`);
      throw error;
    }
  }
  return {tests, errors};
}

interface Selected {
  readonly test: TestCase;
  readonly expectations: NonNullable<TestCase['spec']['results']>;
}

interface ReportContext {
  readonly flags: TestFlags;
  readonly format: RowFormat | undefined;
  readonly streams: Streams;
  readonly progress: (text: string) => void;
}

async function report(
  selected: readonly Selected[],
  {flags, format, streams, progress}: ReportContext,
): Promise<number> {
  const colours =
    format === undefined
      ? coloursFor({terminal: streams.terminal, remove: flags.removeColor === true, environment: process.env})
      : noColours;
  const output = {detailed: flags.detailedResults === true, colours};
  const keyServices = keyServicesOf(flags, text => streams.err(`${text}\n`));
  const rows: Row[] = [];
  const warnings: string[] = [];
  const covered: SuiteCoverage[] = [];
  for (const {test, expectations} of selected) {
    const result = await runSuite(test, expectations, {
      registry: flags.registry === true,
      keyServices,
      strict: flags.strictResults === true,
      coverage: wantsCoverage(flags),
    });
    progress(`${result.log.join('\n')}\n`);
    finish(result);
    rows.push(...result.rows);
    covered.push(...(result.coverage ?? []));
    if (format === undefined && !flags.failOnly) streams.out(`\n${rowTable(result.rows, output)}\n`);
  }
  const failed = rows.filter(row => row.result === 'Fail');
  if (format !== undefined) streams.out(formatRows(flags.failOnly ? failed : rows, format, output));
  if (flags.failOnly) {
    progress(`\nTest Summary: ${failed.length} out of ${rows.length} tests failed\n`);
    if (failed.length > 0 && format === undefined)
      streams.out(`\nAggregated Failed Test Cases :\n${rowTable(failed, output)}`);
  } else {
    progress(`\nTest Summary: ${rows.length - failed.length} tests passed and ${failed.length} tests failed\n`);
  }
  progress('\n');
  const shortfall = wantsCoverage(flags) ? await reportCoverage(covered, flags, progress) : undefined;
  if (flags.warningsAsErrors && warnings.length > 0) {
    throw new FileError(`found ${warnings.length} deprecation warning(s) and --warnings-as-errors is set`);
  }
  if (failed.length > 0) throw new FileError(`${failed.length} tests failed`);
  if (shortfall !== undefined) throw new FileError(shortfall);
  return 0;

  function finish(result: SuiteResult): void {
    for (const warning of result.warnings) streams.err(`Warning: ${warning}\n`);
    warnings.push(...result.warnings);
    if (result.failure !== undefined) throw new FileError(result.failure);
  }
}

function wantsCoverage({coverage, coverageMin}: TestFlags): boolean {
  return coverageMin !== undefined || (coverage !== undefined && coverage !== false);
}

/** Shows what no test reached; answers why that is too much. */
async function reportCoverage(
  covered: readonly SuiteCoverage[],
  {coverage, coverageMin}: TestFlags,
  progress: (text: string) => void,
) {
  const {coverageReport, coverageText, writeCoverage} = await import('../coverage/coverage-report.js');
  const whole = coverageReport(covered);
  progress(coverageText(whole));
  if (typeof coverage === 'string') await writeCoverage(coverage, whole);
  return coverageMin !== undefined && whole.percent < coverageMin
    ? `coverage is ${whole.percent}%, ${coverageMin}% is wanted`
    : undefined;
}
