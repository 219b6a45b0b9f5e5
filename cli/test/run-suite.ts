import type {KeyServices} from '../../adapters/images/kms/key-services.js';
import type {JsonObject} from '../../engine/json/types.js';
import type {SuiteCoverage} from '../coverage/suite-coverage.js';
import {readText} from '../files/documents.js';
import {FileError, messageOf} from '../files/file-error.js';
import {readResources} from '../files/load-resources.js';
import {checkTest, type Expectation, isDeprecatedTest, pathOf, type TestCase} from '../files/test-file.js';
import {Evaluator} from '../offline/evaluate.js';
import {keyOf, keyText} from '../offline/responses.js';
import type {ExpectedObjects} from './compare.js';
import {type LoadedSuite, loadSuite} from './load-suite.js';
import {type ChangedTarget, type Judged, matchRows, type Row} from './match-rows.js';

export interface SuiteOptions {
  readonly registry: boolean;
  readonly keyServices?: KeyServices;
  readonly strict: boolean;
  /** Also tell which parts of the policies were reached. */
  readonly coverage?: boolean;
}

/** Plain data: it crosses threads. */
export interface SuiteResult {
  /** What was going on, in order. */
  readonly log: readonly string[];
  readonly rows: readonly Row[];
  readonly warnings: readonly string[];
  readonly coverage?: readonly SuiteCoverage[];
  /** Why the run ends here; the command ends with it. */
  readonly failure?: string;
}

/** Runs one test whose `results` are already filtered. Never throws for a file's sake. */
export async function runSuite(
  test: TestCase,
  expectations: readonly Expectation[],
  options: SuiteOptions,
): Promise<SuiteResult> {
  const log: string[] = [`Loading test  ( ${test.path} ) ...`];
  try {
    if (isDeprecatedTest(test.spec)) {
      log.push('  WARNING: test file is in a deprecated form; `kyverno fix test` brings it up to date');
      throw new FileError(
        'test file contains deprecated form: apiVersion and kind are required, name belongs under metadata',
      );
    }
    checkTest(test.spec);
    const suite = await loadSuite(test, {registry: options.registry, ...(options.keyServices && {keyServices: options.keyServices}), log: line => log.push(line)});
    log.push(banner(suite));
    const runs = await judge(suite, expectations);
    log.push('  Checking results ...');
    const load = await expectedObjects(test, expectations, suite);
    const targets = changedTargets(runs, suite.targets);
    const rows = expectations.flatMap(expectation =>
      matchRows(expectation, {runs, targets, invalid: suite.invalid, load, strict: options.strict}),
    );
    if (options.coverage !== true) return {log, rows, warnings: suite.warnings};
    const {suiteCoverage} = await import('../coverage/suite-coverage.js');
    return {log, rows, warnings: suite.warnings, coverage: await suiteCoverage({...suite, expectations})};
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return {log, rows: [], warnings: [], failure: `failed to run test (${messageOf(error)})`};
  }
}

function banner({policies, resources, exceptionCount}: LoadedSuite): string {
  const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
  const exceptions = exceptionCount > 0 ? ` with ${plural(exceptionCount, 'exception', 'exceptions')}` : '';
  return `  Applying ${plural(policies.length, 'policy', 'policies')} to ${plural(resources.length, 'resource', 'resources')}${exceptions} ...`;
}

/** Every resource once by default, and once for each operation that an expectation names. */
async function judge(
  suite: LoadedSuite,
  expectations: readonly Expectation[],
): Promise<ReadonlyMap<string, readonly Judged[]>> {
  const evaluator = new Evaluator(suite.world);
  const operations = new Set(['', ...expectations.flatMap(({operation}) => (operation ? [operation] : []))]);
  const runs = new Map<string, Judged[]>();
  for (const operation of operations) {
    const judged: Judged[] = [];
    for (const resource of suite.resources) {
      const responses = await evaluator.evaluate(resource, operation === '' ? undefined : operation);
      const deletions = operation === '' ? await evaluator.deletions(resource) : [];
      judged.push({key: keyOf(resource), responses: [...responses, ...deletions]});
    }
    for (const {name, mode, value} of operation === '' ? suite.payloads : []) {
      const key = {apiVersion: '', kind: '', namespace: '', name};
      judged.push({key, responses: await evaluator.payload(value, mode)});
    }
    runs.set(operation, judged);
  }
  return runs;
}

function changedTargets(
  runs: ReadonlyMap<string, readonly Judged[]>,
  targets: readonly JsonObject[],
): readonly ChangedTarget[] {
  const wanted = new Set(targets.map(target => keyText(keyOf(target))));
  const found = new Map<string, {key: ChangedTarget['key']; changes: ChangedTarget['changes'][number][]}>();
  for (const judged of runs.values()) {
    for (const response of judged.flatMap(item => item.responses)) {
      const seen = new Set<string>();
      for (const rule of response.rules) {
        for (const object of rule.targets) {
          const key = keyOf(object);
          const text = keyText(key);
          // A response speaks once of each target, by its first rule that changed it.
          if (seen.has(text) || !wanted.has(text)) continue;
          seen.add(text);
          const entry = found.get(text) ?? {key, changes: []};
          entry.changes.push({response, rule, object});
          found.set(text, entry);
        }
      }
    }
  }
  return [...found.values()];
}

/** Reads every expected file once, ahead of the comparison. */
async function expectedObjects(
  test: TestCase,
  expectations: readonly Expectation[],
  suite: LoadedSuite,
): Promise<ExpectedObjects> {
  const files = new Map<string, readonly JsonObject[] | {readonly error: string}>();
  const paths = expectations.flatMap(({patchedResources, generatedResource, generatedResources}) => [
    ...(patchedResources ? [patchedResources] : []),
    ...(generatedResource ? [generatedResource] : []),
    ...(generatedResources ?? []),
  ]);
  for (const path of new Set(paths)) {
    const file = pathOf(test, path);
    try {
      files.set(
        path,
        readResources(await readText(file), file, {resources: suite.world.resources}).map(({object}) => object),
      );
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      files.set(path, {error: messageOf(error)});
    }
  }
  return path => files.get(path) ?? {error: `${path} was not read`};
}
