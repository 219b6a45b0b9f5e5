import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createManualClock} from '../../adapters/clock/manual-clock.js';
import {createKubeClient} from '../../adapters/kube/client.js';
import {createObjectStore, type ObjectStore} from '../../adapters/kube/object-store.js';
import {startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import {eventually, turns} from '../../adapters/kube/testing/eventually.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLog} from '../../adapters/log.js';
import {createLogger} from '../../adapters/log/logger.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {PolicyCache} from '../../engine/snapshot/policy-cache.js';
import {NativePolicies} from '../native-policies/native-states.js';
import {classicStatusSource} from './classic-status-source.js';
import {createStatusController, type PolicyVersion, type StatusController} from './status-controller.js';

const policies = 'apis/kyverno.io/v1/clusterpolicies';
const spec = {rules: [{name: 'r', match: {any: [{resources: {kinds: ['ConfigMap']}}]}, validate: {message: 'm', pattern: {metadata: {name: '?*'}}}}]};
let server: TestApiServer;
let client: KubeClient;
let cache: PolicyCache;
/** What this replica has heard of the API server so far. */
let mirror: ObjectStore;
let registered: PolicyVersion | undefined;
let reported: string;
let refusals: Record<string, string>;
let controller: StatusController;

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog});
  cache = new PolicyCache({
    resources: () => builtinResourceMap,
    compile: {matchConditions: 'by-api-server'},
    exceptions: {enabled: false, operatorNamespace: 'kyverno', exceptionNamespace: ''},
  });
  mirror = createObjectStore();
  registered = undefined;
  reported = '1000000';
  refusals = {};
  controller = createStatusController({
    client,
    clock: createManualClock(),
    log: createLogger({format: 'text', verbosity: 0, write: () => undefined}),
    source: classicStatusSource({cache, refusedConditions: () => undefined, notes: () => [], native: new NativePolicies(), background: () => []}),
    lister: () => mirror,
    ref: (_key, name) => ({group: 'kyverno.io', version: 'v1', resource: 'clusterpolicies', name}),
    replicas: () => [{identity: 'a', state: {versions: {ClusterPolicy: reported}, refused: refusals, incomplete: false}}],
    registered: () => registered,
    refusedConditions: () => undefined,
  });
});

afterEach(async () => {
  await controller.stop();
  client.close();
  await server.close();
});

/** On the server, in the mirror and compiled. */
function arrives(uid: string, status?: JsonObject): JsonObject {
  const object = server.put(policies, {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: {name: 'p', uid, generation: 1},
    spec,
    ...(status && {status}),
  });
  hears(object);
  return object;
}

function hears(object: JsonObject): void {
  mirror.put('p', object);
  if (cache.policy('p')?.uid !== ownPath(object, 'metadata', 'uid')) cache.putPolicy(object);
  controller.enqueue('ClusterPolicy', 'p');
}

function live(): JsonObject {
  return server.objects(policies)[0]!;
}

function ready(): JsonObject | undefined {
  const conditions = ownPath(live(), 'status', 'conditions');
  return Array.isArray(conditions) ? (conditions[0] as JsonObject) : undefined;
}

function writes(): number {
  return server.requests.filter(({method}) => method === 'PUT').length;
}

async function becomesReady(uid: string): Promise<void> {
  arrives(uid);
  registered = {uid, generation: 1};
  controller.enqueue('ClusterPolicy', 'p');
  await eventually(() => ready()?.['status'] === 'True');
  hears(live());
  await turns();
}

describe('the status of policies', () => {
  it('is Pending until the webhook configurations cover the policy', async () => {
    controller.setLeading(true);
    arrives('u');
    await eventually(() => ready()?.['reason'] === 'Pending');
    hears(live());
    registered = {uid: 'u', generation: 1};
    controller.enqueuePending();
    await eventually(() => ready()?.['status'] === 'True');
  });

  it('is put right again when another writer had the last word', async () => {
    controller.setLeading(true);
    await becomesReady('u');
    const conditions = [{type: 'Ready', status: 'False', reason: 'Pending', message: 'late', observedGeneration: 1}];
    hears(server.put(policies, {...live(), status: {conditions}}));
    await eventually(() => ready()?.['status'] === 'True');
  });

  it('is put right again when the mirror lagged behind what was written', async () => {
    controller.setLeading(true);
    await becomesReady('u');
    const before = live();
    refusals = {p: 'no'};
    controller.enqueue('ClusterPolicy', 'p');
    await eventually(() => ready()?.['reason'] === 'Failed');
    // The refusal ends before the mirror has heard that it was written: the old status looks right.
    mirror.put('p', before);
    refusals = {};
    controller.enqueue('ClusterPolicy', 'p');
    await turns();
    hears(live());
    await eventually(() => ready()?.['status'] === 'True');
  });

  it('is not taken back by a new leader that has yet to look at the webhook configurations and replicas', async () => {
    controller.setLeading(true);
    await becomesReady('u');
    controller.setLeading(false);
    const before = writes();
    registered = undefined;
    reported = '1';
    controller.setLeading(true);
    controller.enqueuePending();
    await turns();
    expect(writes()).toBe(before);
    registered = {uid: 'u', generation: 1};
    controller.enqueuePending();
    await turns();
    expect([writes(), ready()?.['status']]).toEqual([before, 'True']);
  });

  it('is taken back by a new leader when a replica refuses the policy', async () => {
    controller.setLeading(true);
    await becomesReady('u');
    controller.setLeading(false);
    registered = undefined;
    refusals = {p: 'no'};
    controller.setLeading(true);
    await eventually(() => ready()?.['reason'] === 'Failed');
  });

  it('of a policy made anew does not rest on what covered the one before', async () => {
    controller.setLeading(true);
    await becomesReady('u');
    server.remove(policies, 'p');
    arrives('v');
    await eventually(() => ready()?.['reason'] === 'Pending');
    hears(live());
    registered = {uid: 'v', generation: 1};
    controller.enqueuePending();
    await eventually(() => ready()?.['status'] === 'True');
  });
});
