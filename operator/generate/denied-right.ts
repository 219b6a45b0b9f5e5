import {MissingRight} from './work-errors.js';

/** What may not be read is told by the engine as text, as its loader words it; `undefined` where no right would help. */
export function deniedRight(message: string): MissingRight | undefined {
  return ofPath(message) ?? ofResource(message);
}

/** Of a call by path: `failed to GET resource with raw url: /api/v1/namespaces/shop/secrets/s: permission denied (HTTP 403)`. */
function ofPath(message: string): MissingRight | undefined {
  const [, method = '', path = ''] = /failed to (GET|POST) resource with raw url: (\S+): permission denied \(HTTP 403\)/.exec(message) ?? [];
  if (path === '') return undefined;
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
    scoped ? (rest[1] ?? '') : '',
  );
}

/** Of a call by resource: `permission denied: get deployments/scale.apps shop/web (HTTP 403)`, `… list pods in namespace shop …`. */
function ofResource(message: string): MissingRight | undefined {
  const [, verb = '', resource = '', group = '', place = '', object = ''] =
    /permission denied: (get|list|create) ([^\s.]+)(?:\.(\S+))?(?: in namespace (\S+)| (\S+))? \(HTTP 403\)/.exec(message) ?? [];
  if (resource === '') return undefined;
  const namespace = object.includes('/') ? object.slice(0, object.indexOf('/')) : place;
  return new MissingRight(verb, group, resource, namespace);
}
