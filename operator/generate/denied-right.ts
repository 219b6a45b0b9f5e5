import {MissingRight} from './work-errors.js';

/** What may not be read is told by the engine as text. */
export function deniedRight(message: string): unknown {
  const [, verb = '', path = ''] = /failed to (GET|POST) resource with raw url: (\S+): permission denied/.exec(message) ?? [];
  if (path === '') {
    const [, resource] = /permission denied: ([a-z0-9]+)/.exec(message) ?? [];
    return resource === undefined ? undefined : new MissingRight('get', '*', resource, '');
  }
  const parts = path.split('/').filter(part => part !== '');
  const core = parts[0] === 'api';
  const rest = parts.slice(core ? 2 : 3);
  const inner = rest[0] === 'namespaces' && rest.length > 2 ? rest.slice(2) : rest;
  const [resource = '', name] = inner;
  return new MissingRight(verb === 'POST' ? 'create' : name === undefined ? 'list' : 'get', core ? '' : (parts[1] ?? ''), resource, '');
}
