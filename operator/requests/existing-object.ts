import {textOf} from '../../engine/json/text.js';
import {type JsonObject, ownPath} from '../../engine/json/types.js';
import type {KindInfo} from '../../engine/resource-map.js';
import type {EngineRequest, Operation} from '../../engine/types.js';

/** An object that is there, as a request that makes it would look: nobody asked, nothing was before. */
export function existingObjectRequest(object: JsonObject, info: KindInfo, operation: Operation = 'CREATE'): EngineRequest {
  const {group, version, kind} = info;
  const resource = {group, version, resource: info.resource};
  const name = textOf(ownPath(object, 'metadata', 'name'));
  const namespace = group === '' && kind === 'Namespace' ? name : textOf(ownPath(object, 'metadata', 'namespace'));
  const raw: JsonObject = {
    kind: {group, version, kind},
    resource: {...resource},
    requestKind: {group, version, kind},
    requestResource: {...resource},
    name,
    ...(namespace !== '' && {namespace}),
    operation,
    dryRun: false,
  };
  return {
    uid: '',
    kind: {group, version, kind},
    resource,
    subResource: '',
    namespace,
    name,
    operation,
    object: operation === 'DELETE' ? undefined : object,
    oldObject: operation === 'CREATE' ? undefined : object,
    user: undefined,
    dryRun: false,
    raw,
  };
}
