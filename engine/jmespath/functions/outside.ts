import {EvalError} from '../../diagnostic.js';
import {imageDefaults, parseImageReference} from '../../image/parse-image.js';
import {isPrivateAddress, parseAddress} from '../../net/address.js';
import type {FunctionEnv} from '../types.js';
import {shown} from '../values.js';
import {define, type FunctionDefinition} from './define.js';

function normalizeImage(text: string, {loader}: FunctionEnv): string {
  const defaults = loader.imageDefaults ?? imageDefaults;
  const image = parseImageReference(text, defaults);
  if (!image) {
    const registry = defaults.defaultRegistry;
    throw new EvalError(
      `bad image: ${registry}/${shown(text)}, defaultRegistry: ${registry}: invalid reference format`,
    );
  }
  return image.reference;
}

const authority = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#]*)/;
const hostAndPort = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::\d*)?$/;
const maxHostLength = 253;

/** The host of an absolute URL, without user info, port and brackets. */
function hostOf(url: string): string {
  const rest = authority.exec(url)?.[1];
  const match = rest === undefined ? undefined : hostAndPort.exec(rest.slice(rest.lastIndexOf('@') + 1));
  const host = match?.[1] ?? match?.[2] ?? '';
  if (host === '' || host.length > maxHostLength) throw new EvalError(`invalid URL: ${shown(url)}`);
  return host;
}

function isExternal(url: string, env: FunctionEnv): boolean {
  const host = hostOf(url);
  const literal = parseAddress(host);
  if (literal) return !isPrivateAddress(literal);
  const addresses = env.settle(`lookup:${host}`, options => env.loader.lookupHost(host, options));
  if (addresses.length === 0) throw new EvalError(`lookup ${host}: no such host`);
  return addresses.every(text => {
    const address = parseAddress(text);
    return address !== undefined && !isPrivateAddress(address);
  });
}

export const outsideFunctions: readonly FunctionDefinition[] = [
  define('image_normalize', ['string'], ([text], env) => normalizeImage(text, env)),
  define('is_external_url', ['string'], ([url], env) => isExternal(url, env)),
];
