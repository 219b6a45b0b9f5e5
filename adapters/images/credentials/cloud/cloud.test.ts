import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, it} from 'vitest';
import {systemClock} from '../../../clock.js';
import {createEndpointGuard} from '../../registry/endpoint-guard.js';
import {createTransport} from '../../registry/transport.js';
import {createAmazonKeychain, signRequest} from './amazon.js';
import {createAzureKeychain} from './azure.js';
import {createGithubKeychain} from './github.js';
import {createGoogleKeychain} from './google.js';

const transport = createTransport({guard: createEndpointGuard({lookup: async () => []}), userAgent: 'test'});
const signal = new AbortController().signal;
const calls: Array<{readonly url: string; readonly body: string; readonly headers: Readonly<Record<string, unknown>>}> = [];
const answers: Readonly<Record<string, object>> = {
  '/sts/': {AssumeRoleWithWebIdentityResponse: {AssumeRoleWithWebIdentityResult: {Credentials: {AccessKeyId: 'AKID', SecretAccessKey: 'S', SessionToken: 'T'}}}},
  '/ecr/': {authorizationData: [{authorizationToken: Buffer.from('AWS:pass:word').toString('base64')}]},
  '/computeMetadata/v1/instance/service-accounts/default/token': {access_token: 'google-token'},
  '/tenant/oauth2/v2.0/token': {access_token: 'entra-token'},
  '/oauth2/exchange': {refresh_token: 'acr-token'},
};
let server: Server;
let folder: string;
let base: string;
let tokenFile: string;

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    calls.push({url: request.url ?? '', body, headers: request.headers});
    const answer = answers[request.url ?? ''];
    response.writeHead(answer === undefined ? 403 : 200).end(JSON.stringify(answer ?? {}));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  base = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  folder = await mkdtemp(join(tmpdir(), 'cloud-'));
  tokenFile = join(folder, 'token');
  await writeFile(tokenFile, 'web-identity\n');
});
afterAll(async () => {
  server.close();
  server.closeAllConnections();
  await rm(folder, {recursive: true});
});

const parts = (environment: Record<string, string>) => ({transport, clock: systemClock, environment});

describe('what a cloud gives the process', () => {
  it('is a token of ECR, by the role of a web identity', async () => {
    const keychain = createAmazonKeychain(
      parts({AWS_ROLE_ARN: 'arn:aws:iam::1:role/r', AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_ENDPOINT_URL_STS: `http://${base}/sts/`, AWS_ENDPOINT_URL_ECR: `http://${base}/ecr/`}),
    );
    const login = await keychain('123456789012.dkr.ecr.eu-west-1.amazonaws.com', 'app', signal);
    expect(login).toEqual({username: 'AWS', password: 'pass:word', owner: 'provider amazon'});
    const [sts, ecr] = calls.slice(-2);
    expect(sts?.body).toContain('WebIdentityToken=web-identity');
    expect(ecr?.headers['authorization']).toContain('Credential=AKID/');
    expect(ecr?.headers['x-amz-security-token']).toBe('T');
    expect(await keychain('ghcr.io', 'app', signal)).toBeUndefined();
    expect(await keychain('123456789012.dkr.ecr.eu-west-1.amazonaws.com.evil.example', 'app', signal)).toBeUndefined();
  });

  it('is a token of the metadata server, for Google', async () => {
    const keychain = createGoogleKeychain(parts({GCE_METADATA_HOST: base}));
    expect(await keychain('europe-docker.pkg.dev', 'p/app', signal)).toMatchObject({username: 'oauth2accesstoken', password: 'google-token'});
    expect(calls.at(-1)?.headers['metadata-flavor']).toBe('Google');
    expect(await keychain('gcr.io.evil.example', 'app', signal)).toBeUndefined();
  });

  it('is a refresh token of ACR, by workload identity', async () => {
    const keychain = createAzureKeychain(
      parts({AZURE_CLIENT_ID: 'c', AZURE_TENANT_ID: 'tenant', AZURE_FEDERATED_TOKEN_FILE: tokenFile, AZURE_AUTHORITY_HOST: `http://${base}/`, KYVERNO_ACR_ENDPOINT: `http://${base}/`}),
    );
    expect(await keychain('mine.azurecr.io', 'app', signal)).toMatchObject({identityToken: 'acr-token'});
    expect(calls.at(-1)?.body).toContain('access_token=entra-token');
    expect(await keychain('azurecr.io.evil.example', 'app', signal)).toBeUndefined();
  });

  it('is the token of the environment, for GitHub alone', async () => {
    const keychain = createGithubKeychain({environment: {GITHUB_TOKEN: 't'}});
    expect(await keychain('ghcr.io', 'app', signal)).toMatchObject({password: 't'});
    expect(await keychain('docker.io', 'app', signal)).toBeUndefined();
  });

  it('is told apart from what is missing', async () => {
    await expect(createAmazonKeychain(parts({}))('123456789012.dkr.ecr.eu-west-1.amazonaws.com', 'a', signal)).rejects.toThrow('AWS_ROLE_ARN');
    await expect(createAzureKeychain(parts({}))('mine.azurecr.io', 'a', signal)).rejects.toThrow('AZURE_CLIENT_ID');
  });
});

describe("Amazon's signature", () => {
  it('covers scope, headers and body', () => {
    const question = {url: new URL('https://api.ecr.us-east-1.amazonaws.com/'), body: '{}', keys: {id: 'AKIDEXAMPLE', secret: 'secret', session: ''}, region: 'us-east-1', service: 'ecr', now: Date.UTC(2015, 7, 30, 12, 36), target: 'T'};
    const {authorization, 'x-amz-date': date} = signRequest(question);
    expect(date).toBe('20150830T123600Z');
    expect(authorization).toContain('Credential=AKIDEXAMPLE/20150830/us-east-1/ecr/aws4_request, SignedHeaders=content-type;host;x-amz-date;x-amz-target');
    expect(signRequest({...question, body: '{"a":1}'})['authorization']).not.toBe(authorization);
  });
});
