import {beforeEach, describe, expect, it} from 'vitest';
import {createManualClock, type ManualClock} from '../../adapters/clock/manual-clock.js';
import {turns} from '../../adapters/kube/testing/eventually.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLogger} from '../../adapters/log/logger.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {ExpectedFindings} from './expected-findings.js';
import {policyReportApi} from './report-kinds.js';
import type {ReportResult} from './report-result.js';
import {createReportWriter, type ReportWriter} from './report-writer.js';

const subject = {apiVersion: 'v1', kind: 'Namespace', namespace: '', name: 'shop', uid: 'uid-shop'};
const result = (rule: string): ReportResult => ({source: 'kyverno', policy: 'p', rule, status: 'pass', message: 'm', scored: true, category: undefined, severity: undefined, properties: {}, part: ''});

describe('what is said of an object on which work is under way', () => {
  let clock: ManualClock;
  let expected: ExpectedFindings;
  let writer: ReportWriter;
  /** Rules of each report that was written, and when. */
  let written: Array<readonly [number, string]>;
  let stored: JsonObject | undefined;

  beforeEach(() => {
    clock = createManualClock();
    expected = new ExpectedFindings();
    written = [];
    stored = undefined;
    const client = {
      async request({body}: {readonly body: JsonObject}) {
        if (stored !== undefined && ownPath(body, 'metadata', 'resourceVersion') === undefined) throw new Error('it is there');
        stored = {...body, metadata: {...(body['metadata'] as JsonObject), resourceVersion: '1'}};
        written.push([clock.monotonic(), (body['results'] as JsonObject[]).map(({rule}) => String(rule)).join(' ')]);
      },
      get: async () => stored,
    } as unknown as KubeClient;
    const heard = {marks: [], whos: []};
    const mirror = {size: 0, get: () => (stored === undefined ? undefined : {compact: heard})};
    const metrics = {dropped: {inc: () => undefined}, writes: {inc: () => undefined}, watch: () => undefined};
    writer = createReportWriter({client, clock, log: silentLogger, api: policyReportApi, metrics: metrics as never, mirror: () => mirror as never, maxPending: 10, concurrency: () => 1, isExpected: uid => expected.has(uid)});
    expected.subscribe(uid => writer.hurry(uid));
  });

  async function pass(ms: number): Promise<void> {
    await turns(5);
    for (let passed = 0; passed < ms; passed += 100) {
      clock.advance(100);
      await turns(5);
    }
  }

  it('is one write, though the work takes longer than results settle', async () => {
    expected.expect(subject.uid, 'work');
    writer.add(subject, [result('review')]);
    await pass(2_500);
    expect(written).toEqual([]);
    writer.add(subject, [result('work')]);
    expected.over('work');
    await pass(10_000);
    expect(written).toEqual([[2_500, 'review work']]);
  });

  it('settles as ever where the work is over before', async () => {
    expected.expect(subject.uid, 'work');
    writer.add(subject, [result('review')]);
    await pass(300);
    writer.add(subject, [result('work')]);
    expected.over('work');
    await pass(10_000);
    expect(written).toEqual([[1_000, 'review work']]);
  });

  it('is one write for several works that end one after the other', async () => {
    expected.expect(subject.uid, 'first');
    expected.expect(subject.uid, 'second');
    writer.add(subject, [result('review')]);
    await pass(1_500);
    writer.add(subject, [result('first')]);
    expected.over('first');
    await pass(2_000);
    writer.add(subject, [result('second')]);
    expected.over('second');
    await pass(10_000);
    expect(written).toEqual([[3_500, 'first review second']]);
  });

  it('is not kept back for more than four seconds, and the rest follows', async () => {
    expected.expect(subject.uid, 'work');
    writer.add(subject, [result('review')]);
    await pass(3_900);
    expect(written).toEqual([]);
    await pass(3_100);
    expect(written).toEqual([[4_000, 'review']]);
    writer.add(subject, [result('work')]);
    expected.over('work');
    await pass(2_000);
    expect(written).toEqual([[4_000, 'review'], [8_000, 'review work']]);
  });

  it('is written at the end, whatever is expected', async () => {
    expected.expect(subject.uid, 'work');
    writer.add(subject, [result('review')]);
    const stopped = writer.stop();
    await pass(1_000);
    await stopped;
    expect(written.map(([, rules]) => rules)).toEqual(['review']);
  });
});
