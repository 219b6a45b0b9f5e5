import {MissingRight} from './work-errors.js';

/**
 * What may not be read is told by the engine as text, as its loader words it; `undefined` where no right would help. The process
 * itself reads, whoever changes objects.
 */
export function deniedRight(message: string): MissingRight | undefined {
  return ofPath(message) ?? ofResource(message);
}

/** Of a call by path: `failed to GET resource with raw url: /api/v1/namespaces/shop/secrets/s: permission denied (HTTP 403)`. */
function ofPath(message: string): MissingRight | undefined {
  const [, method = '', url = ''] = /failed to (GET|POST) resource with raw url: (\S+): permission denied \(HTTP 403\)/.exec(message) ?? [];
  if (url === '') return undefined;
  const [path = '', query = ''] = url.split('?');
  const parts = path.split('/').filter(part => part !== '');
  const core = parts[0] === 'api';
  const rest = parts.slice(core ? 2 : 3);
  const scoped = rest[0] === 'namespaces' && rest.length > 2;
  const [resource = '', name, subresource] = scoped ? rest.slice(2) : rest;
  if (resource === '') return undefined;
  return new MissingRight(
    method === 'POST' ? 'create' : name === undefined ? 'list' : 'get',
    core ? '' : (parts[1] ?? ''),
    subresource === undefined ? resource : `${resource}/${subresource}`,
    scoped ? decoded(rest[1] ?? '') : '',
    // A list by one name may be granted for that name.
    {holder: 'process', name: name === undefined ? /^fieldSelector=metadata\.name=(.+)$/.exec(query)?.[1] : decoded(name)},
  );
}

/** Of a call by resource: `permission denied: get deployments/scale.apps shop/web (HTTP 403)`, `… list pods in namespace shop named web …`. */
function ofResource(message: string): MissingRight | undefined {
  const [, verb = '', resource = '', group = '', place = '', object = '', named = ''] =
    /permission denied: (get|list|create) ([^\s.]+)(?:\.(\S+))?(?: in namespace (\S+)| (\S+))?(?: named (\S+))? \(HTTP 403\)/.exec(message) ?? [];
  if (resource === '') return undefined;
  const slash = object.indexOf('/');
  const namespace = slash === -1 ? place : object.slice(0, slash);
  return new MissingRight(verb, group, resource, namespace, {holder: 'process', name: named || object.slice(slash + 1)});
}

/** As written where it is no encoding: then no object is called so. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
