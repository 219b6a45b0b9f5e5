import {generateKeyPairSync} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {startCollector, type ReceivedSpan, type TestCollector} from '../../adapters/tracing/testing/collector.js';
import {missingSeries, monitoringUses} from '../../scripts/monitoring-files.js';
import {eventually} from '../cluster/eventually.js';
import {celPolicy, putCel} from './support/cel-policies.js';
import {podOf} from './support/image-policies.js';
import {createNamespaces} from './support/namespaces.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {allServed, collectionOf, type Thing, write} from './support/policies.js';
import {logText} from './support/replicas.js';
import {configMap, labelRule, policy} from './support/samples.js';

/** What a decision leaves behind: audit log, trace, Events, log and metrics, on a real API server. */

let collector: TestCollector;
let operator: OperatorCluster;

beforeAll(async () => {
  collector = await startCollector('grpc');
  operator = await startOperatorCluster({
    cluster: {auditLog: true},
    args: ['--enableTracing=true', '--tracingAddress=127.0.0.1', `--tracingPort=${collector.port}`, '--ttlReconciliationInterval=1s'],
  });
  await createNamespaces(operator, ['shop']);
  await write(operator, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: {name: 'observed-work', labels: {'rbac.kyverno.io/aggregate-to-background-controller': 'true', 'rbac.kyverno.io/aggregate-to-cleanup-controller': 'true'}},
    rules: [{apiGroups: [''], resources: ['configmaps', 'secrets'], verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete']}],
  } as Thing);
  const policies = [
    policy('refuses', {rules: [labelRule('team')]}),
    policy('warns', {rules: [labelRule('contact')], spec: {validationFailureAction: 'Audit', emitWarning: true, background: true}}),
    policy('reports', {rules: [labelRule('cost')], spec: {validationFailureAction: 'Audit', background: true}}),
    policy('changes', {rules: [{name: 'adds', mutate: {patchStrategicMerge: {metadata: {labels: {'+(added)': 'yes'}}}}}]}),
  ];
  for (const one of policies) await write(operator, one);
  await allServed(operator, policies);
  await putCel(operator, [
    celPolicy('ValidatingPolicy', 'cel-reports', {spec: {validationActions: ['Audit'], validations: [{expression: 'has(object.metadata.labels.floor)', message: 'label floor is missing'}]}}),
    celPolicy('MutatingPolicy', 'cel-changes', {
      spec: {mutations: [{patchType: 'ApplyConfiguration', applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: {"by": "cel"}}}'}}]},
    }),
  ]);
});

afterAll(async () => {
  await operator?.stop();
  await collector?.close();
});

interface Answer {
  readonly status: number;
  readonly message: string;
  readonly decision: string | undefined;
  readonly uid: string;
}

async function create(object: Thing): Promise<Answer> {
  type Body = Thing & {message?: string; details?: {causes?: Array<{reason?: string; message?: string}>}};
  const {status, body} = await operator.cluster.request<Body>('POST', collectionOf(object), object);
  const decision = body.details?.causes?.find(({reason}) => reason === 'DecisionID')?.message;
  return {status, message: body.message ?? '', decision, uid: body.metadata?.uid ?? ''};
}

interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly objectRef?: {readonly name?: string; readonly resource?: string};
  readonly requestObject?: {readonly metadata?: {readonly name?: string}};
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Verdict {
  readonly policy: string;
  readonly rule?: string;
  readonly result: string;
}

/** What the API server's audit log has about the creation of a ConfigMap. */
function audited(name: string): Promise<{readonly verdicts: readonly Verdict[]; readonly decisions: readonly string[]}> {
  return eventually(
    async () => {
      const lines = (await readFile(join(operator.cluster.dir, 'audit.log'), 'utf8')).split('\n').filter(line => line.includes(name));
      const events = lines.flatMap(line => (line.endsWith('}') ? [JSON.parse(line) as AuditEvent] : []));
      const event = events.find(({verb, objectRef, requestObject}) => verb === 'create' && objectRef?.resource === 'configmaps' && requestObject?.metadata?.name === name);
      if (event === undefined) return undefined;
      const of = (key: string) => Object.entries(event.annotations ?? {}).flatMap(([annotation, value]) => (annotation.endsWith(`/${key}`) ? [value] : []));
      return {verdicts: of('results').flatMap(text => JSON.parse(text) as Verdict[]), decisions: of('decision-id')};
    },
    {what: `an audit line about ${name}`},
  );
}

const full = {team: 'a', contact: 'b', cost: 'c', floor: '1'};

describe('the audit log of the API server', () => {
  it('has policy, rule and result of what is let in', async () => {
    expect((await create(configMap('fine', {labels: full}))).status).toBe(201);
    const {verdicts} = await audited('fine');
    for (const [name, rule] of [['refuses', 'has-team'], ['warns', 'has-contact'], ['reports', 'has-cost'], ['changes', 'adds']]) {
      expect(verdicts).toContainEqual(expect.objectContaining({policy: name, rule, result: 'pass'}));
    }
    expect(verdicts).toContainEqual(expect.objectContaining({kind: 'ValidatingPolicy', policy: 'cel-reports', result: 'pass'}));
    expect(verdicts).toContainEqual(expect.objectContaining({kind: 'MutatingPolicy', policy: 'cel-changes', result: 'pass'}));
  });

  it('has them of what is warned about and only reported', async () => {
    const {contact: _contact, cost: _cost, ...some} = full;
    expect((await create(configMap('warned', {labels: some}))).status).toBe(201);
    const {verdicts} = await audited('warned');
    expect(verdicts).toContainEqual({policy: 'warns', rule: 'has-contact', result: 'fail', action: 'Audit'});
    expect(verdicts).toContainEqual({policy: 'reports', rule: 'has-cost', result: 'fail', action: 'Audit'});
  });

  it('has them of a refusal, whose id is in the answer, the log, the Event and the trace', async () => {
    const answer = await create(configMap('refused'));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.message).not.toContain(String(answer.decision));
    const {verdicts, decisions} = await audited('refused');
    expect(verdicts).toContainEqual({policy: 'refuses', rule: 'has-team', result: 'fail', action: 'Enforce'});
    expect(decisions).toContain(answer.decision);
    expect(logText(operator.agent).split('\n').some(line => line.includes('webhook denied') && line.includes(answer.decision!))).toBe(true);
    await eventually(
      async () => {
        const {body} = await operator.cluster.request<{items: Array<{note?: string; metadata: {annotations?: Record<string, string>}}>}>('GET', '/apis/events.k8s.io/v1/events');
        return body.items.some(({note, metadata}) => note?.includes('webhook denied') && metadata.annotations?.['kyverno.io/decision-id'] === answer.decision);
      },
      {what: 'an Event with the id of the decision'},
    );
    await eventually(() => collector.spans.some(({attributes}) => attributes['kyverno.decision.id'] === answer.decision), {what: 'a span with the id of the decision'});
  });
});

describe('traces', () => {
  it('show the steps of a request in their order, with a span per policy', async () => {
    await create(configMap('traced', {labels: full}));
    const root = await eventually(
      () => collector.spans.find(({attributes}) => attributes['admission.request.name'] === 'traced' && attributes['http.route'] === '/validate/fail'),
      {what: 'the trace of a request'},
    );
    const children = (parent: ReceivedSpan) => collector.spans.filter(({parentSpanId, traceId}) => parentSpanId === parent.spanId && traceId === parent.traceId);
    await eventually(() => children(root).length === 5, {what: 'five steps'});
    const steps = children(root).sort((one, other) => Number(one.start - other.start) || Number(one.end - other.end));
    expect(steps.map(({name}) => name)).toEqual(['load', 'match', 'evaluate', 'act', 'answer']);
    const policies = children(steps[2]!).map(({name}) => name);
    expect(policies).toEqual(expect.arrayContaining(['POLICY /refuses', 'POLICY /warns', 'POLICY /reports']));
    expect(root.resource['service.name']).toBe('kyverno-admission-controller');
  });
});

describe('metrics', () => {
  it('have every metric with every label that dashboard and rules use', async () => {
    const cleanup = {
      apiVersion: 'kyverno.io/v2',
      kind: 'ClusterCleanupPolicy',
      metadata: {name: 'sweeps'},
      spec: {schedule: '* * * * *', match: {any: [{resources: {kinds: ['ConfigMap'], selector: {matchLabels: {swept: 'by-classic'}}}}]}},
    };
    expect((await operator.cluster.request('POST', '/apis/kyverno.io/v2/clustercleanuppolicies', cleanup)).status).toBe(201);
    await putCel(operator, [
      celPolicy('GeneratingPolicy', 'cel-makes', {
        operations: ['CREATE'],
        spec: {
          matchConditions: [{name: 'asked', expression: 'object.metadata.name == "trigger"'}],
          generate: [{expression: 'generator.Apply("shop", [{"apiVersion": dyn("v1"), "kind": dyn("ConfigMap"), "metadata": dyn({"name": "made", "namespace": "shop", "labels": {"team": "a"}})}])'}],
        },
      }),
      celPolicy('ImageValidatingPolicy', 'cel-pictures', {
        resources: ['pods'],
        spec: {
          validationActions: ['Audit'],
          validationConfigurations: {mutateDigest: false, verifyDigest: false, required: false},
          matchImageReferences: [{glob: '*'}],
          attestors: [{name: 'key', cosign: {key: {data: generateKeyPairSync('ec', {namedCurve: 'P-256'}).publicKey.export({type: 'spki', format: 'pem'})}}}],
          // Asks no registry.
          validations: [{expression: 'images.containers.all(image, image.startsWith("ghcr.io/"))', message: 'an image is from elsewhere'}],
        },
      }),
    ]);
    expect((await create(podOf('pictured', 'ghcr.io/acme/app:v1'))).status).toBe(201);
    const deleting = celPolicy('DeletingPolicy', 'cel-sweeps', {spec: {schedule: '* * * * *', conditions: [{name: 'swept', expression: 'has(object.metadata.labels) && "swept" in object.metadata.labels && object.metadata.labels.swept == "by-cel"'}]}});
    const {status} = await operator.cluster.request('POST', '/apis/policies.kyverno.io/v1beta1/deletingpolicies', deleting);
    expect(status).toBe(201);
    for (const [name, labels] of [['one', {swept: 'by-classic'}], ['two', {swept: 'by-cel'}], ['three', {'cleanup.kyverno.io/ttl': '1s'}], ['trigger', {}]] as const) {
      expect((await create(configMap(name, {labels: {...full, ...labels}}))).status).toBe(201);
    }
    const uses = monitoringUses();
    let missing: string[] = [];
    await eventually(
      async () => {
        const text = (await Promise.all(operator.agent.replicas().map(({metricsPort}) => fetch(`http://127.0.0.1:${metricsPort}/metrics`).then(reply => reply.text())))).join('\n');
        missing = missingSeries(text, uses);
        return missing.length === 0;
      },
      {what: 'series of all that dashboard and rules use', timeoutMs: 200_000, everyMs: 1_000},
    ).catch(() => undefined);
    expect(missing).toEqual([]);
  });
});
