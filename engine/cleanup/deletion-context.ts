import {RequestContext} from '../context/request-context.js';
import {type Json, type JsonObject, own, ownPath} from '../json/types.js';
import type {ResourceMap} from '../resource-map.js';

/** An existing object as it would look to a request that deletes it, made by nobody. */
export function deletionOf(object: JsonObject, resources: ResourceMap): RequestContext {
  const apiVersion = textOf(own(object, 'apiVersion'));
  const slash = apiVersion.indexOf('/');
  const group = slash === -1 ? '' : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  const kind = textOf(own(object, 'kind'));
  const known = resources.find(kind).find(info => info.group === group);
  const name = textOf(ownPath(object, 'metadata', 'name'));
  return new RequestContext({
    uid: '',
    kind: {group, version, kind},
    resource: {group, version, resource: known?.resource ?? ''},
    subResource: '',
    namespace: group === '' && kind === 'Namespace' ? name : textOf(ownPath(object, 'metadata', 'namespace')),
    name,
    operation: 'DELETE',
    object: undefined,
    oldObject: object,
    user: undefined,
    dryRun: false,
    raw: {},
  });
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
