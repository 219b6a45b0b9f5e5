import {beforeEach, describe, expect, it} from 'vitest';
import {createManualClock, type ManualClock} from '../../adapters/clock/manual-clock.js';
import {turns} from '../../adapters/kube/testing/eventually.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLogger} from '../../adapters/log/logger.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {ExpectedFindings} from './expected-findings.js';
import {compactReport} from './fingerprint.js';
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

describe('a mirror that is behind', () => {
  const metrics = {dropped: {inc: () => undefined}, writes: {inc: () => undefined}, watch: () => undefined};
  const said = (rule: string, status: 'pass' | 'fail'): ReportResult => ({...result(rule), status});

  function world() {
    const clock = createManualClock();
    let version = 0;
    let stored: JsonObject | undefined;
    let mirrored: JsonObject | undefined;
    let gate: Promise<void> | undefined;
    const client = {
      async request({body}: {readonly body: JsonObject}) {
        await gate;
        version += 1;
        stored = {...body, metadata: {...(body['metadata'] as JsonObject), resourceVersion: String(version)}};
        return {body: {metadata: stored['metadata']}};
      },
      async delete() {
        stored = undefined;
      },
      get: async () => structuredClone(stored),
    } as unknown as KubeClient;
    const mirror = {size: 0, get: () => mirrored};
    const writer = createReportWriter({client, clock, log: silentLogger, api: policyReportApi, metrics: metrics as never, mirror: () => mirror as never, maxPending: 10, concurrency: () => 1});
    return {
      clock,
      writer,
      verdict: () => ownPath((stored?.['results'] as JsonObject[] | undefined)?.[0], 'result'),
      version: () => version,
      hear() {
        mirrored = stored && compactReport(structuredClone(stored));
      },
      hold() {
        let open: () => void = () => undefined;
        gate = new Promise<void>(resolve => {
          open = resolve;
        });
        return () => {
          gate = undefined;
          open();
        };
      },
      async pass(ms: number) {
        for (let passed = 0; passed < ms; passed += 100) {
          await turns(2);
          clock.advance(100);
        }
        await turns(5);
      },
    };
  }

  it('hides no verdict that flips back while its report is written, or was a moment ago', async () => {
    const {writer, verdict, hear, hold, pass, version} = world();
    writer.add(subject, [said('r', 'pass')]);
    await pass(1_500);
    hear();
    writer.add(subject, [said('r', 'fail')]);
    const release = hold();
    await pass(1_500);
    writer.add(subject, [said('r', 'pass')]);
    release();
    await pass(1_500);
    expect([verdict(), version()]).toEqual(['pass', 3]);
    writer.add(subject, [said('r', 'fail')]);
    await pass(1_500);
    // Of the version before: it says pass.
    writer.add(subject, [said('r', 'pass')]);
    await pass(1_500);
    expect(verdict()).toBe('pass');
    hear();
    writer.add(subject, [said('r', 'pass')]);
    await pass(1_500);
    expect(version()).toBe(5);
  });

  it('is no reason to take a report for none', async () => {
    const {writer, verdict, pass} = world();
    writer.add(subject, [said('r', 'fail')]);
    await pass(1_500);
    writer.replace(subject, [], () => true);
    await pass(1_500);
    expect(verdict()).toBeUndefined();
  });

  it('an older verdict does not follow a newer one', async () => {
    const {writer, verdict, pass, clock, hear} = world();
    await pass(10_000);
    writer.add(subject, [said('r', 'pass')], clock.now());
    writer.add(subject, [said('r', 'fail')], clock.now() - 3_000);
    await pass(1_500);
    expect(verdict()).toBe('pass');
    hear();
    writer.replace(subject, [said('r', 'fail')], () => true, clock.now() - 5_000);
    await pass(1_500);
    expect(verdict()).toBe('pass');
    writer.replace(subject, [said('r', 'fail')], () => true);
    await pass(1_500);
    expect(verdict()).toBe('fail');
  });

  it('what was found in a request that another webhook refused is not told, whichever is heard first', async () => {
    const {writer, verdict, pass, clock, version} = world();
    const refusal = {subject, time: clock.now(), created: true, digest: ''};
    writer.addReviewed(subject, [said('r', 'fail')], {time: clock.now()});
    writer.refuse(refusal);
    await pass(1_500);
    writer.addReviewed(subject, [said('r', 'fail')], {time: clock.now()});
    await pass(1_500);
    expect(version()).toBe(0);
    const other = {...subject, uid: 'uid-other'};
    writer.refuse({subject: other, time: clock.now(), created: false, digest: 'refused'});
    writer.addReviewed(other, [said('r', 'fail')], {time: clock.now(), digest: 'refused'});
    await pass(1_500);
    expect(version()).toBe(0);
    writer.addReviewed(other, [said('r', 'fail')], {time: clock.now(), digest: 'allowed'});
    writer.add(subject, [said('made', 'pass')]);
    await pass(1_500);
    expect([version(), verdict()]).toEqual([2, 'pass']);
  });
});
