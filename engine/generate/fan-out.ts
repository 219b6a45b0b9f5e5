import type {RuleScope} from '../context/rule-scope.js';
import {ownPath} from '../json/types.js';
import type {KindInfo} from '../resource-map.js';
import {listObjects, requireKind} from '../targets/read-objects.js';
import type {TargetNames} from './target-object.js';

/** Never written to when a rule copies into every namespace. */
const systemNamespaces: ReadonlySet<string> = new Set(['kube-system', 'kube-public', 'kube-node-lease']);

/**
 * Where a target goes: where it says, or, when it is the trigger itself, into every other namespace but the system's and
 * the operator's (a copy of an object onto itself means nothing else).
 */
export function otherNamespaces(target: TargetNames, info: KindInfo, scope: RuleScope): TargetNames[] {
  const {context} = scope;
  const isTrigger =
    context.kind === info.kind && context.group === info.group && context.name === target.name && context.request.namespace === target.namespace;
  if (!isTrigger || target.namespace === '') return [target];
  const kind = requireKind(scope.env.resources, 'v1', 'Namespace');
  return listObjects(scope.env, kind, '')
    .map(namespace => ownPath(namespace, 'metadata', 'name'))
    .filter((name): name is string => typeof name === 'string')
    .filter(name => name !== target.namespace && !systemNamespaces.has(name) && name !== scope.env.operatorNamespace)
    .sort()
    .map(namespace => ({...target, namespace}));
}
