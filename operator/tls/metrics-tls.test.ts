import {get} from 'node:https';
import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createManualClock} from '../../adapters/clock/manual-clock.js';
import {createKubeClient} from '../../adapters/kube/client.js';
import {startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLog} from '../../adapters/log.js';
import {issueCa, issueLeaf, type IssuedCertificate} from '../../adapters/tls/index.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {createMetrics} from '../../webhook/metrics/metrics.js';
import {createMetricsServer} from '../../webhook/metrics/metrics-server.js';
import {readEnvironment} from '../config/environment.js';
import {type Flags, parseFlags} from '../config/flags.js';
import {createMetricsTls} from './metrics-tls.js';
import type {ServedSecrets} from './served-secrets.js';

const secrets = 'api/v1/secrets';
const names = {ca: 'metering-ca', pair: 'metering-pair'} as const;
let server: TestApiServer;
let client: KubeClient;

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog});
});
afterEach(async () => {
  client.close();
  await server.close();
});

function secret(name: string): JsonObject | undefined {
  return server.objects(secrets).find(object => ownPath(object, 'metadata', 'name') === name);
}

function flagsOf(args: readonly string[]): Flags {
  const outcome = parseFlags(args, {});
  if ('error' in outcome) throw new Error(outcome.error);
  return outcome.flags;
}

function create(args: readonly string[], warnings: string[] = []): ServedSecrets | undefined {
  const log = {...silentLog, warn: (message: string) => warnings.push(message)};
  return createMetricsTls({client, clock: createManualClock(Date.now()), log, flags: flagsOf(args), environment: readEnvironment({}), read: which => secret(names[which])});
}

async function scrape(port: number, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({host: '127.0.0.1', port, path: '/metrics', ca, servername: 'kyverno-svc-metrics.kyverno.svc', agent: false}, response => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    }).on('error', reject);
  });
}

async function pairOf(ca: IssuedCertificate): Promise<IssuedCertificate> {
  return issueLeaf({ca, algorithm: 'ECDSA', dnsNames: ['kyverno-svc-metrics.kyverno.svc'], ipAddresses: [], now: Date.now()});
}

function store({cert, key}: IssuedCertificate): void {
  const data = {'tls.crt': Buffer.from(cert).toString('base64'), 'tls.key': Buffer.from(key).toString('base64')};
  server.put(secrets, {apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata: {name: names.pair, namespace: 'kyverno'}, data});
}

describe('certificates of /metrics', () => {
  it('are none without the name of a Secret, and half of the names is told', () => {
    const warnings: string[] = [];
    expect(create([], warnings)).toBeUndefined();
    expect(warnings).toEqual([]);
    expect(create(['--metricsCASecretName=metering-ca'], warnings)).toBeUndefined();
    expect(warnings.join()).toContain('--metricsTLSSecretName');
    expect(create(['--disableMetrics', `--metricsCASecretName=${names.ca}`, `--metricsTLSSecretName=${names.pair}`])).toBeUndefined();
  });

  it('are made for the Service of scrapes when both Secrets are named, and whoever trusts the CA reads by HTTPS', async () => {
    const tls = create([`--metricsCASecretName=${names.ca}`, `--metricsTLSSecretName=${names.pair}`, '--metricsKeyAlgorithm=ECDSA'])!;
    expect(() => tls.current()).toThrow('no serving certificate yet');
    expect(await tls.renew()).toBe('done');
    tls.refresh();
    await tls.available;
    const metrics = createMetricsServer({metrics: createMetrics({version: '1.2.3', processMetrics: false}), log: silentLog, tls});
    await metrics.listen(0, '127.0.0.1');
    const {port} = metrics.address()!;
    const ca = Buffer.from(String(ownPath(secret(names.ca), 'data', 'tls.crt')), 'base64').toString('utf8');
    expect(await scrape(port, ca)).toContain('kyverno_info{version="1.2.3"} 1');
    await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
    await metrics.close();
  });

  it('are read alone when a pair is named without its CA, and followed', async () => {
    const [first, second] = await Promise.all([issueCa({algorithm: 'ECDSA', commonName: 'a', now: Date.now()}), issueCa({algorithm: 'ECDSA', commonName: 'b', now: Date.now()})]);
    const warnings: string[] = [];
    const tls = create([`--metricsTLSSecretName=${names.pair}`], warnings)!;
    expect(await tls.renew()).toBe('done');
    tls.refresh();
    expect(secret(names.pair)).toBeUndefined();
    store(await pairOf(first));
    tls.refresh();
    const metrics = createMetricsServer({metrics: createMetrics({version: '1.2.3', processMetrics: false}), log: silentLog, tls});
    await metrics.listen(0, '127.0.0.1');
    const {port} = metrics.address()!;
    expect(await scrape(port, first.cert)).toContain('kyverno_info');
    await expect(scrape(port, second.cert)).rejects.toThrow();

    const next = await pairOf(second);
    store({cert: next.cert, key: first.key});
    tls.refresh();
    expect(warnings.join()).toContain('are no pair');
    expect(await scrape(port, first.cert)).toContain('kyverno_info');

    store(next);
    tls.refresh();
    expect(await scrape(port, second.cert)).toContain('kyverno_info');
    server.remove(secrets, `kyverno/${names.pair}`);
    tls.refresh();
    expect(await scrape(port, second.cert)).toContain('kyverno_info');
    await metrics.close();
  });
});
