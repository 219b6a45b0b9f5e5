import {own} from '../../../../engine/json/types.js';
import {textOf} from '../../../../engine/json/text.js';
import {readBytes, sendPinned} from '../../../http/pinned-request.js';
import {withTimeLimit} from '../../../time-limit.js';
import type {Keychain} from '../credential.js';
import {type CloudParts, callCloud, endpoint, objectOf} from './cloud-calls.js';

const registryShape = /^(?:[a-z0-9-]+\.)?gcr\.io$|^[a-z0-9-]+-docker\.pkg\.dev$/;
const path = '/computeMetadata/v1/instance/service-accounts/default/token';

/** Logins of Google's registries by the token that the metadata server has for the Pod's (workload) identity. */
export function createGoogleKeychain({transport, environment}: CloudParts): Keychain {
  return async (registry, _repository, signal) => {
    if (!registryShape.test(registry)) return undefined;
    const chosen = environment['GCE_METADATA_HOST'];
    const {url, isChosen} = endpoint(`http://metadata.google.internal${path}`, chosen && `http://${chosen}${path}`);
    const headers = {'metadata-flavor': 'Google', accept: 'application/json'};
    const answer = isChosen ? await callCloud(transport, {url, isChosen, signal, method: 'GET', headers}) : await askMetadata(url, headers, signal);
    const password = textOf(own(answer, 'access_token'));
    if (password === '') throw new Error('the metadata server gave no token');
    return {username: 'oauth2accesstoken', password, owner: 'provider google'};
  };
}

/** The one address that is closed to all other calls. */
async function askMetadata(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal) {
  return withTimeLimit(signal, 3_000, async limited => {
    const response = await sendPinned({url, address: '169.254.169.254', method: 'GET', headers, signal: limited});
    const body = await readBytes(response, 64 * 1024);
    if (response.statusCode !== 200 || body === undefined) throw new Error(`the metadata server answered HTTP ${response.statusCode}`);
    return objectOf(body, url);
  });
}
