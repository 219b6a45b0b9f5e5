import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect} from 'vitest';
import {type JsonObject, own} from '../../../engine/json/types.js';
import {eventually} from '../../cluster/eventually.js';
import {type GuideRow, guideObject} from '../../guide/load.js';
import type {GuideContext} from './guide-context.js';
import {grant, grantOn} from './grants.js';
import {type GuidePlan, namespacesOf} from './guide-plan.js';
import {createNamespaces} from './namespaces.js';
import type {OperatorCluster} from './operator-cluster.js';
import {allServed, dropAll, isPolicy, pathOf, policyPath, type Thing, write} from './policies.js';

const longAgo = '2026-01-01T00:00:00Z';

/** The tests of the clean-up rows: one policy file after the other, so that none removes what another has to leave. */
export function describeCleanups(context: GuideContext, plan: GuidePlan): void {
  for (const group of plan.groups) {
    const rows = group.rows.filter(({operation}) => operation === 'CLEANUP');
    if (rows.length === 0) continue;
    describe(`${group.file}, clean-up`, () => {
      const objects = rows.map(row => guideObject(plan.root, row.resource));
      const policies = group.policies.filter(isPolicy);

      beforeAll(async () => {
        const {operator} = context.run();
        const rights = (objects as unknown as Thing[]).map(object => grantOn(object, 'cleanup'));
        await grant(operator, 'guide-cleanup', 'cleanup', rights);
        await createNamespaces(operator, namespacesOf(plan.root, [group], rows));
        for (const object of objects) await make(operator, object);
        await operator.cluster.kubectl(['apply', '-f', join(plan.root, group.file)]);
        await allServed(operator, group.policies);
        for (const policy of policies) await missRuns(operator, policy);
      });
      afterAll(async () => {
        const {operator} = context.run();
        await dropAll(operator);
        for (const object of objects as unknown as Thing[])
          await operator.cluster.request('DELETE', `${pathOf(object)}?gracePeriodSeconds=0&propagationPolicy=Background`);
      });

      for (const row of rows) context.check(row, `${row.expected}, when its time has come`, () => judge(context, policies, row));
    });
  }
}

/** As if the clean-ups of the policy had run long ago, and nobody had been there since: one run makes up for the missed ones. */
async function missRuns({cluster}: OperatorCluster, policy: Thing): Promise<void> {
  const rules = (policy.spec as {readonly rules: readonly JsonObject[]}).rules.filter(rule => own(rule, 'cleanup') !== undefined);
  const cleanup = rules.map(rule => ({rule: own(rule, 'name'), lastExecutionTime: longAgo}));
  for (const [path, body] of [
    [`${policyPath(policy)}/status`, {status: {cleanup}}],
    [policyPath(policy), {metadata: {annotations: {'suite.test/touched': 'yes'}}}],
  ] as const) {
    const {status} = await cluster.request('PATCH', path, body, {contentType: 'application/merge-patch+json'});
    if (status !== 200) throw new Error(`${path}: ${status}`);
  }
}

/** Compares what is there after a run of the rule's clean-up with what the row says. */
async function judge({root, run}: GuideContext, policies: readonly Thing[], row: GuideRow): Promise<void> {
  const {cluster} = run().operator;
  await eventually(
    async () => {
      for (const policy of policies) {
        const {body} = await cluster.request<Thing>('GET', policyPath(policy));
        const runs = body.status?.['cleanup'] as ReadonlyArray<{readonly rule: string; readonly lastExecutionTime: string}> | undefined;
        const last = runs?.find(({rule}) => rule === row.rule)?.lastExecutionTime;
        if (last !== undefined && Date.parse(last) > Date.parse(longAgo)) return true;
      }
      return false;
    },
    {what: `a run of the clean-up ${row.rule}`, everyMs: 200},
  );
  const object = guideObject(root, row.resource) as unknown as Thing;
  const {status, body} = await cluster.request<{metadata?: {deletionTimestamp?: string}}>('GET', pathOf(object));
  const isGone = status === 404 || body.metadata?.deletionTimestamp !== undefined;
  expect(isGone ? 'deleted' : 'skip').toBe(row.expected);
}

/** With the status that the object is written with, which nobody but the test gives it. */
async function make(operator: OperatorCluster, object: JsonObject): Promise<void> {
  const {status, ...rest} = object as JsonObject & {status?: JsonObject};
  if (status === undefined) {
    await write(operator, object as unknown as Thing);
    return;
  }
  const spec = {...(rest['spec'] as JsonObject), ...(rest['kind'] === 'Job' && {managedBy: 'suite.test/nobody'})};
  const made = await write(operator, {...rest, spec} as unknown as Thing);
  const path = `${pathOf(made)}/status`;
  const patch = (written: JsonObject) => operator.cluster.request('PATCH', path, {status: written});
  let {status: code, body} = await patch(completed(status));
  // Older API servers take that condition of other Jobs only.
  if (code === 422 && JSON.stringify(body).includes('SuccessCriteriaMet')) ({status: code, body} = await patch(started(status)));
  if (code !== 200) throw new Error(`${path}: ${code} ${JSON.stringify(body)}`);
}

/** What the API server wants to see beside what the guide shows of a Job. */
function completed(status: JsonObject): JsonObject {
  const conditions = own(status, 'conditions');
  const whole = started(status);
  if (!Array.isArray(conditions)) return whole;
  const met = {type: 'SuccessCriteriaMet', status: 'True', lastTransitionTime: whole['startTime']!};
  return {...whole, conditions: [met, ...conditions]};
}

function started(status: JsonObject): JsonObject {
  return {startTime: own(status, 'completionTime') ?? '2026-01-01T00:00:00Z', ...status};
}
