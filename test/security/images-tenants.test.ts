import {afterEach, describe, expect, it} from 'vitest';
import type {Verifier} from '../../adapters/images/image-source.js';
import type {RegistryAccess} from '../../engine/image/verification.js';
import {type HostileServer, startHostileServer} from './support/hostile-server.js';
import {createTestImages, manifestOf, open, options, pullSecret, queryOf, refusal, sendManifest, sha256} from './support/images.js';

const config = '{"architecture":"amd64"}';
const manifest = manifestOf(config);
const digest = sha256(manifest);
const password = {a: 'of-a', b: 'of-b'} as const;
let registry: HostileServer | undefined;

afterEach(() => registry?.close());

/** A registry that only tenant `a` may pull from. */
async function privateRegistry(): Promise<HostileServer> {
  const header = `Basic ${Buffer.from(`user:${password.a}`).toString('base64')}`;
  registry = await startHostileServer((request, response) => {
    if (request.headers.authorization !== header) response.writeHead(401, {'www-authenticate': 'Basic realm="r"'}).end();
    else if (request.url?.includes('/blobs/')) response.end(config);
    else sendManifest(response, manifest);
  });
  return registry;
}

const accessOf = (namespace: string): RegistryAccess => ({...open, secrets: [{namespace, name: 'pull'}]});

const verifier: Verifier = {
  async verifySignature(_, {client, session, image}) {
    await client.manifest(image, image.digest, session);
  },
  verifyAttestations: async () => ({statements: [{secret: 'of a'}], otherTypes: []}),
  verifyBlob: async () => undefined,
};

function imagesFor(host: string) {
  return createTestImages({
    verifier: async () => verifier,
    secrets: async ({namespace}) => pullSecret(host, {username: 'user', password: namespace === 'a' ? password.a : password.b}),
  });
}

describe("one tenant's credentials", () => {
  it.each([
    ['digest', (images: ReturnType<typeof imagesFor>, image: string, access: RegistryAccess) => images.resolveDigest(image, access, options())],
    ['data', (images: ReturnType<typeof imagesFor>, image: string, access: RegistryAccess) => images.imageData(image, access, options())],
    ['verdict', (images: ReturnType<typeof imagesFor>, image: string, access: RegistryAccess) => images.verifySignature(queryOf(image, access), options())],
  ])('open the %s of an image for nobody else', async (_, ask) => {
    const {host} = await privateRegistry();
    const images = imagesFor(host);
    const image = `${host}/app:v1`;
    await ask(images, image, accessOf('a'));
    await refusal(() => ask(images, image, accessOf('b')));
    await refusal(() => ask(images, image, open));
    // The other way round neither: the refusal of one is not kept for another.
    await ask(images, image, accessOf('a'));
  });

  it('are what its answer is kept by: the same tenant is answered without the registry', async () => {
    const server = await privateRegistry();
    const images = imagesFor(server.host);
    await images.verifySignature(queryOf(`${server.host}/app@${digest}`, accessOf('a')), options());
    const count = server.requests.length;
    await images.verifySignature(queryOf(`${server.host}/app@${digest}`, accessOf('a')), options());
    expect(server.requests.length).toBe(count);
    await refusal(() => images.verifySignature(queryOf(`${server.host}/app@${digest}`, accessOf('b')), options()));
    expect(server.requests.length).toBeGreaterThan(count);
  });

  it('are not used where two tenants ask at once', async () => {
    const {host} = await privateRegistry();
    const images = imagesFor(host);
    const image = `${host}/app:v1`;
    const [a, b] = await Promise.allSettled([
      Promise.resolve(images.resolveDigest(image, accessOf('a'), options())),
      Promise.resolve(images.resolveDigest(image, accessOf('b'), options())),
    ]);
    expect([a.status, b.status]).toEqual(['fulfilled', 'rejected']);
  });
});
