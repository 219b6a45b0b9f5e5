import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {afterEach, describe, expect, it} from 'vitest';
import {systemClock} from '../clock.js';
import {ImageVerificationError} from '../../engine/image/verification.js';
import {startTestRegistry, type TestRegistry, type TestRegistryOptions} from './testing/test-registry.js';
import {openAccess, pullSecret, testImages} from './testing/test-images.js';

const open: TestRegistry[] = [];
const closers: Array<() => void> = [];
async function start(options?: TestRegistryOptions): Promise<TestRegistry> {
  const registry = await startTestRegistry(options);
  open.push(registry);
  return registry;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map(registry => registry.close()));
  for (const close of closers.splice(0)) close();
});

const options = {deadline: Number.POSITIVE_INFINITY, useCache: true};
async function failure(work: () => unknown): Promise<ImageVerificationError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ImageVerificationError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('data of an image', () => {
  it('has manifest and config, and the digest that the tag stands for', async () => {
    const registry = await start();
    const digest = registry.pushImage('team/app', 'v1');
    const image = `${registry.host}/team/app:v1`;
    expect(await testImages().imageData(image, openAccess, options)).toMatchObject({
      image,
      resolvedImage: `${registry.host}/team/app@${digest}`,
      registry: registry.host,
      repository: 'team/app',
      tag: 'v1',
      digest,
      identifier: 'v1',
      config: {config: {User: '1000'}},
      configData: {architecture: 'amd64'},
      manifest: {schemaVersion: 2},
    });
  });

  it('of an index is that for linux on amd64, beside the index', async () => {
    const registry = await start();
    const arm = registry.pushImage('app', 'arm', {architecture: 'arm64', os: 'linux'});
    const amd = registry.pushImage('app', 'amd', {architecture: 'amd64', os: 'linux'});
    const entry = (digest: string, architecture: string) => ({
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      digest,
      size: 1,
      platform: {os: 'linux', architecture},
    });
    const index = registry.pushManifest(
      'app',
      {schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests: [entry(arm, 'arm64'), entry(amd, 'amd64')]},
      'v1',
    );
    const data = await testImages().imageData(`${registry.host}/app:v1`, openAccess, options);
    expect(data).toMatchObject({digest: index, config: {architecture: 'amd64'}, imageIndex: {schemaVersion: 2}});
  });

  it('is fetched once for a hundred who ask', async () => {
    const registry = await start();
    registry.pushImage('app', 'v1');
    const images = testImages();
    const image = `${registry.host}/app:v1`;
    await Promise.all(Array.from({length: 100}, () => images.imageData(image, openAccess, options)));
    await images.imageData(image, openAccess, options);
    expect(registry.requests.filter(line => line.includes('/manifests/'))).toHaveLength(1);
    expect(registry.requests.filter(line => line.includes('/blobs/'))).toHaveLength(1);
    expect(images.imageData(image, openAccess, options)).not.toBeInstanceOf(Promise);
  });

  it('is not fetched when nobody may be asked', async () => {
    const registry = await start();
    registry.pushImage('app', 'v1');
    const images = testImages();
    const image = `${registry.host}/app:v1`;
    const cacheOnly = {...options, cacheOnly: true};
    expect((await failure(() => images.imageData(image, openAccess, cacheOnly))).reason).toBe('uncached');
    expect(registry.requests).toEqual([]);
    await images.imageData(image, openAccess, options);
    expect(await images.imageData(image, openAccess, cacheOnly)).toMatchObject({tag: 'v1'});
  });
});

describe('credentials', () => {
  const users = {robot: 'secret'};
  const reader = (host: string) => async ({namespace, name}: {namespace: string; name: string}) => {
    if (namespace === 'closed') throw new Error('permission denied: the operator needs get on secrets in closed');
    return name === 'pull' && namespace === 'team' ? pullSecret(host, 'robot', 'secret') : undefined;
  };
  const withSecret = (namespace: string, name = 'pull') => ({...openAccess, secrets: [{namespace, name}]});

  for (const auth of ['basic', 'bearer'] as const) {
    it(`of a pull Secret open a registry (${auth})`, async () => {
      const registry = await start({users, auth});
      const digest = registry.pushImage('app', 'v1');
      const images = testImages({secrets: reader(registry.host)});
      expect(await images.resolveDigest(`${registry.host}/app:v1`, withSecret('team'), options)).toBe(digest);
    });
  }

  it('that are missing are named in the refusal', async () => {
    const registry = await start({users, auth: 'basic'});
    registry.pushImage('app', 'v1');
    const images = testImages({secrets: reader(registry.host)});
    const ask = (access: typeof openAccess) => failure(() => images.resolveDigest(`${registry.host}/app:v1`, access, options));
    expect(await ask(openAccess)).toMatchObject({reason: 'unverified', message: expect.stringContaining('HTTP 401 anonymously')});
    expect((await ask(withSecret('closed'))).message).toContain('Secret closed/pull: permission denied');
    expect((await ask(withSecret('team', 'none'))).message).toContain('Secret team/none does not exist');
  });

  it('that come later are used on the next try but one', async () => {
    const registry = await start({users, auth: 'basic'});
    const digest = registry.pushImage('app', 'v1');
    let now = 0;
    let isThere = false;
    const secrets = async () => (isThere ? pullSecret(registry.host, 'robot', 'secret') : undefined);
    const images = testImages({secrets, clock: {...systemClock, monotonic: () => now}});
    const ask = () => images.resolveDigest(`${registry.host}/app:v1`, withSecret('team'), options);
    expect((await failure(ask)).message).toContain('Secret team/pull does not exist');
    isThere = true;
    const asked = registry.requests.length;
    await failure(ask);
    expect(registry.requests).toHaveLength(asked);
    now += 2_500;
    expect(await ask()).toBe(digest);
  });

  it('of one namespace do not open what another has asked for', async () => {
    const registry = await start({users});
    registry.pushImage('app', 'v1');
    const images = testImages({secrets: reader(registry.host)});
    const image = `${registry.host}/app:v1`;
    await images.imageData(image, withSecret('team'), options);
    await failure(() => images.imageData(image, openAccess, options));
    await failure(() => images.imageData(image, withSecret('other'), options));
  });

  it('are not shown to a token service of another host', async () => {
    const seen: string[] = [];
    const service = createServer((request, response) => {
      seen.push(`${request.url} ${request.headers.authorization ?? 'nothing'}`);
      response.writeHead(401).end();
    });
    await new Promise<void>(resolve => service.listen(0, '127.0.0.1', resolve));
    closers.push(() => service.close());
    const registry = await start({users, realm: `localhost:${(service.address() as AddressInfo).port}`});
    registry.pushImage('app', 'v1');
    const images = testImages({secrets: reader(registry.host)});
    const refusal = await failure(() => images.resolveDigest(`${registry.host}/app:v1`, withSecret('team'), options));
    expect(seen).toEqual([expect.stringContaining('nothing')]);
    expect(refusal.message).toContain('was not shown the credentials of Secret team/pull');
  });
});

describe('a registry that means harm', () => {
  it('cannot give other bytes than those of a digest', async () => {
    const registry = await start({
      intercept: (request, response) => {
        if (!request.url?.includes('/manifests/sha256')) return false;
        response.writeHead(200, {'content-type': 'application/vnd.oci.image.manifest.v1+json'}).end('{"schemaVersion":2}');
        return true;
      },
    });
    const digest = registry.pushImage('app', 'v1');
    const refusal = await failure(() => testImages().imageData(`${registry.host}/app@${digest}`, openAccess, options));
    expect(refusal).toMatchObject({reason: 'unverified', message: expect.stringContaining(`is not ${digest}`)});
  });

  it('cannot say a digest that its manifest does not have', async () => {
    const registry = await start({
      intercept: (request, response) => {
        if (!request.url?.includes('/manifests/')) return false;
        response.writeHead(200, {'docker-content-digest': `sha256:${'0'.repeat(64)}`}).end('{"schemaVersion":2}');
        return true;
      },
    });
    const refusal = await failure(() => testImages().resolveDigest(`${registry.host}/app:v1`, openAccess, options));
    expect(refusal.message).toContain('not what the registry says');
  });

  it('cannot fill the memory', async () => {
    const registry = await start({
      intercept: (_request, response) => {
        response.writeHead(200);
        const chunk = Buffer.alloc(256 * 1024, ' ');
        const pour = () => {
          while (response.writable && response.write(chunk)) {
            // As long as it is taken.
          }
        };
        response.on('drain', pour);
        pour();
        return true;
      },
    });
    const refusal = await failure(() => testImages().resolveDigest(`${registry.host}/app:v1`, openAccess, options));
    expect(refusal.message).toContain('exceeds 4194304 bytes');
  });

  it('cannot hold a caller beyond its deadline, and the work goes on for the next one', async () => {
    let answer = () => {};
    const registry = await start({
      intercept: (request, response) => {
        if (request.headers['x-later'] !== undefined) return false;
        answer = () => {
          response.writeHead(200, {'content-type': 'application/vnd.oci.image.manifest.v1+json'}).end('{"schemaVersion":2}');
        };
        return true;
      },
    });
    const images = testImages();
    const image = `${registry.host}/app:v1`;
    const refusal = await failure(() => images.resolveDigest(image, openAccess, {deadline: Date.now() + 200, useCache: true}));
    expect(refusal).toMatchObject({reason: 'unreachable', message: expect.stringContaining('time of the request')});
    answer();
    expect(await images.resolveDigest(image, openAccess, options)).toMatch(/^sha256:/);
    expect(registry.requests.filter(line => line.includes('/manifests/'))).toHaveLength(1);
  });

  it('cannot lead to addresses inside, and redirects carry no credentials to another host', async () => {
    const seen: string[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization ?? 'nothing');
      response.end('{}');
    });
    await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve));
    closers.push(() => other.close());
    const targets = ['http://169.254.169.254/latest/', `http://127.0.0.1:${(other.address() as AddressInfo).port}/`, 'http://[::ffff:7f00:1]/'];
    for (const target of targets) {
      const registry = await start({
        intercept: (_request, response) => {
          response.writeHead(307, {location: target}).end();
          return true;
        },
      });
      const refusal = await failure(() => testImages().resolveDigest(`${registry.host}/app:v1`, openAccess, options));
      expect(refusal.message).toContain('blocked range');
    }
    expect(seen).toEqual([]);
  });

  it('is asked again after the time it names, and an answer of 429 for good is no proof', async () => {
    let count = 0;
    const registry = await start({
      intercept: (_request, response) => {
        count += 1;
        if (count > 1) return false;
        response.writeHead(429, {'retry-after': '0'}).end();
        return true;
      },
    });
    const digest = registry.pushImage('app', 'v1');
    expect(await testImages().resolveDigest(`${registry.host}/app:v1`, openAccess, options)).toBe(digest);
    const busy = await start({
      intercept: (_request, response) => {
        response.writeHead(429, {'retry-after': '3600'}).end();
        return true;
      },
    });
    expect((await failure(() => testImages().resolveDigest(`${busy.host}/app:v1`, openAccess, options))).reason).toBe('unreachable');
  });
});

describe('addresses that are no registries', () => {
  const rows: ReadonlyArray<readonly [string, string, string]> = [
    ['the machine itself without leave of the installation', '127.0.0.1:1/app', 'blocked range'],
    ['cloud metadata', '169.254.169.254/app', 'blocked range'],
    ['a name for the machine', 'localhost:1/app', 'blocked range'],
    ['the API server', 'kubernetes.default.svc/app', 'the API server is no registry'],
    ['no reference', 'Not An Image', 'no image reference'],
    ['a digest that is no proof', `r.io/app@md5:${'0'.repeat(32)}`, 'digests are sha256'],
    ['upper case in a digest', `r.io/app@sha256:${'A'.repeat(64)}`, 'digests are sha256'],
    ['letters that look like others', 'ghcr.io/kyvеrno/app', 'no image reference'],
  ];
  for (const [name, image, message] of rows) {
    it(`${name}: ${JSON.stringify(image)}`, async () => {
      const images = testImages({allowInsecureRegistry: false});
      expect((await failure(() => images.imageData(image, openAccess, options))).message).toContain(message);
    });
  }

  it('plain HTTP needs the leave of installation and policy', async () => {
    const registry = await start();
    registry.pushImage('app', 'v1');
    const image = `${registry.host}/app:v1`;
    const allow = ['127.0.0.1/32'];
    const secure = {...openAccess, allowInsecureRegistry: false};
    await failure(() => testImages({allow, allowInsecureRegistry: false}).resolveDigest(image, openAccess, options));
    await failure(() => testImages({allow}).resolveDigest(image, secure, options));
    expect(registry.requests).toEqual([]);
  });
});
