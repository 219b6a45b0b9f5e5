import {copyFile, mkdir, mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {ownPath} from '../../../engine/json/types.js';
import {eventually} from '../../cluster/eventually.js';
import {type GuideRow, guideObject, guideObjects, messagesOf} from '../../guide/load.js';
import {admissionRequest} from '../../guide/request.js';
import type {GuideContext, GuideRun} from './guide-context.js';
import {describeCleanups} from './guide-cleanups.js';
import {grantGeneration} from './guide-generated.js';
import {describeGroup} from './guide-group.js';
import {decisions, flat, subjectOf} from './guide-judge.js';
import {type GuidePlan, type PolicyGroup, planGuide, policyKeyOf} from './guide-plan.js';
import {createNamespaces} from './namespaces.js';
import type {OperatorCluster} from './operator-cluster.js';
import type {Thing} from './policies.js';
import {type Standalone, startStandalone} from './standalone.js';
import {compareThreeWays} from './three-ways.js';

/** Gives the operator the rights that a guide's policies need. */
export type Granting = (operator: OperatorCluster, name: string, plan: GuidePlan) => Promise<void>;

/** Every row of a guide's expectations on the running operator; the last test says what was executed. */
export function guideSuite(name: string, root: string, run: () => GuideRun, grant: Granting = grantGeneration): void {
  const plan = planGuide(root);
  const executed = new Set<string>();
  /** Rows whose object never reaches a webhook as it is written. */
  const completed: string[] = [];
  const check = (row: GuideRow, title: string, body: () => Promise<void>) =>
    it(`${row.id}: ${title}`, async () => {
      await body();
      executed.add(row.id);
    });

  describe(name, () => {
    let standalone: Standalone;
    let folder: string;

    beforeAll(async () => {
      folder = await copyPolicies(plan);
      standalone = await startStandalone(folder);
      await grant(run().operator, `made-by-${name.replaceAll(' ', '-')}`, plan);
    });
    afterAll(async () => {
      await standalone?.stop();
      if (folder !== undefined) await rm(folder, {recursive: true});
    });

    const context: GuideContext = {root, run, standalone: () => standalone, check, completed};

    describe('outlines', () => {
      beforeAll(() => {
        const objects = plan.outlines.flatMap(row => guideObjects(root, row.resource));
        const names = objects.map(object => ownPath(object, 'metadata', 'namespace')).filter(name => typeof name === 'string');
        return createNamespaces(run().operator, names);
      });
      for (const row of plan.outlines) {
        check(row, 'is refused with all messages', async () => {
          const {code, stderr} = await apply(run().operator, root, row.resource);
          expect(code).not.toBe(0);
          for (const message of messagesOf(row)) expect(stderr).toContain(message);
          for (const object of guideObjects(root, row.resource)) {
            const rules = ownPath(object, 'spec', 'rules');
            expect(rules).not.toHaveLength(0);
            for (const index of (rules as unknown[]).keys()) expect(stderr).toContain(`spec.rules[${index}]`);
          }
        });
      }
    });

    describe('who may write policies', () => {
      for (const row of plan.access) {
        check(row, `${row.expected}`, () => writeAs(run().operator, root, row));
      }
    });

    describeCleanups(context, plan);

    for (const group of plan.groups) {
      if (group.onlyForFiles) describe(group.file, () => describeFileOnly(group));
      else {
        const present = group.rows.filter(row => row.operation === 'CREATE');
        const before = group.rows.filter(row => ['UPDATE', 'DELETE', 'BACKGROUND'].includes(row.operation));
        describe(`${group.file}, objects that are new`, () => describeGroup(context, group, present));
        if (before.length > 0)
          describe(`${group.file}, objects that were there`, () => describeGroup(context, group, before));
      }
    }

    it('gives one verdict by admission, background scan and the command: every validating policy on every object', async () => {
      const {policies, objects, results, differences, refused} = await compareThreeWays(run(), plan);
      console.log(`${name}: ${policies} policies on ${objects} objects, ${results} results by all ways${refused.map(line => `\n  the API server refuses ${line}`).join('')}`);
      expect(differences).toEqual([]);
      expect(results).toBeGreaterThan(objects);
      expect(refused.join('\n')).not.toContain('denied the request');
    });

    it('executed every row that this release serves', () => {
      report(name, plan, {executed, completed});
      const wanted = plan.rows.filter(row => !plan.later.includes(row)).map(({id}) => id);
      expect([...executed].sort()).toEqual(wanted.sort());
    });

    function describeFileOnly(group: PolicyGroup): void {
      it('is refused through kubectl, which keeps the last of doubled keys', async () => {
        const {code, stderr} = await apply(run().operator, root, group.file);
        expect(code).not.toBe(0);
        expect(stderr).toContain('kinds');
      });
      for (const row of group.rows) {
        check(row, `${row.expected}, read from a file`, async () => {
          const object = guideObject(root, row.resource);
          const request = admissionRequest({operation: row.operation as 'CREATE', object});
          const from = standalone.entries().length;
          const key = policyKeyOf(group, row);
          const answer = await standalone.review(`/validate/fail/finegrained/${key}`, request);
          expect(answer.allowed).toBe(row.expected !== 'fail');
          for (const message of messagesOf(row)) expect(flat(answer.status?.message)).toContain(flat(message));
          const rule = `${key}/${row.rule}`;
          const subject = subjectOf(row.operation, object as unknown as Thing);
          const found = () => decisions(standalone.entries().slice(from), subject).get(rule);
          // The line comes by a pipe, the answer by a socket: either may be first.
          const decision =
            row.expected === 'skip'
              ? found()
              : await eventually(found, {what: `verdict of ${rule} on ${subject}`, everyMs: 20});
          expect(decision?.status ?? 'skip').toBe(row.expected);
        });
      }
    }
  });
}

async function writeAs({cluster}: OperatorCluster, root: string, row: GuideRow): Promise<void> {
  const rbac = join(root, String(row.context?.['rbac']));
  await cluster.kubectl(['apply', '-f', rbac]);
  const {username, groups} = row.userInfo as {username: string; groups: string[]};
  const as = ['--as', username, ...groups.flatMap(group => ['--as-group', group])];
  const {code, stderr} = await cluster.kubectl(['create', '-f', join(root, row.resource), '--dry-run=server', ...as], {
    allowFailure: true,
  });
  expect(code === 0, stderr).toBe(row.admission === 'allowed');
  for (const message of messagesOf(row)) expect(stderr).toContain(message);
  await cluster.kubectl(['delete', '-f', rbac]);
}

function apply({cluster}: OperatorCluster, root: string, file: string) {
  return cluster.kubectl(['apply', '-f', join(root, file)], {allowFailure: true});
}

/** The policy files that the admission server alone is asked about. */
async function copyPolicies(plan: GuidePlan): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kyverno-policies-'));
  const groups = plan.groups.filter(group => group.onlyForFiles || group.rows.some(row => row.expected === 'mutated'));
  for (const {file} of groups) {
    await mkdir(join(folder, file, '..'), {recursive: true});
    await copyFile(join(plan.root, file), join(folder, file));
  }
  return folder;
}

function report(
  name: string,
  plan: GuidePlan,
  {executed, completed}: {readonly executed: ReadonlySet<string>; readonly completed: readonly string[]},
): void {
  const verdicts = [...new Set(plan.rows.map(({expected}) => expected))].sort();
  const lines = verdicts.map(verdict => {
    const rows = plan.rows.filter(({expected}) => expected === verdict);
    const later = rows.filter(row => plan.later.includes(row)).length;
    const done = rows.filter(({id}) => executed.has(id)).length;
    return `  ${verdict}: ${done}/${rows.length - later}${later === 0 ? '' : `, later ${later}`}`;
  });
  if (completed.length > 0)
    lines.push(
      `  as written only offline, since the API server completes or refuses the object first: ${completed.join(', ')}`,
    );
  console.log(
    [
      `${name}: rows executed/total`,
      ...lines,
      `  all: ${executed.size}/${plan.rows.length - plan.later.length}, later ${plan.later.length}`,
    ].join('\n'),
  );
}
