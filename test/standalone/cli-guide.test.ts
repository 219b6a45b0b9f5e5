import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {Operation} from '../../engine/types.js';
import {ensureBuilt} from '../e2e/support/build.js';
import {type GuideRow, guideObject, guideObjects, guideRoot, guideRows, messagesOf} from '../guide/load.js';
import {engineRequest} from '../guide/request.js';
import {type Applied, apply} from './support/apply-command.js';
import {judgeOffline, loadOffline} from './support/offline.js';

const root = guideRoot();
let folder = '';

beforeAll(async () => {
  await ensureBuilt();
  folder = await mkdtemp(join(tmpdir(), 'cli-guide-'));
});

afterAll(() => rm(folder, {recursive: true, force: true}));

/** A call of the command that answers several rows: one policy file, one operation, no two objects of one name. */
interface Batch {
  readonly names: Set<string>;
  readonly resources: Set<string>;
  applied?: Promise<Applied>;
}

/** The rows of the guide in as few calls as possible; each call is made when its first row asks for it. */
function createBatches(root: string, rows: readonly GuideRow[]) {
  const batches = new Map<string, Batch[]>();
  const ofRow = new Map<GuideRow, () => Promise<Applied>>();
  for (const row of rows) {
    const operation = operationOf(row);
    const key = `${row.policy} ${operation}`;
    const list = batches.get(key) ?? [];
    batches.set(key, list);
    const name = nameOf(guideObject(root, row.resource));
    let batch = list.find(({names, resources}) => resources.has(row.resource) || !names.has(name));
    if (batch === undefined) list.push((batch = {names: new Set(), resources: new Set()}));
    batch.names.add(name);
    batch.resources.add(row.resource);
    const shared = batch;
    ofRow.set(row, () => {
      shared.applied ??= apply({
        folder,
        policies: [join(root, row.policy!)],
        resources: [...shared.resources].map(path => join(root, path)),
        ...(operation !== undefined && {operation}),
      });
      return shared.applied;
    });
  }
  return (row: GuideRow): Promise<Applied> => ofRow.get(row)!();
}

describe.skipIf(root === undefined)('the guide through the command (needs its data beside the repository)', () => {
  const rows = root === undefined ? [] : guideRows(root);
  const path = (name: string) => join(root!, name);
  const judged = rows.filter(row => row.policy !== null && row.expected !== 'generated');
  const applyFor = createBatches(root ?? '', judged);
  const executed = new Map<string, number>();

  afterAll(() => {
    if (root === undefined) return;
    const sums = [...executed].map(([verdict, count]) => `${verdict} ${count}`).join(', ');
    const total = [...executed.values()].reduce((sum, count) => sum + count, 0);
    console.log(`guide, command: ${total} rows executed (${sums}) of ${rows.length}`);
  });

  // Who may submit policies is asked of a cluster, not of the command.
  for (const row of rows.filter(row => row.userInfo === undefined)) {
    it(`${row.id}: ${row.expected}`, async () => {
      if (row.policy === null) await outline(row);
      else if (row.expected === 'generated') await generated(row);
      else if (row.operation === 'CLEANUP') await cleanup(row);
      else await verdict(row);
      executed.set(row.expected, (executed.get(row.expected) ?? 0) + 1);
    });
  }

  async function verdict(row: GuideRow): Promise<void> {
    const applied = await applyFor(row);
    const object = guideObject(root!, row.resource);
    // What a clean-up would remove at its time is told beside what admission says.
    const about = applied.results.filter(
      ({resource, message}) => resource === nameOf(object) && message !== 'resource matched',
    );
    const found = about.find(result => isOf(row, result.rule));
    const status = found?.status ?? 'skip';
    const offline = loadOffline(guideObjects(root!, row.policy!), {background: 'served'});
    expect(offline.refused).toEqual([]);
    if (row.expected === 'mutated') {
      expect(applied.objects).toContainEqual(placed(guideObject(root!, row.outcome!)));
    } else {
      const wanted = toldOtherwise.get(row.id) ?? row.expected;
      expect(status === 'error' && wanted === 'fail' ? 'fail' : status, applied.stderr).toBe(wanted);
      for (const message of messagesOf(row)) expect(found?.message).toContain(message);
    }
    if (applied.results.some(({status}) => status === 'fail' || status === 'error')) expect(applied.exit).toBe(1);
    else expect(applied.exit, applied.stderr).toBe(0);

    const operation = (operationOf(row) ?? 'CREATE') as Operation;
    const answer = await judgeOffline(
      offline.engine,
      engineRequest({operation, object, ...(operation === 'UPDATE' && {oldObject: object})}),
    );
    const wanted = [...answer.mutation, ...answer.validation].map(({rule, status, message}) => ({
      rule,
      status,
      message,
    }));
    const rules = new Set(wanted.map(({rule}) => rule));
    const said = about.filter(({rule}) => rules.has(rule)).map(({rule, status, message}) => ({rule, status, message}));
    expect(sorted(said)).toEqual(sorted(wanted));
  }

  async function outline(row: GuideRow): Promise<void> {
    const resources = [path('resources/01-both-pass.yaml')];
    const {exit, stderr} = await apply({folder, policies: [path(row.resource)], resources});
    for (const message of messagesOf(row)) expect(stderr).toContain(message);
    expect(exit).toBe(1);
  }

  async function cleanup(row: GuideRow): Promise<void> {
    const {results, stderr} = await applyFor(row);
    const name = nameOf(guideObject(root!, row.resource));
    const removals = results.filter(({rule, resource}) => resource === name && isOf(row, rule));
    expect(
      removals.map(({status}) => status),
      stderr,
    ).toEqual(row.expected === 'deleted' ? ['pass'] : []);
  }

  async function generated(row: GuideRow): Promise<void> {
    const {resource, targets} = await surroundings(row);
    const {objects, results, stderr} = await apply({
      folder,
      policies: [path(row.policy!)],
      resources: [path(resource)],
      targets,
    });
    expect(results.find(({rule}) => isOf(row, rule))?.status, stderr).toBe('pass');
    const wanted = guideObjects(root!, row.outcome!);
    for (const object of wanted) {
      expect(
        objects.some(made => contains(made, object)),
        JSON.stringify({objects, object}),
      ).toBe(true);
    }
    if (own(row.context ?? {}, 'existing') === undefined) {
      const ofRule = objects.filter(object => ruleLabel(object) === row.rule);
      expect(ofRule.map(nameOf).sort()).toEqual(wanted.map(nameOf).sort());
    }
  }

  async function surroundings(row: GuideRow): Promise<{resource: string; targets: readonly string[]}> {
    const names = own(row.context ?? {}, 'namespaces');
    const existing = own(row.context ?? {}, 'existing');
    // A namespace that is made later is filled from the source: the source is judged beside it.
    if (Array.isArray(existing)) return {resource: String(existing[0]), targets: [path(row.resource)]};
    if (!Array.isArray(names)) return {resource: row.resource, targets: []};
    const file = join(folder, `${row.id}-namespaces.yaml`);
    const documents = names.map(name => `---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ${String(name)}}\n`);
    await writeFile(file, documents.join(''));
    return {resource: row.resource, targets: [file]};
  }
});

/** The command judges every object as if it were admitted, those of the background too. */
const toldOtherwise = new Map([['G39a-background', 'fail']]);

/**
 * The command knows one state of an object: an update to a bad one is judged as its creation, and one of an object that
 * was bad before as an update that changes nothing.
 */
function operationOf(row: GuideRow): string | undefined {
  if (row.operation === 'UPDATE') return row.expected === 'skip' ? 'UPDATE' : undefined;
  return row.operation === 'DELETE' ? 'DELETE' : undefined;
}

/** `Kind namespace/name`, in the namespace that a resource file gives it. */
function nameOf(object: JsonObject): string {
  const kind = String(own(object, 'kind'));
  const known = builtinResourceMap.find(kind)[0];
  const namespace = known?.namespaced === false ? '' : (ownPath(object, 'metadata', 'namespace') ?? 'default');
  return `${kind} ${String(namespace)}/${String(ownPath(object, 'metadata', 'name'))}`;
}

/** The rule that made an object, as its label tells. */
function ruleLabel(object: JsonObject): Json | undefined {
  return ownPath(object, 'metadata', 'labels', 'generate.kyverno.io/rule-name');
}

function sorted<T extends {readonly rule: string}>(verdicts: readonly T[]): T[] {
  return [...verdicts].sort((a, b) => (a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0));
}

function isOf(row: GuideRow, key: string): boolean {
  const slash = key.lastIndexOf('/');
  const policy = key.slice(0, slash);
  if (key.slice(slash + 1) !== row.rule) return false;
  return row.policyName === undefined || policy === row.policyName || policy.endsWith(`/${row.policyName}`);
}

/** The guide leaves out the namespace `default` that is filled in. */
function placed(wanted: JsonObject): JsonObject {
  const metadata = own(wanted, 'metadata') as JsonObject;
  return own(metadata, 'namespace') === undefined ? {...wanted, metadata: {...metadata, namespace: 'default'}} : wanted;
}

function contains(actual: Json | undefined, expected: Json): boolean {
  if (Array.isArray(expected)) {
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((item, index) => contains(actual[index], item))
    );
  }
  if (!isObject(expected)) return actual === expected;
  return isObject(actual) && Object.entries(expected).every(([key, value]) => contains(own(actual, key), value));
}
