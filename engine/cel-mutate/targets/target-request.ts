import type {RuleRun} from '../../context/rule-run.js';
import {textOf} from '../../json/text.js';
import {type JsonObject, ownPath} from '../../json/types.js';
import type {KindInfo} from '../../resource-map.js';
import type {EngineRequest} from '../../types.js';

/** The kind of an object, as the cluster serves it. */
export function kindOfObject(object: JsonObject, {resources}: Pick<RuleRun, 'resources'>): KindInfo | undefined {
  const apiVersion = textOf(ownPath(object, 'apiVersion'));
  const slash = apiVersion.indexOf('/');
  const group = slash === -1 ? '' : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  return resources.find(textOf(ownPath(object, 'kind'))).find(kind => kind.group === group && kind.version === version);
}

/** An existing object in the shape in which constraints judge: as if it were updated without a change. */
export function requestAbout(object: JsonObject, kind: KindInfo, subResource: string): EngineRequest {
  const {group, version, resource} = kind;
  return {
    uid: '',
    kind: {group, version, kind: kind.kind},
    resource: {group, version, resource},
    subResource,
    namespace: textOf(ownPath(object, 'metadata', 'namespace')),
    name: textOf(ownPath(object, 'metadata', 'name')),
    operation: 'UPDATE',
    object,
    oldObject: object,
    user: undefined,
    dryRun: false,
    raw: {},
  };
}
