import {createHash, createHmac} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {isObject, own, ownPath} from '../../../../engine/json/types.js';
import {textOf} from '../../../../engine/json/text.js';
import type {Keychain} from '../credential.js';
import {type CloudParts, callCloud, endpoint} from './cloud-calls.js';

interface Keys {
  readonly id: string;
  readonly secret: string;
  readonly session: string;
}

const registryShape = /^\d{12}\.dkr\.ecr(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com(\.cn)?$/;

/** Logins of ECR by GetAuthorizationToken, as the keys of the environment or the web identity of the Pod's role. */
export function createAmazonKeychain(parts: CloudParts): Keychain {
  const {transport, clock, environment} = parts;

  async function keysOf(region: string, signal: AbortSignal): Promise<Keys> {
    const {AWS_ACCESS_KEY_ID: id = '', AWS_SECRET_ACCESS_KEY: secret = '', AWS_SESSION_TOKEN: session = ''} = environment;
    if (id !== '' && secret !== '') return {id, secret, session};
    const {AWS_ROLE_ARN: role = '', AWS_WEB_IDENTITY_TOKEN_FILE: file = '', AWS_ENDPOINT_URL_STS: chosen} = environment;
    if (role === '' || file === '') throw new Error('neither AWS_ACCESS_KEY_ID nor AWS_ROLE_ARN with AWS_WEB_IDENTITY_TOKEN_FILE is set');
    const {url, isChosen} = endpoint(`https://sts.${region}.amazonaws.com/`, chosen);
    const answer = await callCloud(transport, {
      url,
      isChosen,
      signal,
      method: 'POST',
      headers: {accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded'},
      body: new URLSearchParams({
        Action: 'AssumeRoleWithWebIdentity',
        Version: '2011-06-15',
        RoleArn: role,
        RoleSessionName: 'kyverno-ts',
        WebIdentityToken: (await readFile(file, 'utf8')).trim(),
      }).toString(),
    });
    const found = ownPath(answer, 'AssumeRoleWithWebIdentityResponse', 'AssumeRoleWithWebIdentityResult', 'Credentials');
    if (!isObject(found)) throw new Error(`${url.host}: the answer holds no credentials`);
    return {id: textOf(own(found, 'AccessKeyId')), secret: textOf(own(found, 'SecretAccessKey')), session: textOf(own(found, 'SessionToken'))};
  }

  return async (registry, _repository, signal) => {
    const [, region = '', isChina = ''] = registryShape.exec(registry) ?? [];
    if (region === '') return undefined;
    const keys = await keysOf(region, signal);
    const {url, isChosen} = endpoint(`https://api.ecr.${region}.amazonaws.com${isChina}/`, environment['AWS_ENDPOINT_URL_ECR']);
    const body = JSON.stringify({registryIds: [registry.slice(0, 12)]});
    const headers = signRequest({url, body, keys, region, service: 'ecr', now: clock.now(), target: 'AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken'});
    const answer = await callCloud(transport, {url, isChosen, signal, method: 'POST', headers, body});
    const list = own(answer, 'authorizationData');
    const token = Array.isArray(list) ? textOf(ownPath(list[0], 'authorizationToken')) : '';
    const [username = '', ...password] = Buffer.from(token, 'base64').toString('utf8').split(':');
    if (password.length === 0) throw new Error(`${url.host}: the answer holds no token`);
    return {username, password: password.join(':'), owner: 'provider amazon'};
  };
}

export interface SigningQuestion {
  readonly url: URL;
  readonly body: string;
  readonly keys: Keys;
  readonly region: string;
  readonly service: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** `x-amz-target`. */
  readonly target: string;
}

/** Headers of a POST signed by version 4 of Amazon's scheme. */
export function signRequest({url, body, keys, region, service, now, target}: SigningQuestion): Record<string, string> {
  const time = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const date = time.slice(0, 8);
  const signed: Record<string, string> = {
    'content-type': 'application/x-amz-json-1.1',
    host: url.host,
    'x-amz-date': time,
    ...(keys.session !== '' && {'x-amz-security-token': keys.session}),
    'x-amz-target': target,
  };
  const names = Object.keys(signed).sort();
  const hash = (text: string) => createHash('sha256').update(text).digest('hex');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const request = ['POST', url.pathname, '', ...names.map(name => `${name}:${signed[name]}`), '', names.join(';'), hash(body)].join('\n');
  const scope = `${date}/${region}/${service}/aws4_request`;
  const key = ['aws4_request', service, region].reduceRight<Buffer>((made, part) => hmac(made, part), hmac(`AWS4${keys.secret}`, date));
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, hash(request)].join('\n')).toString('hex');
  const {host: _host, ...headers} = signed;
  return {...headers, authorization: `AWS4-HMAC-SHA256 Credential=${keys.id}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`};
}
