import {execFile} from 'node:child_process';
import {readFileSync} from 'node:fs';
import http, {type IncomingMessage} from 'node:http';
import https from 'node:https';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {promisify} from 'node:util';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {type Cluster, startCluster} from '../cluster/cluster.js';
import {addWitness, eventually} from '../cluster/eventually.js';
import {installOperator, type Manifest, programFolder} from '../cluster/install-operator.js';
import {createBarrier} from '../e2e/support/barrier.js';
import {ensureBuilt, program, repository} from '../e2e/support/build.js';
import {guideSuite} from '../e2e/support/guide-suite.js';
import {judgeSystemNamespaces} from '../e2e/support/judge-system-namespaces.js';
import {createLogReader, type LogReader} from '../e2e/support/log-reader.js';
import type {OperatorCluster} from '../e2e/support/operator-cluster.js';
import {operatorWitness} from '../e2e/support/witness.js';
import type {GuidePlan} from '../e2e/support/guide-plan.js';
import {guidePolicyFiles, guideRoot} from '../guide/load.js';
import {createPodNetwork, missingForPodNetwork} from '../kubelet/network.js';
import {createSandboxes} from '../kubelet/sandbox.js';
import {forbidden} from './forbidden.js';

export interface Installation {
  /** Such as `the manifest`. */
  readonly name: string;
  readonly replicas: number;
  /** All objects but the CustomResourceDefinitions. */
  readonly objects: () => Promise<readonly Manifest[]>;
  /** Secret with the CA of `/metrics`, where that is served by HTTPS. */
  readonly metricsCa?: string;
}

const missing = await missingForPodNetwork();

/** A fresh control plane with the operator as its users install it: the whole guide, and no request without the right to it. */
export function installSuite({name, replicas, objects, metricsCa}: Installation): void {
  describe.skipIf(missing !== undefined)(`${name}, ${replicas} replicas${missing === undefined ? '' : ` (${missing})`}`, () => {
    let operator: OperatorCluster;
    let log: LogReader;

    beforeAll(async () => {
      operator = await startInstalled(replicas, await objects());
      log = createLogReader(operator.agent);
      await judgeSystemNamespaces(operator.cluster);
    });
    afterAll(() => operator?.stop());

    it('has every replica behind its Service, each with an address of its own', async () => {
      interface Slices {
        readonly items: ReadonlyArray<{readonly endpoints?: ReadonlyArray<{readonly addresses: readonly string[]; readonly conditions: {readonly ready?: boolean}}>}>;
      }
      const path = '/apis/discovery.k8s.io/v1/namespaces/kyverno/endpointslices?labelSelector=kubernetes.io/service-name%3Dkyverno-svc';
      // The controller of the slices follows the Pods.
      const addresses = await eventually(
        async () => {
          const {body} = await operator.cluster.request<Slices>('GET', path);
          const ready = body.items.flatMap(({endpoints = []}) => endpoints.filter(({conditions}) => conditions.ready).flatMap(each => each.addresses));
          return new Set(ready).size === replicas ? ready : undefined;
        },
        {what: `${replicas} addresses behind the Service`},
      );
      expect(addresses.toSorted()).toEqual(operator.agent.replicas().map(({address}) => address).toSorted());
    });

    it(`shows its metrics on every replica, by ${metricsCa === undefined ? 'HTTP' : 'HTTPS'}`, async () => {
      const ca = metricsCa === undefined ? undefined : await certificateIn(operator.cluster, metricsCa);
      for (const {address, metricsPort} of operator.agent.replicas()) {
        // Each replica listens when it has heard of the pair.
        const shown = await eventually(() => scrape({host: address, port: metricsPort}, ca), {what: `metrics of ${address}`});
        expect(shown).toContain('kyverno_info');
      }
    });

    const root = guideRoot() ?? join(repository, 'test/e2e/testdata/guide');
    guideSuite(guideRoot() === undefined ? 'own samples' : 'the guide', root, () => ({operator, log}), grantPrinted);

    it('was never refused a request', () => {
      expect(forbidden(readFileSync(join(operator.cluster.dir, 'audit.log'), 'utf8'))).toEqual([]);
    });
  });
}

/** Admission does not wait for it. */
async function certificateIn({request}: Pick<Cluster, 'request'>, secret: string): Promise<string> {
  const path = `/api/v1/namespaces/kyverno/secrets/${secret}`;
  const text = await eventually(async () => (await request<{readonly data?: Readonly<Record<string, string>>}>('GET', path)).body.data?.['tls.crt'], {what: `Secret ${secret}`});
  return Buffer.from(text, 'base64').toString('utf8');
}

/** As the ServiceMonitor of the chart says. */
function scrape(at: {readonly host: string; readonly port: number}, ca: string | undefined): Promise<string> {
  const target = {...at, path: '/metrics', agent: false} as const;
  return new Promise((resolve, reject) => {
    const answered = (response: IncomingMessage) => text(response).then(resolve, reject);
    const request = ca === undefined ? http.get(target, answered) : https.get({...target, ca, servername: 'kyverno-svc-metrics.kyverno.svc'}, answered);
    request.on('error', reject);
  });
}

/** The roles that `kyverno rbac` prints for the policies, as an administrator would apply them. */
async function grantPrinted({cluster}: OperatorCluster, _name: string, {root, outlines}: GuidePlan): Promise<void> {
  // Outlines are refused: there is nothing that they need.
  const unfinished = new Set(outlines.map(row => row.resource));
  const files = guidePolicyFiles(root)
    .filter(file => !unfinished.has(file))
    .map(file => join(root, file));
  const {stdout} = await promisify(execFile)(process.execPath, [program, 'rbac', ...files], {maxBuffer: 16 * 1024 * 1024});
  await cluster.kubectl(['apply', '-f', '-'], {input: stdout});
}

async function startInstalled(replicas: number, manifests: readonly Manifest[]): Promise<OperatorCluster> {
  await ensureBuilt();
  const network = await createPodNetwork();
  const cluster = await startCluster({nodeAddress: network.nodeAddress, aggregatorRouting: true, auditLog: true});
  try {
    const barrier = await createBarrier(cluster);
    const sandboxes = createSandboxes({cluster, network, folders: [[join(repository, 'dist'), programFolder]]});
    const operator = await installOperator(cluster, {replicas, manifests, sandboxes, args: ['--loggingFormat=json', '--v=4']});
    const dismiss = addWitness(operatorWitness(cluster, operator.agent));
    return {
      ...operator,
      cluster,
      barrier,
      async stop() {
        dismiss();
        await operator.stop();
        await cluster.stop();
        await network.remove();
      },
    };
  } catch (error) {
    await cluster.stop();
    await network.remove();
    throw error;
  }
}
