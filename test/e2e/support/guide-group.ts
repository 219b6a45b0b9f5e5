import {join} from 'node:path';
import {afterAll, beforeAll, expect, it} from 'vitest';
import type {JsonObject} from '../../../engine/json/types.js';
import {eventually} from '../../cluster/eventually.js';
import {type GuideRow, guideObject} from '../../guide/load.js';
import type {GuideContext} from './guide-context.js';
import {judgeRow, type Outcome, sendRow} from './guide-judge.js';
import {isLater, namedBy, namespacesMade, namespacesOf, type PolicyGroup} from './guide-plan.js';
import {putWitness} from './guide-reports.js';
import {withDefaultsOf} from './mutations.js';
import {createNamespaces} from './namespaces.js';
import type {OperatorCluster} from './operator-cluster.js';
import {allServed, collectionOf, dropAll, isPolicy, pathOf, type Thing, verdictOf, write} from './policies.js';
import {applyAndListen} from './sent-by-kubectl.js';

/** The tests of one policy file: it is applied, its rows are tried, everything is taken away again. */
export function describeGroup(context: GuideContext, group: PolicyGroup, rows: readonly GuideRow[]): void {
  const {root, run, check} = context;
  const served = rows.filter(row => !isLater(group, row));
  const outcomes = new Map<string, Promise<Outcome>>();
  /** What the API server alone makes of each new object, and of what mutation shall make of it. */
  const alone = new Map<string, JsonObject | undefined>();
  const wanted = new Map<string, JsonObject>();
  const made = new Set<string>();
  let sent: readonly JsonObject[] = [];

  beforeAll(async () => {
    const {operator} = run();
    // What a row makes as its object may be where objects of others lie.
    for (const name of namespacesMade(root, rows)) await remove(operator, `/api/v1/namespaces/${name}`);
    await createNamespaces(operator, namespacesOf(root, [group], rows));
    for (const row of served) {
      const written = guideObject(root, row.oldResource ?? row.resource);
      made.add(pathOf(written as unknown as Thing));
      if (row.operation !== 'CREATE') {
        await write(operator, written as unknown as Thing);
        continue;
      }
      const stored = await asStored(operator, written);
      alone.set(row.id, stored);
      if (row.expected !== 'mutated') continue;
      const outcome = withDefaultsOf(guideObject(root, row.outcome!), written, fresh(stored)) as JsonObject;
      wanted.set(row.id, (await asStored(operator, outcome))!);
    }
    const applied = await applyAndListen(operator.cluster, join(root, group.file));
    if (applied.code !== 0) throw new Error(applied.stderr.slice(-2000));
    sent = applied.sent;
    if (!group.later) await allServed(operator, group.policies);
    const scanned = served.filter(row => row.operation === 'BACKGROUND');
    if (scanned.length > 0)
      await putWitness(operator, [...new Set(scanned.map(row => String(guideObject(root, row.resource)['kind'])))]);
    if (group.later) for (const policy of group.policies.filter(isPolicy)) await verdictOf(operator, policy);
  });

  afterAll(async () => {
    const {operator} = run();
    await dropAll(operator);
    for (const path of made) await remove(operator, path);
  });

  it('comes back as kubectl sent it', async () => {
    const {stdout} = await run().operator.cluster.kubectl(['get', '-f', join(root, group.file), '-o', 'json']);
    const answer = JSON.parse(stdout) as Thing & {readonly items?: Thing[]};
    const stored = answer.items ?? [answer];
    expect(stored.map(specOf)).toEqual((sent as unknown as Thing[]).map(specOf));
    expect(stored).toHaveLength(group.policies.length);
  });

  it('does not drift: kubectl diff finds nothing', async () => {
    const file = join(root, group.file);
    const {code, stdout, stderr} = await run().operator.cluster.kubectl(['diff', '-f', file], {allowFailure: true});
    expect(stdout).toBe('');
    expect(code, stderr).toBe(0);
  });

  if (group.later) {
    it('is stored, and says that it is not served', async () => {
      for (const policy of group.policies.filter(isPolicy)) {
        const ready = await verdictOf(run().operator, policy);
        expect(ready).toMatchObject({status: 'False', message: expect.stringMatching(/not served|no plug-in answers/)});
      }
    });
  }

  // Rows that leave no trace come last: by then all that could have left one is done.
  for (const row of [
    ...served.filter(({expected}) => expected !== 'skip'),
    ...served.filter(({expected}) => expected === 'skip'),
  ]) {
    check(row, [row.expected, row.admission].filter(word => word !== undefined).join(', '), async () => {
      for (const file of namedBy(row, 'existing')) {
        const object = guideObject(root, file) as unknown as Thing;
        made.add(pathOf(object));
        await write(run().operator, object);
      }
      const key = `${row.operation} ${row.resource}`;
      let outcome = outcomes.get(key);
      if (outcome === undefined) outcomes.set(key, (outcome = sendRow(run(), root, row)));
      await judgeRow(context, {
        group,
        row,
        outcome: await outcome,
        alone: alone.get(row.id),
        wanted: wanted.get(row.id),
      });
    });
  }
}

/** What the API server itself makes of an object while no policy is there. */
async function asStored({cluster}: OperatorCluster, object: JsonObject): Promise<JsonObject | undefined> {
  const {status, body} = await cluster.request<JsonObject>(
    'POST',
    `${collectionOf(object as unknown as Thing)}?dryRun=All`,
    object,
  );
  if (status !== 201 && status !== 422) throw new Error(`${status} ${JSON.stringify(body)}`);
  return status === 201 ? body : undefined;
}

/** Without what only a stored object has. */
function fresh(stored: JsonObject | undefined): JsonObject | undefined {
  if (stored === undefined) return undefined;
  const {status: _status, ...rest} = stored;
  const {
    managedFields: _fields,
    uid: _uid,
    creationTimestamp: _time,
    generation: _generation,
    ...metadata
  } = stored['metadata'] as JsonObject;
  return {...rest, metadata};
}

function specOf({apiVersion, kind, metadata, spec}: Thing) {
  return {apiVersion, kind, name: metadata.name, spec};
}

async function remove({cluster}: OperatorCluster, path: string): Promise<void> {
  await cluster.request('DELETE', `${path}?gracePeriodSeconds=0&propagationPolicy=Background`);
  await eventually(async () => (await cluster.request('GET', path)).status === 404, {
    what: `${path} gone`,
    everyMs: 20,
  });
}
