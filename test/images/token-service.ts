import {generateKeyPairSync, randomUUID, sign} from 'node:crypto';
import {createServer} from 'node:http';
import {writeFile} from 'node:fs/promises';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {address} from './address.js';

export interface TokenUser {
  readonly password: string;
  /** Repositories that may be pulled and pushed. */
  readonly repositories: readonly string[];
}

export interface TokenService {
  /** Setting `auth` of distribution's configuration. */
  readonly auth: Readonly<Record<string, object>>;
  /** Users that asked, `''` for nobody, in order. */
  readonly askedBy: string[];
  close(): Promise<void>;
}

const issuer = 'tests';
const service = 'registry';

/** A token service as registries have it: basic credentials in, a signed token for what they may do out. */
export async function startTokenService(folder: string, users: Readonly<Record<string, TokenUser>>): Promise<TokenService> {
  const {privateKey, publicKey} = generateKeyPairSync('ec', {namedCurve: 'P-256'});
  const kid = 'tests';
  const jwks = join(folder, 'jwks.json');
  await writeFile(jwks, JSON.stringify({keys: [{...publicKey.export({format: 'jwk'}), kid, use: 'sig', alg: 'ES256'}]}));
  const askedBy: string[] = [];

  function token(user: string, scopes: readonly string[]): string {
    const access = scopes.flatMap(scope => {
      const [type = '', name = '', actions = ''] = scope.split(':');
      const may = Object.hasOwn(users, user) && users[user]!.repositories.includes(name);
      return may ? [{type, name, actions: actions.split(',')}] : [];
    });
    const now = Math.floor(Date.now() / 1000);
    const header = {typ: 'JWT', alg: 'ES256', kid};
    const claims = {iss: issuer, sub: user, aud: service, exp: now + 300, nbf: now - 10, iat: now, jti: randomUUID(), access};
    const text = [header, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return `${text}.${sign('sha256', Buffer.from(text), {key: privateKey, dsaEncoding: 'ieee-p1363'}).toString('base64url')}`;
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://token');
    const [user = '', password] = Buffer.from((request.headers.authorization ?? '').replace(/^Basic /, ''), 'base64').toString().split(':');
    askedBy.push(user);
    if (user !== '' && (!Object.hasOwn(users, user) || users[user]!.password !== password)) {
      response.writeHead(401).end();
      return;
    }
    response.writeHead(200, {'content-type': 'application/json'});
    response.end(JSON.stringify({token: token(user, url.searchParams.getAll('scope')), expires_in: 300}));
  });
  await new Promise<void>(done => server.listen(0, address, done));
  const realm = `http://${address}:${(server.address() as AddressInfo).port}/token`;
  return {
    auth: {token: {realm, service, issuer, jwks, signingalgorithms: ['ES256']}},
    askedBy,
    close: () =>
      new Promise(done => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
