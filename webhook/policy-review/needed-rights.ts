import {isObject, type JsonObject, own} from '../../engine/json/types.js';
import type {ClassicPolicy, ClassicRule} from '../../engine/policy/model.js';
import type {KindInfo, ResourceMap} from '../../engine/resource-map.js';
import {findKind} from '../../engine/targets/api-path.js';
import {findVariables} from '../../engine/variables/scan.js';

/** What a rule will do to objects, which whoever works in the background must be allowed to do. */
export interface NeededRight {
  readonly verb: 'get' | 'create' | 'update' | 'delete';
  readonly group: string;
  readonly resource: string;
  /** Empty: in no namespace, or in all. */
  readonly namespace: string;
  /** Place of the target in the policy. */
  readonly path: string;
}

/** Of rules that generate or mutate existing objects. Kinds that variables tell, and kinds nobody knows, are left out. */
export function neededRights(policy: ClassicPolicy, resources: ResourceMap): readonly NeededRight[] {
  return policy.spec.rules.flatMap(rule => targetsOf(rule).flatMap(target => rightsOn(target, resources)));
}

interface Target {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly path: string;
  readonly verbs: ReadonlyArray<NeededRight['verb']>;
}

function targetsOf({action, path}: ClassicRule): readonly Target[] {
  if (action.type === 'mutate')
    return (action.targets ?? []).map((target, index) => ({...placeOf(target), path: `${path}.mutate.targets[${index}]`, verbs: ['get', 'update']}));
  if (action.type !== 'generate') return [];
  const {raw} = action;
  const verbs = own(raw, 'synchronize') === true ? (['get', 'create', 'update', 'delete'] as const) : (['get', 'create'] as const);
  const loops = own(raw, 'foreach');
  if (!Array.isArray(loops)) return made(raw, `${path}.generate`, verbs);
  return loops.flatMap((entry, index) => (isObject(entry) ? made(entry, `${path}.generate.foreach[${index}]`, verbs) : []));
}

function made(block: JsonObject, path: string, verbs: Target['verbs']): readonly Target[] {
  const list = own(block, 'cloneList');
  if (!isObject(list)) return [{...placeOf(block), path, verbs}];
  const kinds = own(list, 'kinds');
  return (Array.isArray(kinds) ? kinds : []).map((name, index) => {
    const parts = textOf(name).split('/');
    const kind = parts.pop() ?? '';
    return {apiVersion: parts.join('/'), kind, namespace: textOf(own(block, 'namespace')), path: `${path}.cloneList.kinds[${index}]`, verbs};
  });
}

function placeOf(target: JsonObject): Pick<Target, 'apiVersion' | 'kind' | 'namespace'> {
  return {apiVersion: textOf(own(target, 'apiVersion')), kind: textOf(own(target, 'kind')), namespace: textOf(own(target, 'namespace'))};
}

function rightsOn({apiVersion, kind: written, namespace, path, verbs}: Target, resources: ResourceMap): readonly NeededRight[] {
  if (hasVariables(apiVersion) || hasVariables(written)) return [];
  // Who may write objects of a kind is taken to be let near their subresources, too.
  const info: KindInfo | undefined = findKind(resources.find(written.split('/')[0]!), apiVersion);
  if (info === undefined) return [];
  const place = info.namespaced && !/[*?]/.test(namespace) && !hasVariables(namespace) ? namespace : '';
  return verbs.map(verb => ({verb, group: info.group, resource: info.resource, namespace: place, path}));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function hasVariables(text: string): boolean {
  return findVariables(text).length > 0;
}
