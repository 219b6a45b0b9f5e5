import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {eventually, turns} from '../../adapters/kube/testing/eventually.js';
import {fail} from '../../adapters/kube/testing/api-server.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {createEngine} from '../../engine/run/create-engine.js';
import type {PolicyResult} from '../../engine/types.js';
import type {AuditRecord} from '../../webhook/types.js';
import type {Feature} from '../feature.js';
import {existingObjectRequest} from '../requests/existing-object.js';
import {createTestCore, type TestCore} from '../testing/test-core.js';
import {mergeReport, type ReportSubject} from './merge-report.js';
import {reportedObject} from './findings.js';
import {policyReportApi} from './report-kinds.js';
import type {ReportResult} from './report-result.js';
import {KubeError} from '../../adapters/kube/kube-error.js';
import {createAdmissionReportsFeature} from './admission-reports-feature.js';
import {createReportFeatures} from './reports-feature.js';

const subject: ReportSubject = {apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'a', uid: 'uid-a'};

function result(rule: string, status: ReportResult['status'] = 'pass', more: Partial<ReportResult> = {}): ReportResult {
  return {source: 'kyverno', policy: 'p', rule, status, message: 'm', scored: true, category: undefined, severity: undefined, properties: {}, part: '', ...more};
}

describe('the report of an object', () => {
  const merge = (existing: JsonObject | undefined, results: ReportResult[], seconds: number, replaces: (stored: ReportResult) => boolean = () => false, now?: number) =>
    mergeReport(existing, {subject, results: results.map(one => ({result: one, at: 1000 * seconds})), replaces, replacedAt: 1000 * seconds}, policyReportApi, 1000 * (now ?? seconds));

  it('says each thing once, and when it became so', () => {
    const first = merge(undefined, [result('b', 'fail'), result('a')], 100)!;
    expect(first).toMatchObject({
      kind: 'PolicyReport',
      metadata: {name: 'uid-a', namespace: 'shop', ownerReferences: [{apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'uid-a'}]},
      scope: {kind: 'Pod', name: 'a', uid: 'uid-a'},
      summary: {pass: 1, fail: 1, warn: 0, error: 0, skip: 0},
      results: [{rule: 'a', result: 'pass', timestamp: {seconds: 100, nanos: 0}}, {rule: 'b', result: 'fail'}],
    });
    expect(merge(first, [result('b', 'fail')], 200)).toBe(first);
    const second = merge(first, [result('b')], 200)!;
    expect(second['results']).toMatchObject([{rule: 'a', timestamp: {seconds: 100}}, {rule: 'b', result: 'pass', timestamp: {seconds: 200}}]);
  });

  it('keeps what was found later than the change, but not by a clock that is ahead', () => {
    const stored = merge(undefined, [result('a', 'fail')], 200)!;
    expect(merge(stored, [result('a')], 100, () => false, 300)).toBe(stored);
    expect(merge(stored, [], 100, () => true, 300)).toBe(stored);
    expect(merge(stored, [result('a')], 100, () => false, 150)!['results']).toMatchObject([{rule: 'a', result: 'pass'}]);
    expect(merge(stored, [result('a'), result('b')], 100, () => false, 300)!['results']).toMatchObject([{rule: 'a', result: 'fail'}, {rule: 'b', result: 'pass'}]);
  });

  it('loses what has been replaced, and ends with its last result', () => {
    const first = merge(undefined, [result('a'), result('b', 'pass', {policy: 'q'})], 1)!;
    const second = merge(first, [], 2, stored => stored.policy === 'p')!;
    expect(second['results']).toMatchObject([{policy: 'q'}]);
    expect(merge(second, [], 3, () => true)).toBeUndefined();
    expect(merge(second, [], 3)).toBe(second);
  });
});

describe('reports', () => {
  const collection = 'apis/wgpolicyk8s.io/v1alpha2/policyreports';
  let test: TestCore;
  let features: readonly Feature[];
  let sink: Feature['sink'];

  beforeEach(async () => {
    test = await createTestCore();
    const {cache, loader, regex, resources} = test.core;
    Object.assign(test.core, {engine: createEngine({policies: cache, loader, regex, resources})});
    Object.assign(test.core.metrics, {policyResults: () => undefined});
  });

  afterEach(() => test.close());

  async function start(): Promise<void> {
    const reports = createReportFeatures(test.core);
    features = reports.features;
    ({sink} = createAdmissionReportsFeature(test.core, {handOn: reports.take, refuse: reports.refuse}));
    for (const feature of features) await test.run(feature);
  }

  function pod(name: string, labels: Record<string, string> = {}): JsonObject {
    return {apiVersion: 'v1', kind: 'Pod', metadata: {name, namespace: 'shop', uid: `uid-${name}`, labels}, spec: {containers: []}};
  }

  function record(object: JsonObject, results: readonly PolicyResult[]): AuditRecord {
    const info = test.core.resources().find('Pod')[0]!;
    return {webhook: 'validate', request: existingObjectRequest(object, info), time: 0, allowed: true, results};
  }

  function found(rule: string, status: 'pass' | 'fail'): PolicyResult {
    return {
      policy: {apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', namespace: '', name: 'p', key: 'p'},
      failurePolicy: 'Fail',
      emitWarning: false,
      annotations: {'policies.kyverno.io/severity': 'high', 'policies.kyverno.io/category': 'c'},
      background: true,
      rules: [{rule, type: 'Validation', status, message: 'm', action: 'Audit'}],
    };
  }

  const submit = (one: AuditRecord) => sink!.submit(one, new AbortController().signal);
  const writes = () => test.server.requests.filter(({method, path}) => method !== 'GET' && path.includes('policyreports')).length;
  const reports = () => test.server.objects(collection);

  const policy: JsonObject = {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: {name: 'p', uid: 'uid-p', generation: 1},
    spec: {
      background: true,
      rules: [{name: 'labelled', match: {any: [{resources: {kinds: ['Pod']}}]}, validate: {message: 'label it', pattern: {metadata: {labels: {team: '?*'}}}}}],
    },
  };

  it('are written by the replica that judged, once for equal verdicts', async () => {
    Object.assign(test.core.flags, {backgroundScan: false});
    await start();
    for (let round = 0; round < 5; round += 1) await submit(record(pod('a'), [found('r', 'fail'), found('s', 'pass')]));
    await eventually(() => reports().length === 1);
    expect(reports()[0]).toMatchObject({summary: {fail: 1, pass: 1}, results: [{rule: 'r', severity: 'high', category: 'c', properties: {process: 'background scan'}}, {rule: 's'}]});
    await eventually(() => test.core.manager.lister('policyreports.wgpolicyk8s.io').size === 1);
    for (let round = 0; round < 200; round += 1) await submit(record(pod('a'), [found('r', 'fail'), found('s', 'pass')]));
    await turns(20);
    expect(writes()).toBe(1);
    await submit(record(pod('a'), [found('r', 'pass')]));
    await eventually(() => ownPath(reports()[0], 'summary', 'pass') === 2);
    expect(writes()).toBe(2);
  });

  it('hold on to the writes of others', async () => {
    Object.assign(test.core.flags, {backgroundScan: false});
    await start();
    let conflicts = 0;
    test.server.intercept = (request, response) => {
      if (request.method !== 'POST' || !request.path.includes('policyreports') || conflicts > 0) return false;
      conflicts += 1;
      const body = request.body as JsonObject;
      test.server.put(collection, {...body, summary: {}, results: [{source: 'kyverno', policy: 'q', rule: 'x', result: 'pass', message: 'm', scored: true}]});
      return fail(response, {code: 409, reason: 'AlreadyExists'});
    };
    await submit(record(pod('a'), [found('r', 'fail')]));
    await eventually(() => ownPath(reports()[0], 'summary', 'fail') === 1);
    expect(ownPath(reports()[0], 'summary', 'pass')).toBe(1);
  });

  it('of existing objects follow what they are and what policies there are', async () => {
    test.server.put('api/v1/pods', pod('good', {team: 'x'}));
    test.server.put('api/v1/pods', pod('bad'));
    const served = test.core.cache.putPolicy(policy);
    await start();
    const summaries = () => Object.fromEntries(reports().map(report => [ownPath(report, 'scope', 'name'), ownPath(report, 'summary', 'fail')]));
    await eventually(() => reports().length === 2);
    expect(summaries()).toEqual({good: 0, bad: 1});
    const before = writes();
    test.server.put('api/v1/pods', pod('bad', {team: 'y'}));
    await eventually(() => summaries()['bad'] === 0);
    expect(writes()).toBe(before + 1);
    test.core.cache.dropPolicy('p');
    for (const feature of features) feature.onPolicy?.('ClusterPolicy', 'p', undefined, served);
    await eventually(() => reports().length === 0);
  });

  it('go on when one kind may not be read', async () => {
    test.server.put('api/v1/pods', pod('bad'));
    test.server.intercept = (request, response) => request.path.startsWith('/api/v1/secrets') && fail(response, {code: 403, reason: 'Forbidden'});
    const spec = policy['spec'] as JsonObject;
    const rule = (spec['rules'] as JsonObject[])[0]!;
    test.core.cache.putPolicy({...policy, spec: {...spec, rules: [{...rule, match: {any: [{resources: {kinds: ['Secret', 'Pod']}}]}}]}});
    await start();
    await eventually(() => reports().length === 1);
  });

  const ruleOn = (kinds: string[], more: JsonObject = {}): JsonObject => {
    const spec = policy['spec'] as JsonObject;
    const rule = (spec['rules'] as JsonObject[])[0]!;
    return {...policy, metadata: {name: 'p', uid: 'uid-p', generation: 2}, spec: {...spec, rules: [{...rule, match: {any: [{resources: {kinds}}]}}], ...more}};
  };

  it('lose what a policy says no more of their kind', async () => {
    test.server.put('api/v1/pods', pod('bad'));
    const before = test.core.cache.putPolicy(policy);
    await start();
    await eventually(() => reports().length === 1);
    const after = test.core.cache.putPolicy(ruleOn(['Service']));
    for (const feature of features) feature.onPolicy?.('ClusterPolicy', 'p', after, before);
    await eventually(() => reports().length === 0);
  });

  it('keep what admission found when a scan has its say', async () => {
    const rules = (policy['spec'] as JsonObject)['rules'] as JsonObject[];
    const mutation = {name: 'adds', match: {any: [{resources: {kinds: ['Pod']}}]}, mutate: {patchStrategicMerge: {metadata: {labels: {a: 'b'}}}}};
    test.core.cache.putPolicy({...policy, spec: {background: true, rules: [...rules, mutation]}});
    test.server.put('api/v1/pods', pod('bad'));
    await start();
    await eventually(() => reports().length === 1);
    const mutated = found('adds', 'pass');
    await submit({...record(pod('bad'), [{...mutated, rules: [{...mutated.rules[0]!, type: 'Mutation'}]}]), webhook: 'mutate'});
    await eventually(() => ownPath(reports()[0], 'summary', 'pass') === 1);
    const before = writes();
    test.server.put('api/v1/pods', pod('bad', {other: 'label'}));
    await eventually(() => test.server.requests.filter(({path}) => path.startsWith('/api/v1/pods')).length > 0);
    await new Promise(resolve => setTimeout(resolve, 2_500));
    expect(ownPath(reports()[0], 'summary')).toMatchObject({pass: 1, fail: 1});
    expect(writes()).toBe(before);
  });

  it('tell what the account that is named for it can see', async () => {
    const refused: string[] = [];
    const worker = {
      ...test.core.client,
      async request(call: {readonly path: string}) {
        refused.push(call.path);
        throw new KubeError({status: 403, reason: 'Forbidden', message: 'not yours'});
      },
    };
    Object.assign(test.core, {worker});
    test.core.cache.putPolicy(policy);
    await start();
    await eventually(() => refused.includes('/api/v1/pods'));
    await submit(record(pod('a'), [found('r', 'fail')]));
    await eventually(() => reports().length === 1);
    expect(refused.every(path => !path.includes('policyreports'))).toBe(true);
  });

  it('keep what admission found by rules that scans do not ask', async () => {
    const rules = (policy['spec'] as JsonObject)['rules'] as JsonObject[];
    const onUpdate = {...rules[0], name: 'on-update', match: {any: [{resources: {kinds: ['Pod'], operations: ['UPDATE']}}]}};
    test.core.cache.putPolicy({...policy, spec: {background: true, rules: [...rules, onUpdate]}});
    test.server.put('api/v1/pods', pod('bad'));
    await start();
    await eventually(() => reports().length === 1);
    await submit(record(pod('bad'), [found('on-update', 'fail')]));
    await eventually(() => ownPath(reports()[0], 'summary', 'fail') === 2);
    test.server.put('api/v1/pods', pod('bad', {team: 'a'}));
    await eventually(() => ownPath(reports()[0], 'summary', 'pass') === 1);
    expect(ownPath(reports()[0], 'summary')).toMatchObject({pass: 1, fail: 1});
  });

  it('are kept when their kind is served in another version', async () => {
    test.server.put('api/v1/pods', pod('bad'));
    const before = test.core.cache.putPolicy(policy);
    await start();
    await eventually(() => reports().length === 1);
    const [report] = reports();
    const scope = report!['scope'] as JsonObject;
    test.server.put(collection, {...report, scope: {...scope, apiVersion: 'v0'}});
    await eventually(() => test.core.manager.lister('policyreports.wgpolicyk8s.io').size === 1);
    for (const feature of features) feature.onDiscovery?.();
    await new Promise(resolve => setTimeout(resolve, 4_500));
    expect(before.status).toBe('served');
    expect(reports()).toHaveLength(1);
  });

  it('are cut as far as the server takes them', async () => {
    Object.assign(test.core.flags, {backgroundScan: false});
    await start();
    const sizes: number[] = [];
    test.server.intercept = (request, response) => {
      if (request.method !== 'POST' || !request.path.includes('policyreports')) return false;
      const size = JSON.stringify(request.body).length;
      sizes.push(size);
      return size > 2_000 && fail(response, {code: 413, reason: 'RequestEntityTooLarge'});
    };
    const long = 'm'.repeat(3_000);
    const bad = found('r', 'fail');
    const good = found('s', 'pass');
    await submit(record(pod('a'), [{...bad, rules: [{...bad.rules[0]!, message: long}]}, {...good, rules: [{...good.rules[0]!, message: long}]}]));
    await eventually(() => reports().length === 1);
    expect(reports()[0]).toMatchObject({summary: {fail: 1, pass: 1}, results: [{rule: 'r', result: 'fail'}, {rule: 's', result: 'pass'}]});
    expect(sizes.length).toBe(2);
  });

  it('that wait are written before the end', async () => {
    Object.assign(test.core.flags, {backgroundScan: false});
    await start();
    await submit(record(pod('a'), [found('r', 'fail')]));
    for (const feature of features) await feature.stop?.();
    expect(reports()).toHaveLength(1);
  });

  it('of either side stay apart when they are not joined', async () => {
    Object.assign(test.core.flags, {aggregateReports: false, maxAdmissionReports: 1});
    test.server.put('api/v1/pods', pod('bad'));
    test.core.cache.putPolicy(policy);
    await start();
    const ephemeral = () => test.server.objects('apis/reports.kyverno.io/v1/ephemeralreports');
    await eventually(() => ephemeral().length === 1);
    await submit(record(pod('bad'), [found('labelled', 'pass')]));
    await eventually(() => ephemeral().length === 2);
    const labels = {'app.kubernetes.io/managed-by': 'kyverno', 'audit.kyverno.io/resource.uid': 'uid-bad', 'audit.kyverno.io/resource.kind': 'Pod', 'audit.kyverno.io/resource.version': 'v1'};
    expect(ephemeral().sort((a, b) => (String(ownPath(a, 'metadata', 'name')) < String(ownPath(b, 'metadata', 'name')) ? -1 : 1))).toMatchObject([
      {kind: 'EphemeralReport', metadata: {name: 'uid-bad', labels: {...labels, 'audit.kyverno.io/source': 'background-scan'}, ownerReferences: [{kind: 'Pod', name: 'bad'}]}, spec: {owner: {uid: 'uid-bad'}, results: [{rule: 'labelled', result: 'fail'}], summary: {fail: 1}}},
      {metadata: {name: 'uid-bad-admission', labels: {...labels, 'audit.kyverno.io/source': 'admission'}, annotations: {'audit.kyverno.io/resource.name': 'bad'}}, spec: {results: [{rule: 'labelled', result: 'pass'}]}},
    ]);
    expect(reports()).toEqual([]);
    await eventually(() => test.core.manager.lister('ephemeralreports.reports.kyverno.io admission').size === 1);
    await submit(record(pod('other'), [found('labelled', 'pass')]));
    await new Promise(resolve => setTimeout(resolve, 1_500));
    expect(ephemeral()).toHaveLength(2);
    test.core.cache.dropPolicy('p');
    for (const feature of features) feature.onDiscovery?.();
    await eventually(() => ephemeral().length === 0);
  });

  it('hold what is asked for, by type and result, and nothing of policies that want none', async () => {
    Object.assign(test.core.flags, {backgroundScan: false, enableReporting: ['validate'], allowedResults: ['fail']});
    await start();
    const mutated = found('m', 'fail');
    await submit(record(pod('a'), [found('r', 'fail'), found('s', 'pass'), {...mutated, rules: [{...mutated.rules[0]!, type: 'Mutation'}]}]));
    await eventually(() => reports().length === 1);
    expect(reports()[0]).toMatchObject({summary: {fail: 1, pass: 0}, results: [{rule: 'r'}]});
    test.core.cache.putPolicy({...policy, metadata: {name: 'p', uid: 'uid-p', generation: 1, labels: {'reports.kyverno.io/disabled': ''}}});
    await submit(record(pod('b'), [found('labelled', 'fail')]));
    await new Promise(resolve => setTimeout(resolve, 1_500));
    expect(reports()).toHaveLength(1);
  });

  it('are of the other kind when that is asked for', async () => {
    Object.assign(test.core.flags, {backgroundScan: false, openreportsEnabled: true});
    await start();
    await submit(record(pod('a'), [found('r', 'fail')]));
    const open = () => test.server.objects('apis/openreports.io/v1alpha1/reports');
    await eventually(() => open().length === 1);
    expect(open()[0]).toMatchObject({kind: 'Report', results: [{rule: 'r', description: 'm', result: 'fail'}]});
  });

  it('tell what work in the background has made', async () => {
    Object.assign(test.core.flags, {backgroundScan: false});
    await start();
    const made = {policy: found('r', 'pass').policy, subject, rule: 'makes', type: 'generate', status: 'pass', message: 'resource generated', properties: {'generated-resources': reportedObject({apiVersion: 'v1', kind: 'Secret', name: 'a', namespace: 'b'})}} as const;
    test.core.cache.putPolicy({...policy, spec: {rules: [{name: 'makes', match: {any: [{resources: {kinds: ['Pod']}}]}, generate: {apiVersion: 'v1', kind: 'Secret', name: 'a', namespace: 'b', data: {}}}]}});
    for (let round = 0; round < 3; round += 1) test.core.findings.tell(made);
    test.core.findings.tell({...made, rule: 'other', type: 'mutateExisting'});
    await eventually(() => reports().length === 1);
    expect(reports()[0]).toMatchObject({scope: {name: 'a'}, results: [{rule: 'makes', result: 'pass', properties: {'generated-resources': '/v1, Kind=Secret Name=a Namespace=b'}}, {rule: 'other'}]});
    expect(writes()).toBe(1);
  });

  describe('on what a request is about to create', () => {
    const mutated: PolicyResult = {...found('labels', 'pass'), rules: [{rule: 'labels', type: 'Mutation', status: 'pass', message: 'm', action: 'Audit'}]};
    const creation = (name: string): AuditRecord => {
      const {request} = record(pod(name), []);
      const {uid: _uid, ...metadata} = pod(name)['metadata'] as JsonObject;
      return {webhook: 'mutate', request: {...request, operation: 'CREATE', object: {...pod(name), metadata}}, time: 0, allowed: true, results: [mutated]};
    };

    it('leave to the work what is generated, and what is made of existing objects', async () => {
      Object.assign(test.core.flags, {backgroundScan: false});
      await start();
      const generated: PolicyResult = {...mutated, rules: [{...mutated.rules[0]!, type: 'Generation'}]};
      await submit(record(pod('a'), [mutated, generated]));
      await submit(record(pod('b'), [found('r', 'pass')]));
      await eventually(() => reports().length === 1);
      expect(reports()[0]).toMatchObject({metadata: {name: 'uid-b'}});
    });

    it('wait until it is stored', async () => {
      Object.assign(test.core.flags, {backgroundScan: false});
      await start();
      test.server.put('api/v1/pods', {...pod('a'), metadata: {...(pod('a')['metadata'] as JsonObject), creationTimestamp: new Date().toISOString()}});
      await submit(creation('a'));
      await submit(creation('gone'));
      await eventually(() => reports().length === 1);
      expect(reports()[0]).toMatchObject({metadata: {name: 'uid-a'}, results: [{rule: 'labels', result: 'pass'}]});
    });

    it('go with the review that names it, without a look', async () => {
      Object.assign(test.core.flags, {backgroundScan: false});
      await start();
      await submit(creation('a'));
      await submit(record(pod('a'), [found('r', 'fail')]));
      await eventually(() => reports().length === 1);
      expect(reports()[0]).toMatchObject({results: [{rule: 'labels'}, {rule: 'r'}]});
      expect(test.server.requests.filter(({path}) => path.includes('/pods/a'))).toEqual([]);
    });

    it('are not told of one of its name that was there before', async () => {
      Object.assign(test.core.flags, {backgroundScan: false});
      await start();
      test.server.put('api/v1/pods', {...pod('a'), metadata: {...(pod('a')['metadata'] as JsonObject), creationTimestamp: '2020-01-01T00:00:00Z'}});
      await submit(creation('a'));
      await eventually(() => test.server.requests.some(({path}) => path.includes('/pods/a')));
      await turns(20);
      expect(reports()).toEqual([]);
    });
  });
});
