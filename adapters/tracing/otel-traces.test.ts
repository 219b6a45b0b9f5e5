import {afterEach, describe, expect, it} from 'vitest';
import {createLogger} from '../log/logger.js';
import {createOtelTraces} from './otel-traces.js';
import {createSpanExporter} from './span-exporter.js';
import {startCollector, type TestCollector} from './testing/collector.js';
import {traceTarget} from './trace-target.js';
import type {SpanRecord} from './types.js';

const at = 1_790_000_000_000;
const span = (name: string, children: readonly SpanRecord[] = [], more: Partial<SpanRecord> = {}): SpanRecord => ({
  name,
  start: at,
  end: at + 1.5,
  attributes: {'a.text': 'x', 'a.flag': true, 'a.number': 3, 'a.list': ['p', 'q']},
  children,
  ...more,
});

describe('the address of a collector', () => {
  it.each([
    ['collector', 4317, false, 'grpc', 'http://collector:4317/'],
    ['collector', 4317, true, 'grpc', 'https://collector:4317/'],
    ['collector', 4318, false, 'http', 'http://collector:4318/v1/traces'],
    ['http://collector', 4319, false, 'http', 'http://collector:4319/v1/traces'],
    ['http://collector:80/own', 4317, false, 'http', 'http://collector/own'],
    ['https://collector:9999', 4317, false, 'http', 'https://collector:9999/v1/traces'],
    ['fd00::1', 4317, false, 'grpc', 'http://[fd00::1]:4317/'],
  ] as const)('%s on port %s', (address, port, secure, protocol, url) => {
    const target = traceTarget(address, port, secure);
    expect([target.protocol, target.url.href]).toEqual([protocol, url]);
  });

  it.each(['', 'a b', 'http://'])('is refused when it is %s', address => {
    expect(() => traceTarget(address, 4317, false)).toThrow('tracingAddress');
  });
});

describe.each(['grpc', 'http'] as const)('traces by %s', protocol => {
  let collector: TestCollector;
  const lines: string[] = [];
  const log = createLogger({format: 'text', verbosity: 0, write: line => lines.push(line)});
  afterEach(() => collector.close());

  async function sent(script: readonly number[], records = [{parent: undefined, root: span('root', [span('load'), span('evaluate', [span('POLICY /p', [], {error: 'r fail'})])])}]) {
    collector = await startCollector(protocol);
    collector.script.push(...script);
    const target = traceTarget(protocol === 'grpc' ? '127.0.0.1' : 'http://127.0.0.1', collector.port, false);
    const traces = createOtelTraces({target, log, version: '1', resource: {'service.name': 'kyverno-admission-controller'}});
    for (const record of records) traces.submit(record);
    await traces.stop(10_000);
    return collector.spans;
  }

  it('arrive as one tree', async () => {
    const spans = await sent([]);
    const byName = new Map(spans.map(one => [one.name, one]));
    expect([...byName.keys()].sort()).toEqual(['POLICY /p', 'evaluate', 'load', 'root']);
    const root = byName.get('root')!;
    expect(root.parentSpanId).toBe('');
    expect(byName.get('load')?.parentSpanId).toBe(root.spanId);
    expect(byName.get('POLICY /p')?.parentSpanId).toBe(byName.get('evaluate')?.spanId);
    expect(new Set(spans.map(one => one.traceId)).size).toBe(1);
    expect(root.attributes).toEqual({'a.text': 'x', 'a.flag': true, 'a.number': 3, 'a.list': ['p', 'q']});
    expect(root.end - root.start).toBe(1_500_000n);
    expect(root.start).toBe(BigInt(at) * 1_000_000n);
    expect([byName.get('POLICY /p')?.failed, root.failed]).toEqual([true, false]);
    expect(root.resource['service.name']).toBe('kyverno-admission-controller');
    expect(collector.requests[0]).toEqual(
      protocol === 'grpc'
        ? {path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export', type: 'application/grpc'}
        : {path: '/v1/traces', type: 'application/x-protobuf'},
    );
  });

  it('go on in the trace of the caller', async () => {
    const parent = {traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', sampled: true};
    collector = await startCollector(protocol);
    const target = traceTarget(protocol === 'grpc' ? '127.0.0.1' : 'http://127.0.0.1', collector.port, false);
    const traces = createOtelTraces({target, log, version: '1', resource: {}});
    traces.submit({parent, root: span('root')});
    await traces.stop(10_000);
    expect(collector.spans[0]).toMatchObject({traceId: parent.traceId, parentSpanId: parent.spanId});
  });

  it('are sent again when the collector asks for that, and given up with one line when it refuses', async () => {
    collector = await startCollector(protocol);
    const [busy, wrong] = protocol === 'grpc' ? [14, 3] : [503, 400];
    collector.script.push(busy, busy);
    const target = traceTarget(protocol === 'grpc' ? '127.0.0.1' : 'http://127.0.0.1', collector.port, false);
    const {createGrpcSender} = await import('./grpc-sender.js');
    const {createHttpSender} = await import('./http-sender.js');
    const sender = protocol === 'grpc' ? createGrpcSender(target.url, undefined) : createHttpSender(target.url, undefined);
    const exporter = createSpanExporter({sender, log, retryMs: 1});
    const result = () => new Promise<number>(resolve => exporter.export([], outcome => resolve(outcome.code)));
    lines.length = 0;
    expect(await result()).toBe(0);
    expect(collector.requests).toHaveLength(3);
    collector.script.push(wrong, wrong);
    expect([await result(), await result()]).toEqual([1, 1]);
    expect(collector.requests).toHaveLength(5);
    expect(lines.filter(line => line.includes('could not be delivered'))).toHaveLength(1);
    await exporter.shutdown();
  });
});
