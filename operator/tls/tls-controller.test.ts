import {afterEach, beforeEach, describe, expect, it} from 'vitest';
import {createManualClock, type ManualClock} from '../../adapters/clock/manual-clock.js';
import {createKubeClient} from '../../adapters/kube/client.js';
import {startTestApiServer, type TestApiServer} from '../../adapters/kube/testing/api-server.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import {silentLog} from '../../adapters/log.js';
import {splitBundle, verifyChain} from '../../adapters/tls/index.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import {createTlsController, type TlsController} from './tls-controller.js';

const secrets = 'api/v1/secrets';
let server: TestApiServer;
let client: KubeClient;
let clock: ManualClock;
let controller: TlsController;
let published = true;
let bundles = 0;

beforeEach(async () => {
  server = await startTestApiServer();
  client = createKubeClient({kubeConfig: server.kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog});
  clock = createManualClock(Date.now());
  published = true;
  bundles = 0;
  controller = createTlsController({
    client,
    clock,
    log: silentLog,
    namespace: 'kyverno',
    caSecret: 'ca',
    tlsSecret: 'tls',
    service: 'kyverno-svc',
    serverIP: '',
    algorithm: 'ECDSA',
    renewBefore: 15 * 86_400_000,
    manage: true,
    read: () => ({ca: secret('ca'), tls: secret('tls')}),
    onBundle: () => {
      bundles += 1;
    },
    isPublished: () => published,
  });
  expect(await controller.renew()).toBe('done');
  controller.refresh();
});

afterEach(async () => {
  client.close();
  await server.close();
});

function secret(name: string): JsonObject | undefined {
  return server.objects(secrets).find(object => ownPath(object, 'metadata', 'name') === name);
}

function certificateIn(name: string): string {
  return Buffer.from(String(ownPath(secret(name), 'data', 'tls.crt')), 'base64').toString('utf8');
}

function remove(...names: string[]): void {
  for (const name of names) server.remove(secrets, `kyverno/${name}`);
  controller.refresh();
}

describe('certificates in Secrets', () => {
  it('are made at first and left alone while they are good', async () => {
    const first = controller.current();
    expect(verifyChain(first.cert, first.ca, clock.now())).toBeUndefined();
    expect(await controller.renew()).toBe('done');
    controller.refresh();
    expect(controller.current()).toEqual(first);
    expect(bundles).toBe(1);
  });

  it('are served on when both Secrets are gone', () => {
    const first = controller.current();
    remove('ca', 'tls');
    expect(controller.current()).toEqual(first);
  });

  it('a serving pair that is gone is made anew at once: its CA is trusted already', async () => {
    const first = controller.current();
    clock.advance(60_000);
    await controller.renew();
    clock.advance(3_000);
    remove('tls');
    expect(await controller.renew()).toBe('done');
    controller.refresh();
    expect(controller.current().cert).not.toBe(first.cert);
    expect(controller.current().ca).toBe(first.ca);
  });

  it('a CA that is gone is replaced beside the old one, which clients still trust', async () => {
    const first = controller.current();
    remove('ca');
    expect(await controller.renew()).toBe('done');
    controller.refresh();
    const {ca, cert} = controller.current();
    expect(splitBundle(ca)).toHaveLength(2);
    expect(ca.startsWith(first.ca)).toBe(true);
    expect(cert).toBe(first.cert);
    expect(bundles).toBe(2);
  });

  it('a pair of a new CA waits until clients trust that CA', async () => {
    const first = controller.current();
    published = false;
    remove('ca', 'tls');
    expect(await controller.renew()).toBe('later');
    controller.refresh();
    expect(controller.current().cert).toBe(first.cert);
    expect(splitBundle(controller.current().ca)).toHaveLength(2);
    expect(secret('tls')).toBeUndefined();

    published = true;
    expect(await controller.renew()).toBe('later');
    clock.advance(2_999);
    expect(await controller.renew()).toBe('later');
    clock.advance(1);
    expect(await controller.renew()).toBe('done');
    controller.refresh();
    const {ca, cert} = controller.current();
    expect(cert).not.toBe(first.cert);
    expect(verifyChain(cert, first.ca, clock.now())).toBeDefined();
    expect(verifyChain(cert, ca, clock.now())).toBeUndefined();
    expect(certificateIn('ca')).toBe(ca);
  });

  it('a pair does not wait for ever for configurations that nobody can write', async () => {
    published = false;
    remove('ca', 'tls');
    expect(await controller.renew()).toBe('later');
    clock.advance(59_999);
    expect(await controller.renew()).toBe('later');
    clock.advance(1);
    expect(await controller.renew()).toBe('done');
    expect(secret('tls')).toBeDefined();
  });

  it('a Secret that another leader wrote meanwhile is not overwritten', async () => {
    const live = secret('ca')!;
    server.put(secrets, {...live, data: {...(live['data'] as JsonObject), 'tls.key': ''}});
    server.intercept = request => {
      if (request.method !== 'PATCH') return false;
      server.intercept = undefined;
      server.put(secrets, {...secret('ca')!, data: live['data']!});
      return false;
    };
    await expect(controller.renew()).rejects.toMatchObject({status: 409});
    expect(secret('ca')).toMatchObject({data: live['data']});
    expect(await controller.renew()).toBe('done');
  });

  it('a key that cannot be read is replaced', async () => {
    const live = secret('ca')!;
    server.put(secrets, {...live, data: {...(live['data'] as JsonObject), 'tls.key': ''}});
    expect(await controller.renew()).toBe('done');
    expect(splitBundle(certificateIn('ca'))).toHaveLength(2);
  });
});
