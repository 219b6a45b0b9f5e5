import {mkdtemp, writeFile} from 'node:fs/promises';
import {createServer, type Server} from 'node:https';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {TLSSocket} from 'node:tls';
import {afterAll, beforeAll, beforeEach, describe, expect, it} from 'vitest';
import {systemClock} from '../clock.js';
import {createNameLookup} from '../http/name-lookup.js';
import {createServiceCaller} from '../http/service-caller.js';
import {silentLog} from '../log.js';
import {type IssuedCertificate, issueCa, issueLeaf} from '../tls/index.js';
import {createKubeClient} from './client.js';
import {loadInClusterConfig, loadKubeconfig} from './config.js';

let ca: IssuedCertificate;
let otherCa: IssuedCertificate;
let server: Server;
let port: number;
let directory: string;
let seen: Array<{authorization: string | undefined; clientCertificate: boolean}> = [];

beforeAll(async () => {
  const now = Date.now();
  ca = await issueCa({algorithm: 'ECDSA', now, commonName: 'test'});
  otherCa = await issueCa({algorithm: 'ECDSA', now, commonName: 'other'});
  const leaf = await issueLeaf({ca, algorithm: 'ECDSA', dnsNames: ['data.shop.svc'], ipAddresses: ['127.0.0.1'], now});
  server = createServer(
    {cert: leaf.cert, key: leaf.key, ca: ca.cert, requestCert: true, rejectUnauthorized: false},
    (request, response) => {
      const clientCertificate = (request.socket as TLSSocket).getPeerX509Certificate() !== undefined;
      seen.push({authorization: request.headers.authorization, clientCertificate});
      response.writeHead(200, {'content-type': 'application/json'});
      response.end('{"kind":"Pod"}');
    },
  );
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
});

beforeEach(async () => {
  seen = [];
  directory = await mkdtemp(join(tmpdir(), 'account-'));
  await writeFile(join(directory, 'token'), 'in-cluster-token\n');
  await writeFile(join(directory, 'ca.crt'), ca.cert);
  await writeFile(join(directory, 'namespace'), 'kyverno');
});

function environment(): NodeJS.ProcessEnv {
  return {
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: String(port),
    KYVERNO_SERVICEACCOUNT_DIR: directory,
  };
}

async function read(kubeConfig: ReturnType<typeof loadKubeconfig>['kubeConfig']): Promise<unknown> {
  const client = createKubeClient({kubeConfig, userAgent: 'kyverno', qps: 0, burst: 0, log: silentLog});
  try {
    return await client.get({group: '', version: 'v1', resource: 'pods', namespace: 'a', name: 'b'});
  } finally {
    client.close();
  }
}

describe('TLS connections', () => {
  it("uses the Pod's ServiceAccount, from another directory when told so", async () => {
    const {kubeConfig, namespace} = loadInClusterConfig(environment());
    expect(namespace).toBe('kyverno');
    expect(await read(kubeConfig)).toEqual({kind: 'Pod'});
    expect(seen[0]?.authorization).toBe('Bearer in-cluster-token');
  });

  it('does not talk to an API server of another authority', async () => {
    await writeFile(join(directory, 'ca.crt'), otherCa.cert);
    await expect(read(loadInClusterConfig(environment()).kubeConfig)).rejects.toMatchObject({
      status: 0,
      reason: 'Network',
    });
    expect(seen).toEqual([]);
  });

  it('says that it does not run in a cluster', () => {
    expect(() => loadInClusterConfig({})).toThrow('not in a cluster');
  });

  it('shows the client certificate of a kubeconfig', async () => {
    const user = await issueLeaf({ca, algorithm: 'ECDSA', dnsNames: ['admin'], now: Date.now()});
    const encode = (pem: string) => Buffer.from(pem).toString('base64');
    const file = join(directory, 'kubeconfig');
    await writeFile(
      file,
      JSON.stringify({
        clusters: [
          {name: 'c', cluster: {server: `https://127.0.0.1:${port}`, 'certificate-authority-data': encode(ca.cert)}},
        ],
        users: [{name: 'u', user: {'client-certificate-data': encode(user.cert), 'client-key-data': encode(user.key)}}],
        contexts: [{name: 'x', context: {cluster: 'c', user: 'u', namespace: 'shop'}}],
        'current-context': 'x',
      }),
    );
    const {kubeConfig, namespace} = loadKubeconfig(file);
    expect(namespace).toBe('shop');
    await read(kubeConfig);
    expect(seen).toEqual([{authorization: undefined, clientCertificate: true}]);
    expect(() => loadKubeconfig(file, 'missing')).toThrow('not complete');
  });

  it('runs an exec plugin for a token', async () => {
    const file = join(directory, 'kubeconfig');
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: {token: 'from-plugin'},
    };
    await writeFile(
      file,
      JSON.stringify({
        clusters: [
          {
            name: 'c',
            cluster: {
              server: `https://127.0.0.1:${port}`,
              'certificate-authority-data': Buffer.from(ca.cert).toString('base64'),
            },
          },
        ],
        users: [
          {name: 'u', user: {exec: {command: process.execPath, args: ['-p', `'${JSON.stringify(credential)}'`]}}},
        ],
        contexts: [{name: 'x', context: {cluster: 'c', user: 'u'}}],
        'current-context': 'x',
      }),
    );
    await read(loadKubeconfig(file).kubeConfig);
    expect(seen[0]?.authorization).toBe('Bearer from-plugin');
  });

  const services = createServiceCaller({
    clock: systemClock,
    lookup: createNameLookup({resolve: async () => ['127.0.0.1']}),
    allow: ['127.0.0.1'],
  });
  const service = (host: string, caBundle?: string) =>
    services({url: `https://${host}:${port}/`, method: 'GET', headers: [], caBundle}, Number.POSITIVE_INFINITY);

  it('calls a service whose certificate the policy vouches for, by its name', async () => {
    expect(await service('data.shop.svc', ca.cert)).toEqual({kind: 'Pod'});
    expect(seen).toEqual([{authorization: undefined, clientCertificate: false}]);
  });

  for (const [name, host, bundle] of [
    ['of another name', 'other.shop.svc', () => ca.cert],
    ['of another authority', 'data.shop.svc', () => otherCa.cert],
    ['that nobody vouches for', 'data.shop.svc', () => undefined],
  ] as const) {
    it(`does not call a service ${name}`, async () => {
      await expect(service(host, bundle())).rejects.toThrow('service call to');
      expect(seen).toEqual([]);
    });
  }
});
