import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createManualClock, type ManualClock} from '../../adapters/clock/manual-clock.js';
import {createKubeClient} from '../../adapters/kube/client.js';
import {keyOf} from '../../adapters/kube/reflector.js';
import {createObjectStore, type ObjectStore} from '../../adapters/kube/object-store.js';
import {startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import {eventually, eventuallyBy, turns} from '../../adapters/kube/testing/eventually.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {createLogger} from '../../adapters/log/logger.js';
import {silentLog} from '../../adapters/log.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {PolicyCache} from '../../engine/snapshot/policy-cache.js';
import {defaultConfig} from '../config/config-map.js';
import {parseFlags} from '../config/flags.js';
import {Registry} from 'prom-client';
import {createContests} from './contests.js';
import {createWebhookController, type WebhookController} from './webhook-controller.js';

const validating = 'apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const name = 'kyverno-resource-validating-webhook-cfg';
let server: TestApiServer;
let client: KubeClient;
let clock: ManualClock;
let cache: PolicyCache;
let controller: WebhookController;
let lines: string[];
let frozen: JsonObject | undefined;
let leavingNow: boolean;

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog});
  clock = createManualClock();
  lines = [];
  frozen = undefined;
  leavingNow = false;
  cache = new PolicyCache({
    resources: () => builtinResourceMap,
    compile: {matchConditions: 'by-api-server'},
    exceptions: {enabled: false, operatorNamespace: 'kyverno', exceptionNamespace: ''},
  });
  const parsed = parseFlags([]);
  if ('error' in parsed) throw new Error(parsed.error);
  controller = createWebhookController({
    client,
    clock,
    log: createLogger({format: 'text', verbosity: 0, write: line => void lines.push(line)}),
    cache,
    resources: () => builtinResourceMap,
    lister: storeOf,
    config: () => defaultConfig,
    flags: parsed.flags,
    service: {namespace: 'kyverno', name: 'kyverno-svc'},
    caBundle: () => 'pem',
    owner: () => undefined,
    isLeaving: () => leavingNow,
    contests: createContests({clock, registry: new Registry(), onStart: (_name, message) => void lines.push(message), onChange: () => undefined}),
    onApplied: () => undefined,
  });
  controller.setLeading(true);
  await eventually(() => live() !== undefined);
});

afterEach(async () => {
  await controller.stop();
  client.close();
  await server.close();
});

/** The collection as a mirror without delay has it, but for what is `frozen`. */
function storeOf(resource: string): ObjectStore {
  const store = createObjectStore();
  for (const object of server.objects(`apis/admissionregistration.k8s.io/v1/${resource}`)) store.put(keyOf(object)!, object);
  if (frozen !== undefined && validating.endsWith(`/${resource}`)) store.put(name, frozen);
  return store;
}

function live(): JsonObject | undefined {
  return server.objects(validating).find(object => ownPath(object, 'metadata', 'name') === name);
}

function put(policy: string, kind: string, generation = 1): void {
  const spec = {rules: [{name: 'r', match: {any: [{resources: {kinds: [kind]}}]}, validate: {message: 'm', pattern: {metadata: {name: '?*'}}}}]};
  cache.putPolicy({apiVersion: 'kyverno.io/v1', kind: 'ClusterPolicy', metadata: {name: policy, uid: policy, generation}, spec});
}

async function reconcile(): Promise<void> {
  controller.touch();
  clock.advance(50);
  await turns(4);
}

function vandalize(): void {
  server.put(validating, {...live()!, webhooks: []});
}

function writes(): number {
  return server.requests.filter(({method, path}) => method === 'PUT' && path.endsWith(name)).length;
}

describe('the webhook controller', () => {
  it('covers a policy once the configuration carries it', async () => {
    put('a', 'ConfigMap');
    expect(controller.registered('a')).toBeUndefined();
    await reconcile();
    await eventually(() => controller.registered('a')?.generation === 1);
    expect(JSON.stringify(live())).toContain('configmaps');
  });

  it('writes the webhooks a second time once they are at rest, and not a third', async () => {
    put('a', 'ConfigMap');
    await reconcile();
    await eventually(() => controller.registered('a')?.generation === 1);
    const webhooks = live()!['webhooks'];
    const before = writes();
    await eventuallyBy(clock, 100, () => writes() === before + 1);
    expect(live()!['webhooks']).toEqual(webhooks);
    for (let round = 0; round < 3; round += 1) {
      await reconcile();
      clock.advance(2_000);
      await turns();
    }
    expect(writes()).toBe(before + 1);
  });

  it('covers a policy that comes back before the mirror has heard of its end', async () => {
    put('a', 'ConfigMap');
    await reconcile();
    await eventually(() => controller.registered('a')?.generation === 1);
    const old = structuredClone(live()!);
    frozen = old;
    put('a', 'Secret', 2);
    await reconcile();
    await eventually(() => controller.registered('a')?.generation === 2);
    put('a', 'ConfigMap', 3);
    await reconcile();
    await eventually(() => controller.registered('a')?.generation === 3);
    expect(JSON.stringify(live())).toContain('configmaps');
    expect(JSON.stringify(live())).not.toContain('secrets');
  });

  it('takes no number of own changes for a contest', async () => {
    for (let index = 0; index < 120; index += 1) {
      put('a', index % 2 === 0 ? 'ConfigMap' : 'Secret', index + 1);
      await reconcile();
      await eventually(() => controller.registered('a')?.generation === index + 1);
    }
    expect(lines.join('')).not.toContain('somebody else');
  });

  it('answers who rewrites it every ten seconds in the end, and covers nothing meanwhile', async () => {
    put('a', 'ConfigMap');
    await reconcile();
    await eventually(() => controller.registered('a')?.generation === 1);
    for (let round = 0; !lines.join('').includes('somebody else') && round < 200; round += 1) {
      const before = writes();
      vandalize();
      await reconcile();
      await eventually(() => writes() === before + 1);
    }
    const before = writes();
    vandalize();
    put('b', 'Secret');
    await reconcile();
    expect(writes()).toBe(before);
    expect(controller.registered('b')).toBeUndefined();
    await eventuallyBy(clock, 500, () => controller.registered('b')?.generation === 1);
    expect(writes()).toBe(before + 1);
  });

  it('removes what a peer left under our label and nobody serves, and nothing of others', async () => {
    const entry = {name: 'x.example.test', clientConfig: {service: {namespace: 'kyverno', name: 'gone', path: '/validate'}}};
    const managed = {labels: {'webhook.kyverno.io/managed-by': 'kyverno'}};
    server.put(validating, {metadata: {name: 'kyverno-cleanup-validating-webhook-cfg', ...managed}, webhooks: [entry]});
    server.put(validating, {metadata: {name: 'other', labels: {}}, webhooks: [entry]});
    await reconcile();
    const names = () => server.objects(validating).map(object => ownPath(object, 'metadata', 'name'));
    await eventually(() => !names().includes('kyverno-cleanup-validating-webhook-cfg'));
    expect(names()).toContain('other');
    expect(names()).toContain(name);
  });

  it('makes nothing anew while the installation is being removed', async () => {
    leavingNow = true;
    put('a', 'ConfigMap');
    await reconcile();
    await turns();
    expect(JSON.stringify(live())).not.toContain('configmaps');
    expect(controller.registered('a')).toBeUndefined();
  });
});
