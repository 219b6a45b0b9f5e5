import {afterEach, describe, expect, it} from 'vitest';
import {createManualClock} from '../../adapters/clock/manual-clock.js';
import type {RunTrace} from '../../engine/types.js';
import {type Harness, podReview, policy, rule, scriptedEngine, settle, startHarness} from '../testing/harness.js';
import {RequestTrace} from './request-trace.js';
import {traceParentOf} from './trace-parent.js';
import type {SpanRecord, TraceRecord} from '../../adapters/tracing/types.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('trace context', () => {
  it('is read from its header', () => {
    expect(traceParentOf({traceparent: `00-${traceId}-${spanId}-01`, tracestate: 'a=b'})).toEqual({traceId, spanId, sampled: true, state: 'a=b'});
    expect(traceParentOf({traceparent: `00-${traceId}-${spanId}-00`})?.sampled).toBe(false);
    expect(traceParentOf({traceparent: `01-${traceId}-${spanId}-03-more`})?.sampled).toBe(true);
  });

  it.each(['', 'x', `00-${traceId}-${spanId}`, `ff-${traceId}-${spanId}-01`, `00-${'0'.repeat(32)}-${spanId}-01`, `00-${traceId}-${'0'.repeat(16)}-01`, `00-${traceId}-${spanId}-01-x`, `00-${traceId.toUpperCase()}-${spanId}-01`])(
    'counts as absent when it is %s',
    traceparent => {
      expect(traceParentOf({traceparent})).toBeUndefined();
    },
  );
});

describe('the trace of a request', () => {
  const refs = ['one', 'two'].map(name => policy(name, [rule('r', {status: name === 'two' ? 'fail' : 'pass'})]));

  it('has five steps that follow one another, and a span per policy', () => {
    const clock = createManualClock(1_000_000);
    const trace = new RequestTrace(clock, {parent: undefined, started: clock.monotonic(), receivedAt: clock.now()});
    clock.advance(1);
    trace.loaded();
    clock.advance(2);
    trace.matched(2);
    for (const result of refs) {
      const ended = trace.policy(result.policy);
      clock.advance(3);
      ended(result);
    }
    const late = trace.policy(refs[0]!.policy);
    clock.advance(4);
    trace.acted();
    late(refs[0]);
    clock.advance(5);
    const {root} = trace.finish({name: 'n', attributes: {}});
    expect([root.start, root.end]).toEqual([1_000_000, 1_000_018]);
    expect(root.children.map(({name, start, end}) => [name, end - start])).toEqual([
      ['load', 1],
      ['match', 2],
      ['evaluate', 6],
      ['act', 4],
      ['answer', 5],
    ]);
    root.children.reduce((before, span) => {
      expect(span.start).toBe(before);
      return span.end;
    }, root.start);
    expect(root.children[2]?.children.map(({name, error, attributes}) => [name, error, attributes['kyverno.rule.result']])).toEqual([
      ['POLICY /one', undefined, ['pass']],
      ['POLICY /two', 'r fail', ['fail']],
    ]);
  });

  it('is bounded in policies', () => {
    const clock = createManualClock();
    const trace = new RequestTrace(clock, {parent: undefined, started: 0, receivedAt: 0});
    trace.loaded();
    for (let index = 0; index < 700; index += 1) trace.policy(refs[0]!.policy)(refs[0]);
    const evaluate = trace.finish({name: 'n', attributes: {}}).root.children[2]!;
    expect(evaluate.children).toHaveLength(500);
    expect(evaluate.attributes).toMatchObject({'kyverno.policies.evaluated': 700, 'kyverno.policies.without_span': 200});
  });
});

describe('the server', () => {
  let harness: Harness | undefined;
  afterEach(() => harness?.close());

  const run = (trace: RunTrace | undefined) => {
    trace?.loaded();
    trace?.matched(1);
    const result = policy('p', [rule('r', {status: 'fail'})]);
    trace?.policy(result.policy)(result);
    return {results: [result]};
  };

  async function traced(headers: Record<string, string> = {}): Promise<TraceRecord[]> {
    const traces: TraceRecord[] = [];
    harness = await startHarness({
      traces: {
        submit(trace) {
          traces.push(trace);
          return {traceId, spanId};
        },
      },
      engine: scriptedEngine({validate: (_, call) => (call.bucket === 'enforce' ? run(call.trace) : {results: []})}),
    });
    await harness.call({path: '/validate/fail', body: podReview(), headers});
    return traces;
  }
  const names = ({children}: SpanRecord): string[] => children.flatMap(child => [child.name, ...names(child)]);

  it('traces a request in the caller’s trace, without its object', async () => {
    const [trace, ...more] = await traced({traceparent: `00-${traceId}-${spanId}-01`});
    expect(more).toEqual([]);
    expect(trace?.parent).toEqual({traceId, spanId, sampled: true});
    expect(names(trace!.root)).toEqual(['load', 'match', 'evaluate', 'POLICY /p', 'act', 'answer']);
    expect(trace?.root).toMatchObject({
      name: 'ADMISSION CREATE Pod',
      attributes: {'kyverno.decision.id': 'u-1', 'admission.request.namespace': 'shop', 'admission.response.allowed': false, 'http.route': '/validate/fail'},
    });
    expect(JSON.stringify(trace)).not.toContain('containers');
  });

  it('traces what follows the answer as what it is', async () => {
    const traces: TraceRecord[] = [];
    let go: () => void = () => undefined;
    const late = new Promise<void>(resolve => (go = resolve));
    harness = await startHarness({
      traces: {
        submit(trace) {
          traces.push(trace);
          return {traceId, spanId};
        },
      },
      engine: scriptedEngine({
        validate: (_, {bucket, trace}) => (bucket === 'audit' ? late.then(() => run(trace)) : {results: []}),
      }),
    });
    await harness.call({path: '/validate/fail', body: podReview()});
    expect(traces.map(({root}) => root.name)).toEqual(['ADMISSION CREATE Pod']);
    go();
    await settle();
    expect(traces[1]).toMatchObject({link: {traceId, spanId}, root: {name: 'AUDIT CREATE Pod', attributes: {'kyverno.decision.id': 'u-1'}}});
    expect(names(traces[1]!.root)).toEqual(['POLICY /p']);
  });

  it('traces none that the caller does not want traced', async () => {
    expect(await traced({traceparent: `00-${traceId}-${spanId}-00`})).toEqual([]);
  });
});
