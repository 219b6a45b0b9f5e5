import {createHash} from 'node:crypto';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';

export interface TestRegistryOptions {
  /** Users by name, their passwords; absent = open to all. */
  readonly users?: Readonly<Record<string, string>>;
  readonly auth?: 'basic' | 'bearer';
  /** Host of the token service when it is not the registry's own. */
  readonly realm?: string;
  /** False: the referrers API is missing, tags stand in. */
  readonly referrersApi?: boolean;
  /** Answers in place of the registry when it returns true. */
  readonly intercept?: (request: IncomingMessage, response: ServerResponse) => boolean;
}

export interface TestRegistry {
  /** `127.0.0.1:port`. */
  readonly host: string;
  /** `GET /v2/… [authorization scheme]` in order. */
  readonly requests: string[];
  pushBlob(content: Buffer | string): string;
  /** A manifest, its digest; a `subject` is listed among the referrers. */
  pushManifest(repository: string, manifest: object, tag?: string): string;
  /** A small image with a config; the digest. */
  pushImage(repository: string, tag: string, config?: object): string;
  close(): Promise<void>;
}

const ociManifest = 'application/vnd.oci.image.manifest.v1+json';
const ociIndex = 'application/vnd.oci.image.index.v1+json';

export function sha256(content: Buffer | string): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`;
}

/** A registry in this process, on loopback and plain HTTP. */
export async function startTestRegistry(options: TestRegistryOptions = {}): Promise<TestRegistry> {
  const {users, auth = 'bearer', realm, referrersApi = true, intercept} = options;
  const blobs = new Map<string, Buffer>();
  /** By `repository@digest` and `repository:tag`. */
  const manifests = new Map<string, {readonly type: string; readonly content: Buffer}>();
  const referrers = new Map<string, object[]>();
  const requests: string[] = [];
  const issued = new Set<string>();

  function send(response: ServerResponse, status: number, {headers = {}, body = ''}: {headers?: Record<string, string>; body?: Buffer | string} = {}) {
    response.writeHead(status, {'content-length': String(Buffer.byteLength(body)), ...headers});
    response.end(body);
  }

  function isUser(header: string | undefined): boolean {
    const [name = '', password] = Buffer.from((header ?? '').replace(/^Basic /, ''), 'base64').toString().split(':');
    return users !== undefined && Object.hasOwn(users, name) && users[name] === password;
  }

  function isLet(request: IncomingMessage): boolean {
    const {authorization} = request.headers;
    if (users === undefined) return true;
    return auth === 'basic' ? isUser(authorization) : issued.has((authorization ?? '').replace(/^Bearer /, ''));
  }

  function giveToken(request: IncomingMessage, response: ServerResponse) {
    if (!isUser(request.headers.authorization)) return send(response, 401);
    const token = `token-${issued.size}`;
    issued.add(token);
    send(response, 200, {body: JSON.stringify({token, expires_in: 300})});
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://registry');
    requests.push(`${request.method} ${url.pathname} ${(request.headers.authorization ?? '').split(' ')[0]}`.trim());
    if (intercept?.(request, response)) return;
    if (url.pathname === '/token') return giveToken(request, response);
    if (!isLet(request)) {
      const bearer = `Bearer realm="http://${realm ?? host}/token",service="test",scope="repository:any:pull"`;
      return send(response, 401, {headers: {'www-authenticate': auth === 'basic' ? 'Basic realm="test"' : bearer}});
    }
    const [, repository = '', kind, reference = ''] = /^\/v2\/(.+)\/(manifests|blobs|referrers|tags)\/(.+)$/.exec(url.pathname) ?? [];
    if (kind === 'manifests') {
      const found = manifests.get(`${repository}${reference.includes(':') ? '@' : ':'}${reference}`);
      if (found === undefined) return send(response, 404);
      return send(response, 200, {headers: {'content-type': found.type, 'docker-content-digest': sha256(found.content)}, body: found.content});
    }
    if (kind === 'blobs') {
      const found = blobs.get(reference);
      return found === undefined ? send(response, 404) : send(response, 200, {body: found});
    }
    if (kind === 'referrers' && referrersApi) {
      const list = {schemaVersion: 2, mediaType: ociIndex, manifests: referrers.get(`${repository}@${reference}`) ?? []};
      return send(response, 200, {headers: {'content-type': ociIndex}, body: JSON.stringify(list)});
    }
    if (kind === 'tags') {
      const tags = [...manifests.keys()].filter(key => key.startsWith(`${repository}:`)).map(key => key.slice(repository.length + 1));
      return send(response, 200, {body: JSON.stringify({name: repository, tags})});
    }
    send(response, 404);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;

  const registry: TestRegistry = {
    host,
    requests,
    pushBlob(content) {
      const digest = sha256(content);
      blobs.set(digest, Buffer.from(content));
      return digest;
    },
    pushManifest(repository, manifest, tag) {
      const content = Buffer.from(JSON.stringify(manifest));
      const digest = sha256(content);
      const {mediaType = ociManifest, subject, artifactType, config, annotations} = manifest as {
        mediaType?: string;
        subject?: {digest: string};
        artifactType?: string;
        config?: {mediaType: string};
        annotations?: Record<string, string>;
      };
      manifests.set(`${repository}@${digest}`, {type: mediaType, content});
      if (tag !== undefined) manifests.set(`${repository}:${tag}`, {type: mediaType, content});
      if (subject !== undefined) {
        const key = `${repository}@${subject.digest}`;
        const one = {mediaType, digest, size: content.length, artifactType: artifactType ?? config?.mediaType, annotations};
        const all = [...(referrers.get(key) ?? []), one];
        referrers.set(key, all);
        if (!referrersApi) {
          registry.pushManifest(repository, {schemaVersion: 2, mediaType: ociIndex, manifests: all}, subject.digest.replace(':', '-'));
        }
      }
      return digest;
    },
    pushImage(repository, tag, config = {architecture: 'amd64', os: 'linux', config: {User: '1000'}}) {
      const bytes = JSON.stringify(config);
      const layer = registry.pushBlob(`layer of ${repository}:${tag}`);
      return registry.pushManifest(
        repository,
        {
          schemaVersion: 2,
          mediaType: ociManifest,
          config: {mediaType: 'application/vnd.oci.image.config.v1+json', digest: registry.pushBlob(bytes), size: bytes.length},
          layers: [{mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip', digest: layer, size: 10}],
        },
        tag,
      );
    },
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return registry;
}
