import {copyFile, mkdir, mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import type {JsonObject} from '../../../engine/json/types.js';
import {eventually} from '../../cluster/eventually.js';
import {type GuideRow, guideObject, messagesOf} from '../../guide/load.js';
import {admissionRequest} from '../../guide/request.js';
import {type GuidePlan, isLater, namespacesOf, type PolicyGroup, planGuide, policyKeyOf} from './guide-plan.js';
import type {LogEntry, LogReader} from './log-reader.js';
import {mutateOffline, mutateStandalone, placedLike, settled} from './mutations.js';
import type {OperatorCluster} from './operator-cluster.js';
import {allServed, collectionOf, dropAll, isPolicy, pathOf, type Thing, verdictOf, write} from './policies.js';
import {type Standalone, startStandalone} from './standalone.js';

export interface GuideRun {
  readonly operator: OperatorCluster;
  readonly log: LogReader;
}

/** What the API server answered to one request of a row, and where its log lines begin. */
interface Outcome {
  readonly status: number;
  readonly body: JsonObject & {readonly message?: string; readonly metadata?: {readonly uid?: string}};
  readonly from: number;
  readonly subject: string;
}

interface Decision {
  readonly status: string;
  readonly text: string;
}

/** Every row of a guide's expectations on the running operator; the last test says what was executed. */
export function guideSuite(name: string, root: string, run: () => GuideRun): void {
  const plan = planGuide(root);
  const executed = new Set<string>();
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
      await createNamespaces(run().operator, namespacesOf(plan));
    });
    afterAll(async () => {
      await standalone?.stop();
      if (folder !== undefined) await rm(folder, {recursive: true});
    });

    describe('outlines', () => {
      for (const row of plan.outlines) {
        check(row, 'is refused with all messages', async () => {
          const {code, stderr} = await apply(run().operator, root, row.resource);
          expect(code).not.toBe(0);
          for (const message of messagesOf(row)) expect(stderr).toContain(message);
        });
      }
    });

    describe('who may write policies', () => {
      for (const row of plan.access) {
        check(row, `${row.expected}`, () => writeAs(run().operator, root, row));
      }
    });

    for (const group of plan.groups) {
      if (group.onlyForFiles) describe(group.file, () => describeFileOnly(group));
      else {
        const present = group.rows.filter(row => row.operation === 'CREATE');
        const before = group.rows.filter(row => row.operation === 'UPDATE' || row.operation === 'DELETE');
        describe(`${group.file}, objects that are new`, () => describeGroup(group, present));
        if (before.length > 0) describe(`${group.file}, objects that were there`, () => describeGroup(group, before));
      }
    }

    it('executed every row that this release serves', () => {
      report(name, plan, executed);
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
          const decision = decisions(standalone.entries().slice(from), subjectOf(row.operation, object as unknown as Thing)).get(`${key}/${row.rule}`);
          expect(decision?.status ?? 'skip').toBe(row.expected);
        });
      }
    }

    function describeGroup(group: PolicyGroup, rows: readonly GuideRow[]): void {
      const outcomes = new Map<string, Promise<Outcome>>();
      const wanted = new Map<string, JsonObject>();
      const made = new Set<string>();

      beforeAll(async () => {
        const {operator} = run();
        for (const row of rows) {
          const object = guideObject(root, row.oldResource ?? row.resource) as unknown as Thing;
          made.add(pathOf(object));
          if (row.operation !== 'CREATE') await write(operator, object);
          if (row.outcome !== undefined && row.expected === 'mutated') wanted.set(row.id, await asStored(operator, guideObject(root, row.outcome)));
        }
        const {code, stderr} = await apply(operator, root, group.file);
        if (code !== 0) throw new Error(stderr);
        if (!group.later) await allServed(operator, group.policies);
        else for (const policy of group.policies.filter(isPolicy)) await verdictOf(operator, policy);
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
        expect(stored).toHaveLength(group.policies.length);
        for (const {apiVersion, kind, metadata, spec} of stored) {
          const sent = JSON.parse(metadata.annotations?.['kubectl.kubernetes.io/last-applied-configuration'] ?? '') as Thing;
          expect({apiVersion, kind, spec}).toEqual({apiVersion: sent.apiVersion, kind: sent.kind, spec: sent.spec});
        }
      });

      if (group.later) {
        it('is stored, and says that it is not served', async () => {
          for (const policy of group.policies.filter(isPolicy)) {
            const ready = await verdictOf(run().operator, policy);
            expect(ready).toMatchObject({status: 'False', message: expect.stringContaining('not served')});
          }
        });
      }

      // Rows that leave no trace come last: by then all that could have left one is done.
      const served = rows.filter(row => !isLater(group, row));
      for (const row of [...served.filter(({expected}) => expected !== 'skip'), ...served.filter(({expected}) => expected === 'skip')]) {
        check(row, [row.expected, row.admission].filter(word => word !== undefined).join(', '), async () => {
          const key = `${row.operation} ${row.resource}`;
          let outcome = outcomes.get(key);
          if (outcome === undefined) outcomes.set(key, (outcome = request(run(), root, row)));
          await judge(group, row, {outcome: await outcome, wanted: wanted.get(row.id)});
        });
      }
    }

    async function judge(group: PolicyGroup, row: GuideRow, {outcome, wanted}: {outcome: Outcome; wanted: JsonObject | undefined}) {
      const {operator, log} = run();
      const told = `${outcome.status} ${outcome.body.message ?? ''}`;
      if (row.admission === 'allowed' || row.expected === 'mutated') expect(outcome.status, told).toBeLessThan(300);
      if (row.admission === 'denied') expect(outcome.status, told).toBeGreaterThanOrEqual(400);
      const key = policyKeyOf(group, row);
      const found = () => decisions(log.entries().slice(outcome.from), outcome.subject).get(`${key}/${row.rule}`);
      const messages = messagesOf(row);
      switch (row.expected) {
        case 'pass':
        case 'fail': {
          const decision = await eventually(found, {what: `verdict of ${key}/${row.rule} on ${outcome.subject}`, everyMs: 20});
          const status = decision.status === 'error' && row.expected === 'fail' ? 'fail' : decision.status;
          expect(status, decision.text).toBe(row.expected);
          for (const message of messages) expect(flat(decision.text)).toContain(flat(message));
          if (row.admission === 'denied') {
            for (const part of [...messages, 'denied the request', key.slice(key.indexOf('/') + 1), row.rule!]) expect(flat(outcome.body.message)).toContain(flat(part));
          }
          if (row.expected === 'pass' && outcome.status >= 400) expect(outcome.body.message).not.toMatch(new RegExp(`^\\s*${row.rule}:`, 'm'));
          if (row.admission === 'allowed' && row.expected === 'fail') {
            const note = await eventOn(operator, outcome, `policy ${key}/${row.rule} `);
            for (const message of messages) expect(flat(note)).toContain(flat(message));
          }
          return;
        }
        case 'mutated': {
          expect(settled(outcome.body)).toEqual(settled(wanted!));
          const object = guideObject(root, row.resource);
          const written = guideObject(root, row.outcome!);
          const offline = await mutateOffline(group.policies as unknown as JsonObject[], object);
          expect(offline).toEqual(placedLike(offline, written));
          expect(await mutateStandalone(standalone, key, object)).toEqual(offline);
          return;
        }
        case 'skip': {
          if (messages.length > 0) {
            const decision = await eventually(found, {what: `verdict of ${key}/${row.rule} on ${outcome.subject}`, everyMs: 20});
            expect(decision.status).toBe('skip');
            for (const message of messages) expect(flat(decision.text)).toContain(flat(message));
          }
          expect(found()?.status ?? 'skip').toBe('skip');
          return;
        }
        default:
          throw new Error(`${row.id}: nothing judges ${row.expected}`);
      }
    }
  });
}

/** Sends what the row says to the API server, once. */
async function request({operator, log}: GuideRun, root: string, row: GuideRow): Promise<Outcome> {
  const {cluster} = operator;
  const object = guideObject(root, row.resource) as unknown as Thing;
  const from = log.entries().length;
  const subject = subjectOf(row.operation, object);
  const answer = async () => {
    if (row.operation === 'CREATE') return cluster.request('POST', collectionOf(object), object);
    if (row.operation === 'DELETE') return cluster.request('DELETE', pathOf(object));
    if (row.oldResource === undefined) return cluster.request('PUT', pathOf(object), (await cluster.request('GET', pathOf(object))).body);
    return cluster.request('PATCH', `${pathOf(object)}?fieldManager=test&force=true`, object, {contentType: 'application/apply-patch+yaml'});
  };
  const {status, body} = await answer();
  return {status, body: body as Outcome['body'], from, subject};
}

/** As log lines name a request. */
function subjectOf(operation: string, {kind, metadata}: Thing): string {
  const cluster = kind === 'Namespace';
  return `${operation} ${kind} ${cluster ? '' : `${metadata.namespace ?? 'default'}/`}${metadata.name}`;
}

/** Verdicts on one request by `policy/rule`. */
function decisions(entries: readonly LogEntry[], subject: string): Map<string, Decision> {
  const found = new Map<string, Decision>();
  for (const {message, ...fields} of entries) {
    const match = /^rule (\S+) (\w+) on (.*)$/.exec(message);
    if (match?.[3] === subject) found.set(match[1]!, {status: match[2]!, text: String(fields['text'])});
  }
  return found;
}

/** Text of the Event on the object that was made. */
function eventOn({cluster}: OperatorCluster, {body}: Outcome, start: string): Promise<string> {
  const uid = body.metadata?.uid;
  return eventually(
    async () => {
      const {body: list} = await cluster.request<{items: {regarding: {uid?: string}; note: string}[]}>('GET', '/apis/events.k8s.io/v1/events');
      return list.items.find(({regarding, note}) => regarding.uid === uid && note.startsWith(start))?.note;
    },
    {what: `an Event on the object: ${start}`, everyMs: 50},
  );
}

/** What the API server itself makes of an object while no policy is there. */
async function asStored({cluster}: OperatorCluster, object: JsonObject): Promise<JsonObject> {
  const {status, body} = await cluster.request<JsonObject>('POST', `${collectionOf(object as unknown as Thing)}?dryRun=All`, object);
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body;
}

async function writeAs({cluster}: OperatorCluster, root: string, row: GuideRow): Promise<void> {
  const rbac = join(root, String(row.context?.['rbac']));
  await cluster.kubectl(['apply', '-f', rbac]);
  const {username, groups} = row.userInfo as {username: string; groups: string[]};
  const as = ['--as', username, ...groups.flatMap(group => ['--as-group', group])];
  const {code, stderr} = await cluster.kubectl(['create', '-f', join(root, row.resource), '--dry-run=server', ...as], {allowFailure: true});
  expect(code === 0, stderr).toBe(row.admission === 'allowed');
  for (const message of messagesOf(row)) expect(stderr).toContain(message);
  await cluster.kubectl(['delete', '-f', rbac]);
}

function apply({cluster}: OperatorCluster, root: string, file: string) {
  return cluster.kubectl(['apply', '-f', join(root, file)], {allowFailure: true});
}

async function remove({cluster}: OperatorCluster, path: string): Promise<void> {
  await cluster.request('DELETE', `${path}?gracePeriodSeconds=0&propagationPolicy=Background`);
  await eventually(async () => (await cluster.request('GET', path)).status === 404, {what: `${path} gone`, everyMs: 20});
}

/** Namespaces with the ServiceAccount that Pods need. */
export async function createNamespaces({cluster}: Pick<OperatorCluster, 'cluster'>, names: readonly string[]): Promise<void> {
  for (const name of names) await cluster.request('POST', '/api/v1/namespaces', {apiVersion: 'v1', kind: 'Namespace', metadata: {name}});
  for (const name of names) {
    const path = `/api/v1/namespaces/${name}/serviceaccounts/default`;
    await eventually(async () => (await cluster.request('GET', path)).status === 200, {what: path});
  }
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

function report(name: string, plan: GuidePlan, executed: ReadonlySet<string>): void {
  const verdicts = [...new Set(plan.rows.map(({expected}) => expected))].sort();
  const lines = verdicts.map(verdict => {
    const rows = plan.rows.filter(({expected}) => expected === verdict);
    const later = rows.filter(row => plan.later.includes(row)).length;
    const done = rows.filter(({id}) => executed.has(id)).length;
    return `  ${verdict}: ${done}/${rows.length - later}${later === 0 ? '' : `, later ${later}`}`;
  });
  console.log([`${name}: rows executed/total`, ...lines, `  all: ${executed.size}/${plan.rows.length - plan.later.length}, later ${plan.later.length}`].join('\n'));
}

function flat(text: string | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ');
}
