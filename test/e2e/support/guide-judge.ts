import {expect} from 'vitest';
import {type JsonObject, own} from '../../../engine/json/types.js';
import {eventually} from '../../cluster/eventually.js';
import {type GuideRow, guideObject, messagesOf} from '../../guide/load.js';
import type {GuideContext, GuideRun} from './guide-context.js';
import {judgeGenerated, judgeNothingGenerated} from './guide-generated.js';
import {type PolicyGroup, policyKeyOf} from './guide-plan.js';
import {judgeScan} from './guide-reports.js';
import type {LogEntry} from './log-reader.js';
import {judgeOffline, mutateOffline, mutateStandalone, placedLike, settled} from './mutations.js';
import type {OperatorCluster} from './operator-cluster.js';
import {collectionOf, pathOf, type Thing} from './policies.js';

/** What the API server answered to one request of a row, and where its log lines begin. */
export interface Outcome {
  readonly status: number;
  readonly body: JsonObject & {readonly message?: string; readonly metadata?: {readonly uid?: string}};
  readonly from: number;
  readonly subject: string;
}

interface Decision {
  readonly status: string;
  readonly text: string;
}

export interface Given {
  readonly group: PolicyGroup;
  readonly row: GuideRow;
  readonly outcome: Outcome;
  readonly alone: JsonObject | undefined;
  readonly wanted: JsonObject | undefined;
}

/** Compares what happened with what the row says. */
export async function judgeRow(context: GuideContext, {group, row, outcome, alone, wanted}: Given): Promise<void> {
  const {root, completed} = context;
  const {operator, log} = context.run();
  if (row.operation === 'BACKGROUND') return judgeScan(context, group, row);
  if (row.operation === 'CREATE' && row.expected !== 'mutated' && row.expected !== 'generated') {
    const rule = `${policyKeyOf(group, row)}/${row.rule}`;
    const asWritten = await judgeOffline(objectsOf(group), rule, guideObject(root, row.resource));
    const seen = alone === undefined ? 'refused' : await judgeOffline(objectsOf(group), rule, alone);
    if (seen !== asWritten) {
      // The API server completes the object (or refuses it) before it asks anybody: as written it never arrives.
      completed.push(`${row.id} (${seen})`);
      expect(asWritten === 'error' ? 'fail' : asWritten).toBe(row.expected);
      expect(outcome.status >= 400, String(outcome.body.message)).toBe(seen !== 'pass' && seen !== 'skip');
      return;
    }
  }
  const told = `${outcome.status} ${outcome.body.message ?? ''}`;
  if (row.admission === 'allowed' || row.expected === 'mutated' || row.expected === 'generated') expect(outcome.status, told).toBeLessThan(300);
  if (row.admission === 'denied') expect(outcome.status, told).toBeGreaterThanOrEqual(400);
  const key = policyKeyOf(group, row);
  const found = () => decisions(log.entries().slice(outcome.from), outcome.subject).get(`${key}/${row.rule}`);
  const messages = messagesOf(row);
  switch (row.expected) {
    case 'pass':
    case 'fail': {
      const decision = await eventually(found, {
        what: `verdict of ${key}/${row.rule} on ${outcome.subject}`,
        everyMs: 20,
      });
      const status = decision.status === 'error' && row.expected === 'fail' ? 'fail' : decision.status;
      expect(status, decision.text).toBe(row.expected);
      for (const message of messages) expect(flat(decision.text)).toContain(flat(message));
      if (row.admission === 'denied') {
        for (const part of [...messages, 'denied the request', key.slice(key.indexOf('/') + 1), row.rule!])
          expect(flat(outcome.body.message)).toContain(flat(part));
      }
      if (row.expected === 'pass' && outcome.status >= 400)
        expect(outcome.body.message).not.toMatch(new RegExp(`^\\s*${row.rule}:`, 'm'));
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
      const offline = await mutateOffline(objectsOf(group), object);
      expect(offline).toEqual(placedLike(offline, written));
      expect(await mutateStandalone(context.standalone(), key, object)).toEqual(offline);
      return;
    }
    case 'generated':
      return judgeGenerated(context, row);
    case 'skip': {
      if (isGenerateRule(group, row)) await judgeNothingGenerated(context, stored(outcome, guideObject(root, row.resource)));
      if (messages.length > 0) {
        const decision = await eventually(found, {
          what: `verdict of ${key}/${row.rule} on ${outcome.subject}`,
          everyMs: 20,
        });
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

/** Sends what the row says to the API server, once. */
export async function sendRow({operator, log}: GuideRun, root: string, row: GuideRow): Promise<Outcome> {
  const {cluster} = operator;
  const object = guideObject(root, row.resource) as unknown as Thing;
  const from = log.entries().length;
  const subject = subjectOf(row.operation, object);
  const answer = async () => {
    // A scan needs no request.
    if (row.operation === 'BACKGROUND') return {status: 200, body: {}};
    if (row.operation === 'CREATE') return cluster.request('POST', collectionOf(object), object);
    if (row.operation === 'DELETE') return cluster.request('DELETE', pathOf(object));
    if (row.oldResource === undefined)
      return cluster.request('PUT', pathOf(object), (await cluster.request('GET', pathOf(object))).body);
    return cluster.request('PATCH', `${pathOf(object)}?fieldManager=test&force=true`, object, {
      contentType: 'application/apply-patch+yaml',
    });
  };
  const {status, body} = await answer();
  return {status, body: body as Outcome['body'], from, subject};
}

function isGenerateRule(group: PolicyGroup, row: GuideRow): boolean {
  const rules = group.policies.flatMap(({spec}) => (spec as {rules?: JsonObject[]} | undefined)?.rules ?? []);
  return rules.some(rule => own(rule, 'name') === row.rule && own(rule, 'generate') !== undefined);
}

/** In the namespace that the API server put it into. */
function stored({body}: Outcome, written: JsonObject): Thing {
  const object = written as unknown as Thing;
  const namespace = (body.metadata as Thing['metadata'] | undefined)?.namespace;
  return {...object, metadata: {...object.metadata, ...(namespace !== undefined && {namespace})}};
}

/** As log lines name a request. */
export function subjectOf(operation: string, {kind, metadata}: Thing): string {
  // The namespace of a request about a Namespace is that Namespace.
  const namespace = kind === 'Namespace' ? metadata.name : (metadata.namespace ?? 'default');
  return `${operation} ${kind} ${namespace}/${metadata.name}`;
}

/** Verdicts on one request by `policy/rule`. */
export function decisions(entries: readonly LogEntry[], subject: string): Map<string, Decision> {
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
      const {body: list} = await cluster.request<{items: {regarding: {uid?: string}; note: string}[]}>(
        'GET',
        '/apis/events.k8s.io/v1/events',
      );
      return list.items.find(({regarding, note}) => regarding.uid === uid && note.startsWith(start))?.note;
    },
    {what: `an Event on the object: ${start}`, everyMs: 50},
  );
}

export function objectsOf(group: PolicyGroup): JsonObject[] {
  return group.policies as unknown as JsonObject[];
}

export function flat(text: string | undefined): string {
  return (text ?? '').replace(/\s+/g, ' ');
}
