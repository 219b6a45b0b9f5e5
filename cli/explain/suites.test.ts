import {existsSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import type {PolicyExplanation} from '../../engine/explain/index.js';
import {FileError} from '../files/file-error.js';
import {checkTest, isDeprecatedTest, type TestCase} from '../files/test-file.js';
import {Evaluator} from '../offline/evaluate.js';
import {discoverTests} from '../test/discover.js';
import {type LoadedSuite, loadSuite} from '../test/load-suite.js';
import {explainCompiled} from './explain-one.js';

const root = process.env['CONFORMANCE_DIR'] ?? resolve(import.meta.dirname, '..', '..', '..', 'shared', 'conformance');
/** Every so many suites; `EVERY_SUITE=1` takes all. */
const stride = process.env['EVERY_SUITE'] === '1' ? 1 : 9;
const tests = existsSync(root)
  ? (
      await Promise.all(['cli', 'policies-cli'].map(folder => discoverTests(join(root, folder), 'kyverno-test.yaml')))
    ).flatMap(found => found.tests)
  : [];

async function load(test: TestCase): Promise<LoadedSuite | undefined> {
  if (isDeprecatedTest(test.spec)) return undefined;
  try {
    checkTest(test.spec);
    return await loadSuite(test, {registry: false, log: () => undefined});
  } catch (error) {
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

interface Line {
  readonly rule: string;
  readonly status: string;
  readonly message: string;
}

const byRule = (a: Line, b: Line) => (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0);

function explained({rules}: PolicyExplanation): Line[] {
  return rules.flatMap(({rule, results}) => results.map(({status, message}) => ({rule, status, message}))).sort(byRule);
}

/** Each policy alone on each object: in a suite mutations build on each other. */
async function compare(suite: LoadedSuite): Promise<number> {
  let compared = 0;
  for (const policy of suite.policies) {
    const {compiled} = policy;
    if (compiled === undefined || policy.unserved.length > 0 || compiled.source.spec.admission === false) continue;
    const evaluator = new Evaluator({...suite.world, policies: [policy]});
    for (const object of suite.resources) {
      const responses = await evaluator.evaluate(object);
      const judged = responses
        .flatMap(({rules}) => rules.map(({rule, status, message}): Line => ({rule, status, message})))
        .sort(byRule);
      const {explanation} = await explainCompiled(compiled, policy, suite.world, {object});
      const told = explained(explanation);
      const hidden =
        told.some(({message}) => message.includes('***')) || judged.some(({message}) => /\d\d:\d\d:\d\d/.test(message));
      const shown = (lines: readonly Line[]) =>
        lines.map(({rule, status, message}) => (hidden ? {rule, status} : {rule, status, message}));
      expect(shown(told), `${policy.key} on ${JSON.stringify(object['metadata'])}`).toEqual(shown(judged));
      compared += told.length;
    }
  }
  return compared;
}

describe.skipIf(tests.length === 0)('explanations of public suites', () => {
  let compared = 0;
  for (const test of tests.filter((_, index) => index % stride === 0)) {
    it(`${test.path.slice(root.length + 1)} is explained as it is judged`, async () => {
      const suite = await load(test);
      if (suite !== undefined) compared += await compare(suite);
    });
  }
  it('which are many results', () => expect(compared).toBeGreaterThan(50));
});
