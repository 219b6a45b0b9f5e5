import {deriveRules} from '../../engine/autogen/derive-rules.js';
import {textOf} from '../../engine/json/text.js';
import {isObject, type JsonObject, own} from '../../engine/json/types.js';
import type {ClassicPolicy, ClassicRule} from '../../engine/policy/model.js';
import {contextsOf} from '../../engine/policy/rule-contexts.js';
import type {ResourceMap} from '../../engine/resource-map.js';
import {addContext} from './context-rights.js';
import {fixedNamespace, hasVariables, kindsOfMatch, placesOf} from './named-kinds.js';
import {addRoleRights} from './role-rights.js';
import {type Duty, NeedsList, type Needs, ownVerbs, scanVerbs} from './right.js';
import {addAttestors, addImageEntry} from './secret-rights.js';

/** What a ClusterPolicy or Policy makes the operator do. */
export function classicNeeds(policy: ClassicPolicy, resources: ResourceMap): Needs {
  const needs = new NeedsList();
  for (const rule of [...policy.spec.rules, ...deriveRules(policy)]) addRule(needs, rule, policy, resources);
  return needs;
}

function addRule(needs: NeedsList, rule: ClassicRule, policy: ClassicPolicy, resources: ResourceMap): void {
  const {action, path} = rule;
  const triggers = (duty: Duty, verbs: readonly string[]) => {
    const kinds = kindsOfMatch(rule.match, resources, text => needs.unknown(`${path}.match: no kind ${text} is known; name its group and version, give --crds, or ask a cluster`));
    for (const place of kinds) needs.add({duty, verbs, ...place, path: `${path}.match`});
  };
  const scanned = (action.type === 'validate' || action.type === 'verifyImages') && policy.spec.background;
  if (scanned) triggers('reports', scanVerbs);
  if (action.type === 'mutate' && action.targets !== undefined) {
    triggers('background', action.mutateExistingOnPolicyUpdate ? scanVerbs : ['get']);
    action.targets.forEach((target, index) => {
      addTarget(needs, target, {path: `${path}.mutate.targets[${index}]`, resources});
    });
  }
  if (action.type === 'generate') {
    const follows = own(action.raw, 'synchronize') === true || own(action.raw, 'generateExisting') === true;
    triggers('background', follows ? scanVerbs : ['get']);
    addGenerate(needs, action.raw, {path: `${path}.generate`, resources});
  }
  if (action.type === 'cleanup')
    action.removeResources.forEach((entry, index) => {
      const at = `${path}.cleanup.removeResources[${index}]`;
      const found = placesOf(textOf(own(entry, 'apiVersion')), textOf(own(entry, 'kind')), resources);
      if (found === undefined) needs.unknown(`${at}: no kind ${textOf(own(entry, 'kind'))} is known`);
      for (const place of found?.places ?? []) needs.add({duty: 'cleanup', verbs: ['get', 'list', 'delete'], ...place, path: at});
    });
  const isBackground = action.type === 'generate' || (action.type === 'mutate' && action.targets !== undefined);
  const duties: readonly Duty[] = isBackground ? ['admission', 'background'] : scanned ? ['admission', 'reports'] : ['admission'];
  const home = policy.ref.namespace;
  for (const {entries, at} of contextsOf(rule)) addContext(needs, entries, {duties, path: at, home});
  if (action.type === 'verifyImages')
    action.raw.forEach((entry, index) => {
      addImageEntry(needs, entry, {duties, path: `${path}.verifyImages[${index}]`, home});
    });
  if (action.type === 'validate' && action.check.type === 'manifests') addAttestors(needs, action.check.raw, {duties, path: `${path}.validate.manifests`, home});
}

interface TargetPlace {
  readonly path: string;
  readonly resources: ResourceMap;
}

function addTarget(needs: NeedsList, target: JsonObject, {path, resources}: TargetPlace): void {
  const [apiVersion, kind, namespace, name] = ['apiVersion', 'kind', 'namespace', 'name'].map(key => textOf(own(target, key))) as [string, string, string, string];
  const found = hasVariables(apiVersion + kind) ? undefined : placesOf(apiVersion, kind, resources);
  if (found === undefined) {
    needs.unknown(`${path}: the kind that is changed is ${hasVariables(apiVersion + kind) ? 'known only when the policy works' : `not known: ${kind}`}`);
    return;
  }
  const one = name !== '' && !/[*?]/.test(name) && (!found.info.namespaced || (namespace !== '' && !/[*?]/.test(namespace)));
  for (const place of found.places) {
    needs.add({
      duty: 'background',
      verbs: [...(one ? ['get'] : ['get', 'list']), 'update', 'patch'],
      ...place,
      namespace: found.info.namespaced ? fixedNamespace(namespace) : '',
      path,
    });
  }
}

function addGenerate(needs: NeedsList, raw: JsonObject, place: TargetPlace): void {
  const loops = own(raw, 'foreach');
  const synchronize = own(raw, 'synchronize') === true;
  if (!Array.isArray(loops)) addMade(needs, raw, {...place, synchronize});
  else
    loops.forEach((entry, index) => {
      if (isObject(entry)) addMade(needs, entry, {...place, path: `${place.path}.foreach[${index}]`, synchronize});
    });
}

function addMade(needs: NeedsList, block: JsonObject, {path, resources, synchronize}: TargetPlace & {readonly synchronize: boolean}): void {
  const [clone, list, data] = ['clone', 'cloneList', 'data'].map(key => own(block, key));
  const namespace = fixedNamespace(textOf(own(block, 'namespace')));
  const source = isObject(clone) ? clone : isObject(list) ? list : undefined;
  const kinds = isObject(list) ? listedKinds(list) : [{apiVersion: textOf(own(block, 'apiVersion')), kind: textOf(own(block, 'kind')) || textOf(isObject(data) ? own(data, 'kind') : undefined)}];
  for (const {apiVersion, kind} of kinds) {
    const found = hasVariables(apiVersion + kind) ? undefined : placesOf(apiVersion, kind, resources);
    if (found === undefined) {
      needs.unknown(`${path}: the kind that is made is ${hasVariables(apiVersion + kind) ? 'known only when the policy works' : `not known: ${kind}`}`);
      continue;
    }
    const {namespaced} = found.info;
    for (const place of found.places) {
      // What is kept in step is watched in every namespace.
      const within = synchronize || !namespaced ? '' : namespace;
      needs.add({duty: 'background', verbs: synchronize ? ownVerbs : ['get', 'create'], ...place, namespace: within, path});
      addRoleRights(needs, source === undefined ? data : undefined, {place, namespace: within, path});
      if (source === undefined) continue;
      const from = namespaced && !synchronize ? fixedNamespace(textOf(own(source, 'namespace'))) : '';
      needs.add({duty: 'background', verbs: synchronize ? scanVerbs : isObject(list) ? ['get', 'list'] : ['get'], ...place, namespace: from, path: `${path}.${isObject(list) ? 'cloneList' : 'clone'}`});
    }
  }
}

function listedKinds(list: JsonObject): Array<{readonly apiVersion: string; readonly kind: string}> {
  const kinds = own(list, 'kinds');
  return (Array.isArray(kinds) ? kinds : []).map(text => {
    const parts = textOf(text).split('/');
    const kind = parts.pop() ?? '';
    return {apiVersion: parts.join('/'), kind};
  });
}
