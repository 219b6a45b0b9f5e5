import {existsSync, readdirSync} from 'node:fs';
import {dirname, join, relative, resolve} from 'node:path';
import {describe, expect, it} from 'vitest';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {loadPolicyPath, type PolicyDocument} from '../files/load-policies.js';
import type {TestCase} from '../files/test-file.js';
import {withKindsOf} from '../offline/known-kinds.js';
import {preparePolicy} from '../offline/prepare-policies.js';
import {discoverTests} from '../test/discover.js';
import {loadSuite} from '../test/load-suite.js';
import {convertPolicy} from './convert-documents.js';
import {prove} from './prove.js';

const conformance = process.env['CONFORMANCE_DIR'] ?? resolve(import.meta.dirname, '..', '..', '..', 'shared', 'conformance');
const root = join(conformance, 'policies-cli');
const twins = /^(.*)-(?:cel|vpol|mpol|gpol)$/;

interface Pair {
  readonly name: string;
  readonly policy: PolicyDocument;
  /** Of the twin that was written by hand. */
  readonly test: TestCase;
}

/** Classic policies for which there is one written in CEL in the folder beside it. */
async function findPairs(): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  for (const folder of existsSync(root) ? readdirSync(root).sort() : []) {
    const classic = twins.exec(folder)?.[1];
    if (classic === undefined) continue;
    const {tests} = await discoverTests(join(root, folder), 'kyverno-test.yaml');
    for (const test of tests) {
      const place = relative(join(root, folder), dirname(test.path)).replace(/(?:^|\/)\.[\w-]+$/, '');
      const other = join(root, classic, place);
      if (!existsSync(other)) continue;
      for (const file of readdirSync(other).filter(name => name.endsWith('.yaml')).sort()) {
        const {documents} = await loadPolicyPath(join(other, file), builtinResourceMap);
        for (const policy of documents.filter(({family}) => family === 'classic'))
          pairs.push({name: `${folder}/${place}`, policy, test});
      }
    }
  }
  return pairs;
}

const pairs = await findPairs();

describe.skipIf(pairs.length === 0)('classic policies with a twin in CEL (skipped without a folder of them: set CONFORMANCE_DIR)', () => {
  it('are converted for the most part, and say the same of the resources of their twins', {timeout: 300_000}, async () => {
    const lost: string[] = [];
    const differing: string[] = [];
    for (const {name, policy, test} of pairs) {
      const suite = await loadSuite(test, {registry: false, log: () => undefined});
      const resources = withKindsOf(suite.world.resources, suite.resources, [policy.raw]);
      const converted = convertPolicy(policy.raw, resources);
      if (converted.losses.length > 0) {
        lost.push(`${name}: ${converted.losses.map(({path, reason}) => `${path}: ${reason}`).join('; ')}`);
        continue;
      }
      const comparisons = await prove({
        before: preparePolicy(policy, resources),
        after: converted.prepared,
        world: {...suite.world, resources},
        resources: suite.resources,
      });
      for (const {resource, differences} of comparisons.filter(one => one.differences.length > 0))
        differing.push(`${name}: ${resource}: ${differences.join(', ')}`);
    }
    const failed = new Set(differing.map(line => line.slice(0, line.indexOf(': '))));
    const share = (pairs.length - lost.length - failed.size) / pairs.length;
    const told = [`${(100 * share).toFixed(1)} % of ${pairs.length} pairs agree`, ...lost, ...differing].join('\n');
    if (process.env['TELL_PAIRS'] === '1') process.stdout.write(`${told}\n`);
    expect(share, told).toBeGreaterThanOrEqual(0.85);
  });
});
