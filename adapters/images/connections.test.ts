import {afterAll, afterEach, beforeAll, describe, expect, it} from 'vitest';
import type {RegistryAccess} from '../../engine/image/verification.js';
import {type IssuedCertificate, issueCa, issueLeaf} from '../tls/index.js';
import type {ImageParts} from './create-image-source.js';
import {readProxies} from './registry/proxy.js';
import {openAccess, testImages} from './testing/test-images.js';
import {startTestRegistry, type TestRegistry, type TestRegistryOptions} from './testing/test-registry.js';
import {startTestProxy, startTlsFront, type TestProxy} from './testing/tls-front.js';

/** How registries are reached: their certificates, mirrors and proxies, with real servers on loopback. */
const closers: Array<() => Promise<void>> = [];
let authority: IssuedCertificate;
let stranger: IssuedCertificate;

beforeAll(async () => {
  const now = Date.now();
  authority = await issueCa({commonName: 'Private CA', algorithm: 'ECDSA', now});
  stranger = await issueCa({commonName: 'Other CA', algorithm: 'ECDSA', now});
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const options = {deadline: Number.POSITIVE_INFINITY, useCache: false};
const provenAccess: RegistryAccess = {secrets: [], providers: [], allowInsecureRegistry: false};

interface Served {
  readonly registry: TestRegistry;
  /** `name:port`. */
  readonly host: string;
}

/** A registry behind TLS, by names that stand for loopback. */
async function serve(name: string, more: {readonly ca?: IssuedCertificate; readonly certified?: string; readonly days?: number} & TestRegistryOptions = {}): Promise<Served> {
  const {ca = authority, certified = name, days, ...rest} = more;
  const registry = await startTestRegistry(rest);
  const now = days === undefined ? Date.now() : Date.now() - 400 * 86_400_000;
  const leaf = await issueLeaf({ca, algorithm: 'ECDSA', dnsNames: [certified], now, ...(days !== undefined && {days})});
  const front = await startTlsFront(registry.host, leaf);
  closers.push(() => registry.close(), () => front.close());
  return {registry, host: `${name}:${front.port}`};
}

/** As an operator with that authority, to which loopback is opened as a network of its own. */
function imagesOf(parts: Partial<ImageParts> = {}) {
  return testImages({allowInsecureRegistry: false, caBundle: authority.cert, allow: ['127.0.0.0/8'], lookup: async () => ['127.0.0.1'], ...parts});
}

async function failure(work: () => Promise<unknown> | unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    return `${(error as {reason?: string}).reason}: ${(error as Error).message}`;
  }
  throw new Error('nothing was refused');
}

describe("a registry's certificate", () => {
  it('of a private authority counts where the bundle has that authority, and nowhere else', async () => {
    const {registry, host} = await serve('reg.test');
    const digest = registry.pushImage('app', 'v1');
    expect(await imagesOf().resolveDigest(`${host}/app:v1`, provenAccess, options)).toBe(digest);
    for (const caBundle of [undefined, stranger.cert]) {
      expect(await failure(() => imagesOf({caBundle}).resolveDigest(`${host}/app:v1`, provenAccess, options))).toMatch(/^unreachable: .*(CERT|certificate|SIGNATURE|ISSUER)/i);
    }
    expect(registry.requests).toHaveLength(1);
  });

  it('counts where the bundle holds several authorities', async () => {
    const {registry, host} = await serve('reg.test');
    const digest = registry.pushImage('app', 'v1');
    const images = imagesOf({caBundle: `${stranger.cert}\n${authority.cert}`});
    expect(await images.resolveDigest(`${host}/app:v1`, provenAccess, options)).toBe(digest);
  });

  it.each([
    ['for another name', {certified: 'other.test'}],
    ['that has expired', {days: 1}],
  ])('does not count: %s', async (_, more) => {
    const {registry, host} = await serve('reg.test', more);
    registry.pushImage('app', 'v1');
    expect(await failure(() => imagesOf().resolveDigest(`${host}/app:v1`, provenAccess, options))).toMatch(/^unreachable: /);
    expect(registry.requests).toEqual([]);
  });

  it.each([
    ['nobody allows that', false, provenAccess, false],
    ['the policy alone allows that', false, openAccess, false],
    ['the installation alone allows that', true, provenAccess, false],
    ['both allow that', true, openAccess, true],
  ] as const)('is not asked for, nor is TLS, only by flag: %s', async (_, allowInsecureRegistry, access, isOpen) => {
    const {registry, host} = await serve('reg.test', {ca: stranger});
    const plain = await startTestRegistry();
    closers.push(() => plain.close());
    const images = imagesOf({allowInsecureRegistry});
    for (const [one, place] of [[registry, host], [plain, `plain.test:${plain.host.split(':')[1]}`]] as const) {
      const digest = one.pushImage('app', 'v1');
      const ask = () => images.resolveDigest(`${place}/app:v1`, access, options);
      if (isOpen) expect(await ask()).toBe(digest);
      else {
        expect(await failure(ask)).toMatch(/^unreachable: /);
        expect(one.requests).toEqual([]);
      }
    }
  });
});

describe('a mirror', () => {
  const mirrored = async (more: Partial<ImageParts> = {}, mirrorOptions: TestRegistryOptions = {}) => {
    const mirror = await serve('mirror.test', mirrorOptions);
    const origin = await serve('reg.test');
    const images = imagesOf({mirrors: new Map([[origin.host, [`${mirror.host}/hub`]]]), ...more});
    return {mirror, origin, images};
  };

  it('is asked first, below its path, and the registry is not asked', async () => {
    const {mirror, origin, images} = await mirrored();
    const digest = mirror.registry.pushImage('hub/app', 'v1');
    expect(await images.imageData(`${origin.host}/app:v1`, provenAccess, options)).toMatchObject({digest, registry: origin.host});
    expect(mirror.registry.requests[0]).toBe('GET /v2/hub/app/manifests/v1');
    expect(origin.registry.requests).toEqual([]);
  });

  it.each<[string, TestRegistryOptions]>([
    ['does not have the image', {}],
    ['wants credentials that nobody has', {users: {a: 'b'}}],
    ['is broken', {intercept: (_, response) => Boolean(response.writeHead(500).end())}],
  ])('that %s leaves the answer to the registry', async (_, mirrorOptions) => {
    const {origin, images} = await mirrored({}, mirrorOptions);
    const digest = origin.registry.pushImage('app', 'v1');
    expect(await images.resolveDigest(`${origin.host}/app:v1`, provenAccess, options)).toBe(digest);
  });

  it('that is gone leaves the answer to the registry', async () => {
    const origin = await serve('reg.test');
    const digest = origin.registry.pushImage('app', 'v1');
    const images = imagesOf({mirrors: new Map([[origin.host, ['127.0.0.1:1']]])});
    expect(await images.resolveDigest(`${origin.host}/app:v1`, provenAccess, options)).toBe(digest);
  });

  it('cannot put other content under a digest', async () => {
    const {mirror, origin, images} = await mirrored({}, {intercept: (request, response) => {
      if (!request.url?.includes('/manifests/sha256:')) return false;
      return Boolean(response.writeHead(200, {'content-type': 'application/vnd.oci.image.manifest.v1+json'}).end('{"schemaVersion":2}'));
    }});
    mirror.registry.pushImage('hub/app', 'v1');
    const digest = origin.registry.pushImage('app', 'v1');
    const asked = images.imageData(`${origin.host}/app@${digest}`, provenAccess, options);
    expect(await asked).toMatchObject({digest});
  });

  it('is not shown the credentials of its registry', async () => {
    const mirror = await serve('mirror.test', {users: {robot: 'secret'}, auth: 'basic'});
    const origin = await serve('reg.test', {users: {robot: 'secret'}, auth: 'basic'});
    mirror.registry.pushImage('app', 'v1');
    const digest = origin.registry.pushImage('app', 'v1');
    const images = imagesOf({
      mirrors: new Map([[origin.host, [mirror.host]]]),
      helpers: ['only-the-registry'],
      keychains: () => () => async registry => (registry === origin.host ? {username: 'robot', password: 'secret', owner: 'test'} : undefined),
    });
    expect(await images.resolveDigest(`${origin.host}/app:v1`, provenAccess, options)).toBe(digest);
    expect(mirror.registry.requests.filter(line => line.includes('Basic'))).toEqual([]);
    expect(origin.registry.requests.filter(line => line.includes('Basic'))).toHaveLength(1);
  });
});

describe('a proxy', () => {
  let proxy: TestProxy;
  let strict: TestProxy;
  beforeAll(async () => {
    proxy = await startTestProxy();
    strict = await startTestProxy('me:s3cret');
  });
  afterAll(async () => {
    await proxy?.close();
    await strict?.close();
  });
  afterEach(() => {
    for (const {requests} of [proxy, strict]) requests.splice(0);
  });
  /** Who finds no name himself: only the proxy can reach anybody. */
  const behind = (environment: Record<string, string>, parts: Partial<ImageParts> = {}) =>
    imagesOf({proxy: readProxies(environment), lookup: async () => Promise.reject(Object.assign(new Error('no such name'), {code: 'ENOTFOUND'})), ...parts});

  it('of HTTPS_PROXY takes what goes to registries, and their certificates are still proven', async () => {
    const {registry, host} = await serve('reg.test');
    const digest = registry.pushImage('app', 'v1');
    const environment = {HTTPS_PROXY: proxy.url};
    expect(await behind(environment).resolveDigest(`${host}/app:v1`, provenAccess, options)).toBe(digest);
    expect(proxy.requests).toEqual([`CONNECT ${host}`]);
    const other = behind(environment, {caBundle: stranger.cert});
    expect(await failure(() => other.resolveDigest(`${host}/app:v1`, provenAccess, options))).toMatch(/^unreachable: /);
  });

  it('of HTTP_PROXY takes plain HTTP where that is allowed', async () => {
    const registry = await startTestRegistry();
    closers.push(() => registry.close());
    const digest = registry.pushImage('app', 'v1');
    const host = `plain.test:${registry.host.split(':')[1]}`;
    const images = behind({HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url}, {allowInsecureRegistry: true});
    expect(await images.resolveDigest(`${host}/app:v1`, openAccess, options)).toBe(digest);
    expect(proxy.requests.at(-1)).toBe(`GET http://${host}/v2/app/manifests/v1`);
  });

  it.each(['reg.test', '.test', '*'])('is not asked for what NO_PROXY exempts: %s', async exempt => {
    const {registry, host} = await serve('reg.test');
    const digest = registry.pushImage('app', 'v1');
    const images = imagesOf({proxy: readProxies({https_proxy: proxy.url, no_proxy: `example.org,${exempt}`})});
    expect(await images.resolveDigest(`${host}/app:v1`, provenAccess, options)).toBe(digest);
    expect(proxy.requests).toEqual([]);
  });

  it('is shown its own credentials, which the registry never sees', async () => {
    const seen: string[] = [];
    const {registry, host} = await serve('reg.test', {
      intercept: request => {
        seen.push(...Object.keys(request.headers));
        return false;
      },
    });
    const digest = registry.pushImage('app', 'v1');
    const images = behind({HTTPS_PROXY: strict.url.replace('//', '//me:s3cret@')});
    expect(await images.resolveDigest(`${host}/app:v1`, provenAccess, options)).toBe(digest);
    expect(seen).toContain('host');
    expect(seen).not.toContain('proxy-authorization');
  });

  it('that refuses is told, without its password', async () => {
    const {registry, host} = await serve('reg.test');
    registry.pushImage('app', 'v1');
    const images = behind({HTTPS_PROXY: strict.url.replace('//', '//me:wrong@')});
    const told = await failure(() => images.resolveDigest(`${host}/app:v1`, provenAccess, options));
    expect(told).toMatch(/^unreachable: .*the proxy refused .*407/);
    expect(told).not.toContain('wrong');
  });

  it('opens no address that is closed', async () => {
    const images = behind({HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url}, {allow: [], allowInsecureRegistry: true});
    expect(await failure(() => images.resolveDigest('169.254.169.254/app:v1', openAccess, options))).toMatch(/^unverified: /);
    expect(proxy.requests).toEqual([]);
  });
});
