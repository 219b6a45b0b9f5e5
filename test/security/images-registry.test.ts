import {afterEach, describe, expect, it} from 'vitest';
import type {Verifier} from '../../adapters/images/image-source.js';
import {type HostileServer, startHostileServer} from './support/hostile-server.js';
import {createTestImages, manifestOf, manifestType, open, options, pullSecret, queryOf, refusal, sendManifest, sha256} from './support/images.js';

const config = JSON.stringify({architecture: 'amd64', os: 'linux', config: {}});
const manifest = manifestOf(config);
const digest = sha256(manifest);
const other = manifestOf(`${config} `);
const servers: HostileServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map(server => server.close()));
});

async function serve(...answer: Parameters<typeof startHostileServer>): Promise<HostileServer> {
  const server = await startHostileServer(...answer);
  servers.push(server);
  return server;
}

/** An honest registry with one image. */
function honest(): Promise<HostileServer> {
  return serve((request, response) => {
    if (request.url?.includes('/manifests/')) sendManifest(response, manifest);
    else if (request.url?.includes('/blobs/')) response.end(config);
    else response.writeHead(404).end();
  });
}

describe('digest confusion', () => {
  it('other bytes under a digest are refused, the right ones are not', async () => {
    const images = createTestImages();
    const good = await honest();
    expect(await images.imageData(`${good.host}/app@${digest}`, open, options())).toMatchObject({digest});
    const bad = await serve((_, response) => sendManifest(response, other));
    expect(await refusal(() => images.imageData(`${bad.host}/app@${digest}`, open, options()))).toContain('what the registry gave is not sha256:');
  });

  it("a tag stands for the digest of its bytes, whatever the registry's header says", async () => {
    const images = createTestImages();
    const lying = await serve((_, response) => sendManifest(response, other, {'docker-content-digest': digest}));
    expect(await refusal(() => images.resolveDigest(`${lying.host}/app:v1`, open, options()))).toContain('not what the registry says');
    const honestOne = await serve((_, response) => sendManifest(response, other, {'docker-content-digest': sha256(other)}));
    expect(await images.resolveDigest(`${honestOne.host}/app:v1`, open, options())).toBe(sha256(other));
  });

  it('the config of an image has to have the digest of its manifest', async () => {
    const images = createTestImages();
    const swapped = await serve((request, response) => {
      if (request.url?.includes('/manifests/')) sendManifest(response, manifest);
      else response.end(config.replace('amd64', 'arm64'));
    });
    expect(await refusal(() => images.imageData(`${swapped.host}/app:v1`, open, options()))).toContain('what the registry gave is not sha256:');
  });

  it('of tag and digest in one reference the digest is what is proven', async () => {
    const proven: string[] = [];
    const verifier: Verifier = {
      verifySignature: async (_, {image}) => void proven.push(image.digest),
      verifyAttestations: async () => ({statements: [], otherTypes: []}),
      verifyBlob: async () => undefined,
    };
    const images = createTestImages({verifier: async () => verifier});
    const registry = await honest();
    const wanted = `sha256:${'e'.repeat(64)}`;
    expect(await images.verifySignature(queryOf(`${registry.host}/app:v1@${wanted}`), options())).toMatchObject({digest: wanted});
    expect(await images.verifySignature(queryOf(`${registry.host}/app:v1`), options())).toMatchObject({digest});
    expect(proven).toEqual([wanted, digest]);
  });
});

describe('what is too large', () => {
  it('a manifest beyond the limit is refused, by its length and without one', async () => {
    const images = createTestImages();
    const padded = JSON.stringify({...JSON.parse(manifest), annotations: {pad: 'x'.repeat(5 * 1024 * 1024)}});
    const told = await serve((_, response) => sendManifest(response, padded, {'content-length': String(padded.length)}));
    expect(await refusal(() => images.resolveDigest(`${told.host}/app:v1`, open, options()))).toContain('exceeds');
    let sent = 0;
    const endless = await serve((_, response) => {
      response.writeHead(200, {'content-type': manifestType});
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536))) sent += 65_536;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    expect(await refusal(() => images.resolveDigest(`${endless.host}/app:v1`, open, options()))).toContain('exceeds');
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  it('one just below the limit is read', async () => {
    const images = createTestImages();
    const large = JSON.stringify({...JSON.parse(manifest), annotations: {pad: 'x'.repeat(3 * 1024 * 1024)}});
    const registry = await serve((_, response) => sendManifest(response, large));
    expect(await images.resolveDigest(`${registry.host}/app:v1`, open, options())).toBe(sha256(large));
  });

  it('a config beyond the limit is refused', async () => {
    const images = createTestImages();
    const huge = JSON.stringify({architecture: 'amd64', pad: 'x'.repeat(40 * 1024 * 1024)});
    const registry = await serve((request, response) => {
      if (request.url?.includes('/manifests/')) sendManifest(response, manifestOf(huge));
      else response.end(huge);
    });
    expect(await refusal(() => images.imageData(`${registry.host}/app:v1`, open, options()))).toMatch(/exceeds|larger|too large|bytes/);
  });
});

describe('redirects', () => {
  it.each(['http://169.254.169.254/latest/meta-data', 'http://[::1]:1/', 'http://0.0.0.0:1/', 'file:///etc/passwd', 'gopher://127.0.0.1:1/'])('to %s are not followed', async target => {
    const images = createTestImages();
    const registry = await serve((_, response) => response.writeHead(307, {location: target}).end());
    const message = await refusal(() => images.resolveDigest(`${registry.host}/app:v1`, open, options()));
    expect(message).toMatch(/only http and https|not allowed|internal|blocked|denied|closed|loopback|link-local|address/i);
  });

  it('to another port of the machine are not followed, unless an administrator opened it', async () => {
    const inner = await honest();
    const registry = await serve((request, response) => response.writeHead(307, {location: `http://${inner.host}${request.url}`}).end());
    const images = createTestImages();
    await refusal(() => images.resolveDigest(`${registry.host}/app:v1`, open, options()));
    expect(inner.requests).toEqual([]);
    // The guard switched off: the same redirect arrives.
    const opened = createTestImages({allow: ['127.0.0.1']});
    expect(await opened.resolveDigest(`${registry.host}/app:v1`, open, options())).toBe(digest);
    expect(inner.requests.length).toBeGreaterThan(0);
  });

  it('that never end are given up', async () => {
    const registry = await serve((request, response) => response.writeHead(307, {location: `http://${request.headers.host}${request.url}x`}).end());
    const images = createTestImages();
    expect(await refusal(() => images.resolveDigest(`${registry.host}/app:v1`, open, options()))).toContain('redirects');
    expect(registry.requests.length).toBeLessThan(20);
  });

  it('a name that stands for an internal address is not called', async () => {
    const images = createTestImages({lookup: async () => ['169.254.169.254']});
    await refusal(() => images.resolveDigest('registry.example.test/app:v1', open, options()));
    const both = createTestImages({lookup: async () => ['203.0.113.1', '127.0.0.1']});
    await refusal(() => both.resolveDigest('registry.example.test/app:v1', open, options()));
  });
});

describe('credentials', () => {
  const login = {username: 'tenant', password: 'hunter2'};

  function withLogin(host: string, parts: Parameters<typeof createTestImages>[0] = {}) {
    const access = {...open, secrets: [{namespace: 'a', name: 'pull'}]};
    return {access, images: createTestImages({...parts, secrets: async () => pullSecret(host, login)})};
  }

  it('are not shown to a token service of another host', async () => {
    const thief = await serve((_, response) => response.end(JSON.stringify({token: 'x'})));
    const registry = await serve((request, response) => {
      if (request.headers.authorization === 'Bearer x') sendManifest(response, manifest);
      else response.writeHead(401, {'www-authenticate': `Bearer realm="http://localhost:${thief.port}/token",service="r"`}).end();
    });
    const {access, images} = withLogin(registry.host);
    await images.resolveDigest(`${registry.host}/app:v1`, access, options());
    expect(thief.requests.map(({authorization}) => authorization)).toEqual([undefined]);
    // The guard switched off: an administrator named that host as the registry's own.
    const trusting = withLogin(registry.host, {realms: new Map([[registry.host, `localhost:${thief.port}`]])});
    await trusting.images.resolveDigest(`${registry.host}/app:v1`, trusting.access, options());
    expect(thief.requests.at(-1)?.authorization).toBe(`Basic ${Buffer.from('tenant:hunter2').toString('base64')}`);
  });

  it('are not carried along a redirect to another host', async () => {
    const thief = await honest();
    const registry = await serve((request, response) => {
      if (request.headers.authorization === undefined) response.writeHead(401, {'www-authenticate': 'Basic realm="r"'}).end();
      else response.writeHead(307, {location: `http://localhost:${thief.port}${request.url}`}).end();
    });
    const {access, images} = withLogin(registry.host, {allow: ['127.0.0.1', '::1', 'localhost']});
    expect(await images.resolveDigest(`${registry.host}/app:v1`, access, options())).toBe(digest);
    expect(registry.requests.some(({authorization}) => authorization !== undefined)).toBe(true);
    expect(thief.requests.map(({authorization}) => authorization)).toEqual([undefined]);
  });

  it('of one registry are not shown to another one', async () => {
    const registry = await serve((request, response) => {
      if (request.headers.authorization === undefined) response.writeHead(401, {'www-authenticate': 'Basic realm="r"'}).end();
      else sendManifest(response, manifest);
    });
    const {access, images} = withLogin('registry.example.test');
    await refusal(() => images.resolveDigest(`${registry.host}/app:v1`, access, options()));
    expect(registry.requests.map(({authorization}) => authorization)).not.toContain(expect.anything());
    const right = withLogin(registry.host);
    expect(await right.images.resolveDigest(`${registry.host}/app:v1`, right.access, options())).toBe(digest);
  });

  it('stand in no message', async () => {
    const registry = await serve((_, response) => response.writeHead(401, {'www-authenticate': 'Basic realm="r"'}).end('denied'));
    const {access, images} = withLogin(registry.host);
    expect(await refusal(() => images.resolveDigest(`${registry.host}/app:v1`, access, options()))).not.toContain('hunter2');
  });
});

describe('a registry that never answers', () => {
  it('costs a request its time and no more, and the retry finds its images', async () => {
    let silent = true;
    const registry = await serve((_, response) => {
      if (!silent) sendManifest(response, manifest);
    });
    const images = createTestImages({timeoutMs: 1_500});
    const message = await refusal(() => images.resolveDigest(`${registry.host}/app:v1`, open, options({deadline: Date.now() + 300})));
    expect(message).toContain('in the time of the request');
    silent = false;
    await expect.poll(() => Promise.resolve(images.resolveDigest(`${registry.host}/app:v1`, open, options())).catch(() => ''), {timeout: 60_000}).toBe(digest);
  });

  it('that sends a byte now and then is given up too', async () => {
    const registry = await serve((_, response) => {
      response.writeHead(200, {'content-type': manifestType});
      const timer = setInterval(() => response.write(' '), 50);
      response.once('close', () => clearInterval(timer));
    });
    const images = createTestImages({timeoutMs: 700});
    expect(await refusal(() => images.resolveDigest(`${registry.host}/app:v1`, open, options()))).toMatch(/in time|no answer/);
  });

  it('keeps nobody from another registry', async () => {
    const silent = await serve(() => undefined);
    const good = await honest();
    const images = createTestImages({timeoutMs: 3_000});
    const hanging = Array.from({length: 60}, (_, index) => Promise.resolve(images.resolveDigest(`${silent.host}/app:v${index}`, open, options())).catch(() => ''));
    expect(await images.resolveDigest(`${good.host}/app:v1`, open, options())).toBe(digest);
    await Promise.all(hanging);
  });
});
