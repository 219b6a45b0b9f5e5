import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createKubeClient} from '../../adapters/kube/client.js';
import {startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLogger} from '../../adapters/log/logger.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {adoptEphemeralReports} from './adopt-ephemeral.js';
import type {ReportSubject} from './merge-report.js';
import {policyReportApi} from './report-kinds.js';
import type {ReportResult} from './report-result.js';

const ephemeral = 'apis/reports.kyverno.io/v1/ephemeralreports';
const reports = 'apis/wgpolicyk8s.io/v1alpha2/policyreports';
let server: TestApiServer;
let client: KubeClient;
let added: Array<{readonly subject: ReportSubject; readonly results: readonly ReportResult[]}>;

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'test', qps: 0, burst: 0, log: silentLogger});
  added = [];
  server.put('api/v1/configmaps', {apiVersion: 'v1', kind: 'ConfigMap', metadata: {namespace: 'shop', name: 'there', uid: 'uid-there'}});
});

afterEach(async () => {
  client.close();
  await server.close();
});

const result = (policy: string, seconds: number): JsonObject => ({policy, rule: 'r', result: 'fail', source: 'kyverno', scored: true, timestamp: {seconds, nanos: 0}});

function put(name: string, uid: string, results: JsonObject[], labels: JsonObject = {'app.kubernetes.io/managed-by': 'kyverno'}): void {
  server.put(ephemeral, {apiVersion: 'reports.kyverno.io/v1', kind: 'EphemeralReport', metadata: {namespace: 'shop', name, labels}, spec: {owner: {apiVersion: 'v1', kind: 'ConfigMap', name: uid.slice(4), uid}, results}});
}

/** Of these policies scans say nothing. */
async function adopt(...unscanned: readonly string[]): Promise<number> {
  return adoptEphemeralReports({
    client,
    log: silentLogger,
    resources: builtinResourceMap,
    writer: {add: (subject, results) => void added.push({subject, results}), room: () => undefined},
    joint: policyReportApi,
    standing: {isScanned: ({policy}) => !unscanned.includes(policy), isStale: () => false},
    goesOn: () => true,
  });
}

const left = () => server.objects(ephemeral).map(object => ownPath(object, 'metadata', 'name'));

describe('EphemeralReports of before', () => {
  it('join the report of their object where no scan finds it again, and are gone', async () => {
    put('one', 'uid-there', [result('scanned', 10), result('asked-only', 10)]);
    expect(await adopt('asked-only')).toBe(1);
    expect(added.map(({subject, results}) => [subject.name, subject.namespace, results.map(({policy}) => policy)])).toEqual([['there', 'shop', ['asked-only']]]);
    expect(left()).toEqual([]);
  });

  it('say nothing against a report that is newer', async () => {
    server.put(reports, {metadata: {namespace: 'shop', name: 'uid-there'}, results: [result('asked-only', 20)]});
    put('one', 'uid-there', [result('asked-only', 10)]);
    expect(await adopt('asked-only')).toBe(1);
    expect([added, left()]).toEqual([[], []]);
  });

  it('go unheard when their object is gone', async () => {
    put('one', 'uid-gone', [result('asked-only', 10)]);
    expect(await adopt('asked-only')).toBe(1);
    expect([added, left()]).toEqual([[], []]);
  });

  it('are left alone when they are not ours', async () => {
    put('one', 'uid-there', [result('asked-only', 10)], {});
    expect(await adopt('asked-only')).toBe(0);
    expect(left()).toEqual(['one']);
  });
});
