import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import {guideRoot} from '../guide/load.js';
import {type FlowMaterial, flowMaterials} from './support/flow-material.js';
import {auditing, createFlowTools, type FlowTools} from './support/flow-tools.js';
import {grant, grantOn, revoke} from './support/grants.js';
import {isScanned, putWitness, reportedResults} from './support/guide-reports.js';
import {createNamespaces} from './support/namespaces.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';
import {allServed, dropAll, pathOf, type Thing} from './support/policies.js';
import {scrape, total} from './support/replicas.js';
import {configMap, pod} from './support/samples.js';
import {createShell, type Shell} from './support/shell.js';

/** The flows about what is done beside admission, line by line; commands stand as they are typed. */

const materials = flowMaterials();
let operator: OperatorCluster;
let shell: Shell;
let tools: FlowTools;

beforeAll(async () => {
  operator = await startOperatorCluster();
  shell = createShell(operator.cluster);
  tools = createFlowTools(operator, shell);
  const named = materials.flatMap(({tenants, exception}) => [...tenants.namespaces, exception.namespace]);
  await createNamespaces(operator, ['shop', 'test', ...named]);
  await grant(operator, 'flows-generate', 'background', [grantOn({apiVersion: 'v1', kind: 'ConfigMap'}, 'background')]);
});
afterAll(() => operator?.stop());
afterEach(async () => {
  await dropAll(operator);
  await operator.cluster.request('DELETE', '/api/v1/namespaces/shop/pods?gracePeriodSeconds=0');
});

describe('F3.4: kubectl describe of a Pod', () => {
  it('lists what failed, and what passed when that is asked for', async () => {
    const patch = (value: string) =>
      tools.typed(`kubectl patch configmap kyverno -n kyverno --type merge -p '{"data":{"generateSuccessEvents":"${value}"}}'`);
    await tools.serve(auditing('seen', 'team'));
    await patch('true');
    let tries = 0;
    const {stdout: passed} = await eventually(
      async () => {
        const name = `passing-${tries++}`;
        await tools.create(pod(name, {labels: {team: 'x'}}));
        return await eventually(
          async () => {
            const result = await shell.run(`kubectl describe pod ${name} -n shop`);
            return /policy seen\/has-label pass/.test(result.stdout) ? result : undefined;
          },
          {what: 'Events', timeoutMs: 5_000},
        );
      },
      {what: 'an Event of what passed'},
    );
    expect(passed).toContain('PolicyApplied');
    await tools.create(pod('failing'));
    const {stdout} = await eventually(
      async () => {
        const result = await shell.run('kubectl describe pod failing -n shop');
        return result.stdout.includes('PolicyViolation') ? result : undefined;
      },
      {what: 'Events of the Pod'},
    );
    expect(stdout).toMatch(/policy seen\/has-label fail.*label team is missing/);
    await patch('false');
  });
});

describe('F4.2: the Events of refusals', () => {
  it('are counted when they repeat', async () => {
    const policy = auditing('refusing', 'team');
    await tools.serve({...policy, spec: {...(policy.spec as object), validationFailureAction: 'enforce'}} as Thing);
    for (let tries = 0; tries < 6; tries++) expect((await tools.create(pod('again'))).allowed).toBe(false);
    interface Event {
      readonly note: string;
      readonly regarding: {readonly kind: string};
      readonly series?: {readonly count: number};
    }
    const found = await eventually(
      async () => {
        const {body} = await operator.cluster.request<{items: Event[]}>('GET', '/apis/events.k8s.io/v1/events');
        const denied = body.items.filter(({note}) => note.includes('webhook denied') && note.includes('shop/again'));
        const count = denied.reduce((sum, {series}) => sum + (series?.count ?? 1), 0);
        return count >= 6 ? denied : undefined;
      },
      {what: 'six refusals in the Events'},
    );
    // Each replica counts what it refused.
    expect(found.length).toBeLessThanOrEqual(operator.agent.replicas().length);
    const {stdout} = await tools.typed('kubectl get events -A | grep "webhook denied"');
    const line = stdout.split('\n').find(text => text.includes('shop/again'));
    for (const part of ['refusing', 'has-label']) expect(line).toContain(part);
  });
});

describe('F6: generation does not happen', () => {
  const makes = (kind: string, spec: object): Thing =>
    ({
      apiVersion: 'kyverno.io/v1',
      kind: 'ClusterPolicy',
      metadata: {name: 'policy-name'},
      spec: {
        rules: [
          {
            name: 'furnish',
            match: {any: [{resources: {kinds: ['Namespace'], names: ['room-*']}}]},
            generate: {apiVersion: 'v1', kind, name: 'furniture', namespace: '{{request.object.metadata.name}}', synchronize: true, data: spec},
          },
        ],
      },
    }) as Thing;
  const room = (name: string): Thing => ({apiVersion: 'v1', kind: 'Namespace', metadata: {name}});
  const logged = 'kubectl logs -n kyverno -l app=kyverno --tail=-1 | grep "background"';

  it('F6.1 tells each request with policy, rule, trigger and result, F6.2 shows the block as written', async () => {
    await tools.serve(makes('ConfigMap', {data: {chair: 'one'}}));
    expect((await tools.create(room('room-one'))).allowed).toBe(true);
    const made: Thing = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'furniture', namespace: 'room-one'}};
    await eventually(async () => (await operator.cluster.request('GET', pathOf(made))).status === 200, {what: 'the generated object'});
    const {stdout} = await eventually(
      async () => {
        const result = await shell.run(logged);
        return result.stdout.includes('room-one') ? result : undefined;
      },
      {what: 'the line of the request'},
    );
    expect(stdout).toMatch(/background: generation and mutation of existing objects start/);
    const line = stdout.split('\n').find(text => /rule furnish on/.test(text) && text.includes('room-one'));
    for (const part of ['policy-name', 'Namespace', 'created']) expect(line).toContain(part);
    // Of one replica: whoever does not do the work says at least who does.
    expect((await shell.run('kubectl logs -n kyverno deployment/kyverno | grep "background"')).stdout).not.toBe('');

    const block = await tools.typed('kubectl get clusterpolicies policy-name -o yaml | grep -A 10 generate');
    for (const part of ['kind: ConfigMap', 'name: furniture', "namespace: '{{request.object.metadata.name}}'", 'chair: one', 'synchronize: true'])
      expect(block.stdout).toContain(part);
  });

  it('F6.1 tells the right that went missing, and goes on by itself once it is granted', async () => {
    const rights = [grantOn({apiVersion: 'v1', kind: 'PodTemplate'}, 'background')];
    await grant(operator, 'flows-templates', 'background', rights);
    await tools.serve(makes('PodTemplate', {template: {spec: {containers: [{name: 'c', image: 'registry.example/app:1'}]}}}));
    await revoke(operator, 'flows-templates', rights);
    expect((await tools.create(room('room-two'))).allowed).toBe(true);
    const line = await eventually(
      async () => {
        const result = await shell.run(logged);
        return result.stdout.split('\n').find(text => /policy-name rule furnish failed/.test(text));
      },
      {what: 'the reason in the log'},
    );
    for (const part of ['kyverno/kyverno', 'podtemplates', 'aggregate-to-background-controller']) expect(line).toContain(part);
    await grant(operator, 'flows-templates', 'background', rights);
    const made: Thing = {apiVersion: 'v1', kind: 'PodTemplate', metadata: {name: 'furniture', namespace: 'room-two'}};
    await eventually(async () => (await operator.cluster.request('GET', pathOf(made))).status === 200, {
      what: 'the generated object, after the grant',
      timeoutMs: 120_000,
    });
  });

  it('F6.3 tells the limit at start', async () => {
    const {stdout} = await tools.typed('kubectl logs -n kyverno deployment/kyverno | grep -i "limit"');
    expect(stdout).toMatch(/background limit: at most 1000 .*updateRequestThreshold\), \d+ now; rule limit: 1000/);
  });
});

describe('F8: audit first, then enforce', () => {
  it('reports, then refuses without a restart, and goes on reporting what was there', async () => {
    const word = {policy: 'careful', rule: 'has-label'};
    await tools.serve(auditing('careful', 'contact'));
    const started = operator.agent.replicas().map(({name, restarts}) => ({name, restarts}));
    const before = await failures('careful');
    const {stderr} = await tools.typed('kubectl run violating -n shop --image=registry.example/app:1');
    expect(stderr).not.toMatch(/denied/i);
    const uid = (await tools.typed('kubectl get pod violating -n shop -o jsonpath={.metadata.uid}')).stdout;
    expect(await tools.reported(uid, word, 'fail')).toMatchObject({message: expect.stringContaining('label contact is missing')});
    expect((await tools.typed('kubectl get policyreports -n shop')).stdout).toContain('violating');
    await eventually(async () => (await shell.run('kubectl describe pod violating -n shop')).stdout.includes('policy careful/has-label fail'), {what: 'the Event'});
    expect(await failures('careful')).toBeGreaterThan(before);

    await tools.typed(`kubectl patch clusterpolicy careful --type merge -p '{"spec":{"validationFailureAction":"enforce"}}'`);
    await allServed(operator, [auditing('careful', 'contact')]);
    const second = await shell.run('kubectl run second -n shop --image=registry.example/app:1');
    expect(second.stderr).toContain('label contact is missing');
    expect(second.code).not.toBe(0);
    // What violated before may be changed; what did not may not be made to.
    await tools.typed('kubectl run good -n shop --image=registry.example/app:1 --labels=contact=ann');
    const update = await shell.run('kubectl label pod good -n shop contact-');
    expect(update.stderr).toContain('label contact is missing');
    expect((await tools.typed('kubectl get pod violating -n shop -o jsonpath={.metadata.uid}')).stdout).toBe(uid);
    await eventually(async () => (await tools.resultsOn(uid, word)).some(result => result.result === 'fail' && isScanned(result)), {what: 'the report of the scan'});
    expect(operator.agent.replicas().map(({name, restarts}) => ({name, restarts}))).toEqual(started);
  });

  async function failures(name: string): Promise<number> {
    return total(await scrape(operator.agent), 'kyverno_policy_results_total', {policy_name: name, rule_result: 'fail'});
  }
});

describe.each(materials)('F9: staged rollout, $title', ({stages}: FlowMaterial) => {
  const word = {policy: stages.policy, rule: stages.rule};

  it('changes at once with each step and leaves nothing of the step before', async () => {
    const old = await tools.create(pod('was-there'));
    const [first, second, third] = stages.files;

    await tools.apply(first);
    const reportedOnly = await tools.create(pod('step-one'));
    expect(reportedOnly.allowed).toBe(true);
    expect(await tools.reported(reportedOnly.uid, word, 'fail')).toBeDefined();
    await putWitness(operator, ['Pod']);
    await eventually(async () => ((await reportedResults(operator)).get(old.uid) ?? []).some(isScanned), {what: 'a scan', everyMs: 200});
    expect(await tools.resultsOn(old.uid, word)).toEqual([]);

    await tools.apply(second);
    expect((await tools.create(pod('step-two'))).allowed).toBe(true);
    const refused = await tools.create(pod('step-two', {namespace: 'test'}));
    expect(refused.allowed).toBe(false);
    expect(refused.message).toContain(stages.rule);
    await eventually(async () => (await tools.resultsOn(reportedOnly.uid, word)).length === 0, {what: 'no result of the first step', everyMs: 200});

    await tools.apply(third);
    expect((await tools.create(pod('step-three'))).allowed).toBe(false);
    expect((await tools.create(pod('step-three', {labels: {[stages.label]: 'ann'}}))).allowed).toBe(true);
    for (const {uid} of [old, reportedOnly]) expect(isScanned(await tools.reported(uid, word, 'fail'))).toBe(true);

    const {stdout} = await tools.typed('kubectl get validatingwebhookconfigurations kyverno-resource-validating-webhook-cfg -o json');
    const {webhooks} = JSON.parse(stdout) as {webhooks: ReadonlyArray<{namespaceSelector?: unknown}>};
    expect(JSON.stringify(webhooks)).not.toContain('"test"');
  });
});

describe.each(materials)('F10: policies of teams, $title', ({tenants, writers}: FlowMaterial) => {
  const [first, second] = tenants.namespaces;

  it('judge their own namespace alone, that of everybody all', async () => {
    await tools.apply(tenants.file);
    const {ownLabel, commonLabel} = tenants;
    const own = await tools.create(pod('desk', {namespace: first, labels: commonLabel}));
    expect(own.allowed).toBe(false);
    expect(own.message).toContain(tenants.message);
    const common = await tools.create(pod('desk', {namespace: first, labels: ownLabel}));
    expect(common.message).toContain(tenants.common);
    expect(common.message).not.toContain(tenants.message);
    expect((await tools.create(pod('desk', {namespace: first, labels: {...ownLabel, ...commonLabel}}))).allowed).toBe(true);
    const other = await tools.create(pod('desk', {namespace: second, labels: ownLabel}));
    expect(other.message).not.toContain(tenants.message);
    expect((await tools.create(pod('desk', {labels: commonLabel}))).allowed).toBe(true);
    await tools.remove(pod('desk', {namespace: first}));
  });

  it('are edited by who has rights in the namespace, and that only', async () => {
    const as = '--as tess --as-group team';
    await tools.typed(`kubectl create role policies -n ${first} --verb=get,list,create,patch,update,delete --resource=policies.kyverno.io`);
    await tools.typed(`kubectl create rolebinding policies -n ${first} --role=policies --group=team`);
    await tools.apply(tenants.file);
    const name = tenants.own.slice(tenants.own.indexOf('/') + 1);
    const change = (resource: string, target: string) =>
      shell.run(`kubectl patch ${resource} ${target} --type merge -p '{"metadata":{"annotations":{"changed":"yes"}}}' ${as}`);
    expect((await change(`policies.kyverno.io -n ${first}`, name)).code).toBe(0);
    expect((await change('clusterpolicies', tenants.common)).stderr).toContain('forbidden');
    expect((await change(`policies.kyverno.io -n ${second}`, name)).stderr).toContain('forbidden');
  });

  it('F11: are administrated by the group that may', async () => {
    await tools.typed(`kubectl apply -f ${writers.file}`);
    const may = async (who: string) => (await shell.run(`kubectl auth can-i create clusterpolicies.kyverno.io ${who}`)).stdout.trim();
    expect(await may(`--as ann --as-group ${writers.group}`)).toBe('yes');
    expect(await may('--as bob --as-group dev-team')).toBe('no');
    await tools.typed(`kubectl delete -f ${writers.file}`);
  });
});

describe.each(materials)('F12: an exception, $title', ({exception}: FlowMaterial) => {
  const {namespace, excepted} = exception;

  it('frees what it matches, in reports too, and no longer once it is deleted', async () => {
    await tools.apply(exception.file);
    expect((await tools.typed(`kubectl get -f ${exception.file} -o json`)).stdout).toContain('kyverno.io/v1alpha1');
    const free = await tools.create(pod('free', {namespace, labels: excepted}));
    const judged = await tools.create(pod('judged', {namespace}));
    const elsewhere = await tools.create(pod('elsewhere', {labels: excepted}));
    const skipped = await tools.reported(free.uid, exception, 'skip');
    expect(`${skipped.message} ${skipped.properties?.['exceptions']}`).toContain(exception.name);
    for (const {uid} of [judged, elsewhere]) await tools.reported(uid, exception, 'fail');

    await tools.typed(`kubectl delete policyexception ${exception.name} -n ${namespace}`);
    await tools.reported(free.uid, exception, 'fail');
    const late = await tools.create(pod('late', {namespace, labels: excepted}));
    await tools.reported(late.uid, exception, 'fail');
    for (const name of ['free', 'judged', 'late']) await tools.remove(pod(name, {namespace}));
  });
});

describe('F13: metrics', () => {
  it('has every name that the guides use after one request', async () => {
    await tools.serve(auditing('measured', 'team'));
    await tools.create(pod('measured'));
    const root = guideRoot();
    const guide = root === undefined ? [] : (readFileSync(join(root, 'manifests/34a-metrics.txt'), 'utf8').match(/^kyverno_\w+/gm) ?? []);
    const names = [
      ...guide,
      'kyverno_policy_execution_duration_seconds',
      'kyverno_policy_results_total',
      'kyverno_webhooks_processed_total',
      'kyverno_policy_evaluate_duration_seconds',
      'kyverno_policy_apply_duration_seconds',
      'kyverno_webhook_duration_seconds',
    ];
    const ports = operator.agent.replicas().map(({metricsPort}) => metricsPort);
    const {stdout} = await eventually(
      async () => {
        const results = await Promise.all(ports.map(port => shell.run(`curl -sS http://127.0.0.1:${port}/metrics`)));
        return results.find(result => /kyverno_policy_results_total\{.*policy_name="measured"/.test(result.stdout));
      },
      {what: 'metrics of the request'},
    );
    for (const name of names) expect(stdout).toMatch(new RegExp(`^${name}(_bucket)?\\{[^}]*\\} \\d`, 'm'));
  });
});

describe.each(materials)('F14: a ConfigMap for all namespaces, $title', ({copied}: FlowMaterial) => {
  it('is copied, and its changes follow', async () => {
    await tools.apply(copied.file);
    const source = configMap(copied.source, {labels: copied.labels, data: {level: 'info'}});
    expect((await tools.create(source)).allowed).toBe(true);
    const targets = ['default', 'test', ...materials.flatMap(({tenants}) => tenants.namespaces)];
    await everywhere('info');
    await tools.typed(`kubectl patch configmap ${copied.source} -n shop --type merge -p '{"data":{"level":"debug"}}'`);
    await everywhere('debug');
    for (const namespace of ['kube-system', 'kube-public', 'kube-node-lease', 'kyverno'])
      expect((await operator.cluster.request('GET', pathOf(configMap(copied.source, {namespace})))).status).toBe(404);
    await tools.remove(source);

    async function everywhere(level: string): Promise<void> {
      for (const namespace of targets) {
        const path = pathOf(configMap(copied.source, {namespace}));
        await eventually(async () => (await operator.cluster.request<{data?: {level?: string}}>('GET', path)).body.data?.level === level, {
          what: `${path} with ${level}`,
        });
      }
    }
  });
});
