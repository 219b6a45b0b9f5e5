import {textOf} from '../../engine/json/text.js';
import {isObject, type JsonObject, own, ownPath} from '../../engine/json/types.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import type {AdmissionUser, EngineRequest, GroupVersionKind, Operation} from '../../engine/types.js';

interface Told {
  readonly operation: Operation;
  readonly request: JsonObject;
}

/** What was asked can be read nowhere: requests on parts of objects (`pods/eviction`), and connections. */
export function isToldOnly({operation, request}: Told): boolean {
  return operation === 'CONNECT' || textOf(own(request, 'subResource')) !== '';
}

/** Such a request, as it was kept; its kind is that of the whole: an eviction is about a Pod. */
export function toldRequest({operation, request, user}: Told & {readonly user: AdmissionUser | undefined}, resources: ResourceMap): EngineRequest {
  const part = own(request, 'resource');
  const resource = {group: textOf(ownPath(part, 'group')), version: textOf(ownPath(part, 'version')), resource: textOf(ownPath(part, 'resource'))};
  const whole = resources.kindOf(resource);
  const objectAt = (key: string) => {
    const value = own(request, key);
    return isObject(value) ? value : undefined;
  };
  const read = (field: string) => textOf(ownPath(request, 'kind', field));
  const kind: GroupVersionKind = whole === undefined ? {group: read('group'), version: read('version'), kind: read('kind')} : {group: whole.group, version: whole.version, kind: whole.kind};
  return {
    uid: textOf(own(request, 'uid')),
    kind,
    resource,
    subResource: textOf(own(request, 'subResource')),
    namespace: textOf(own(request, 'namespace')),
    name: textOf(own(request, 'name')),
    operation,
    object: objectAt('object'),
    oldObject: objectAt('oldObject'),
    user,
    dryRun: false,
    raw: {...request, operation},
  };
}
