import {readFile} from 'node:fs/promises';
import {own} from '../../../../engine/json/types.js';
import {textOf} from '../../../../engine/json/text.js';
import type {Keychain} from '../credential.js';
import {type CloudParts, callCloud, endpoint} from './cloud-calls.js';

const registryShape = /^[a-z0-9-]+\.azurecr\.(?:io|cn|us)$/;
const form = {accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded'};

/** Logins of ACR: the Pod's workload identity is exchanged for a token of Entra, that one for a refresh token of the registry. */
export function createAzureKeychain({transport, environment}: CloudParts): Keychain {
  return async (registry, _repository, signal) => {
    if (!registryShape.test(registry)) return undefined;
    const {AZURE_CLIENT_ID: client = '', AZURE_TENANT_ID: tenant = '', AZURE_FEDERATED_TOKEN_FILE: file = '', AZURE_AUTHORITY_HOST: authority} = environment;
    if (client === '' || tenant === '' || file === '') throw new Error('AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_FEDERATED_TOKEN_FILE are not all set');
    const {url, isChosen} = endpoint('https://login.microsoftonline.com/', authority);
    const identity = await callCloud(transport, {
      url: new URL(`${encodeURIComponent(tenant)}/oauth2/v2.0/token`, url),
      isChosen,
      signal,
      method: 'POST',
      headers: form,
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: client,
        scope: 'https://management.azure.com/.default',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: (await readFile(file, 'utf8')).trim(),
      }).toString(),
    });
    const access = textOf(own(identity, 'access_token'));
    if (access === '') throw new Error(`${url.host}: the answer holds no token`);
    const exchange = endpoint(`https://${registry}/`, environment['KYVERNO_ACR_ENDPOINT']);
    const answer = await callCloud(transport, {
      url: new URL('oauth2/exchange', exchange.url),
      isChosen: exchange.isChosen,
      signal,
      method: 'POST',
      headers: form,
      body: new URLSearchParams({grant_type: 'access_token', service: registry, tenant, access_token: access}).toString(),
    });
    const identityToken = textOf(own(answer, 'refresh_token'));
    if (identityToken === '') throw new Error(`${registry}: the exchange gave no token`);
    return {username: '', password: '', identityToken, owner: 'provider azure'};
  };
}
