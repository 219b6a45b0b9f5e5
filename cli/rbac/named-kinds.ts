import {parseKindSelector} from '../../engine/match/kind-selector.js';
import type {FilterGroup} from '../../engine/policy/model.js';
import type {KindInfo, ResourceMap} from '../../engine/resource-map.js';
import {findKind} from '../../engine/targets/api-path.js';
import {compileGlob} from '../../engine/values/glob.js';
import {findVariables} from '../../engine/variables/scan.js';
import type {Right} from './right.js';

export type Place = Pick<Right, 'group' | 'resource'>;

/** A kind as `apiVersion` and `kind` name it, with `Kind/sub` for subresources; `undefined` when nobody knows it. */
export function placesOf(apiVersion: string, kind: string, resources: ResourceMap): {readonly info: KindInfo; readonly places: readonly Place[]} | undefined {
  const [name = '', subresource = ''] = kind.split('/');
  const info = findKind(resources.find(name), apiVersion);
  if (info === undefined) return undefined;
  const {group, resource} = info;
  // Who writes a subresource reads its parent.
  return {info, places: [{group, resource}, ...(subresource === '' ? [] : [{group, resource: `${resource}/${subresource}`}])]};
}

/** Kinds of a rule's `match`; texts that no known kind fits are handed to `onUnknown`. A lone star stands for every kind. */
export function kindsOfMatch(match: FilterGroup, resources: ResourceMap, onUnknown: (text: string) => void): readonly Place[] {
  const found = new Map<string, Place>();
  for (const text of new Set(match.filters.flatMap(({kinds}) => kinds))) {
    const selector = parseKindSelector(text);
    if (selector === undefined || hasVariables(text)) {
      onUnknown(text);
      continue;
    }
    if (selector.kind === '*' && selector.group === '*') {
      found.set('*', {group: '*', resource: '*'});
      continue;
    }
    const [group, version, kind] = [compileGlob(selector.group), compileGlob(selector.version), compileGlob(selector.kind)];
    const infos = resources.all().filter(info => group(info.group) && version(info.version) && kind(info.kind));
    if (infos.length === 0) onUnknown(text);
    for (const info of infos) found.set(`${info.group}/${info.resource}`, {group: info.group, resource: info.resource});
  }
  return [...found.values()];
}

export function hasVariables(text: string): boolean {
  return findVariables(text).length > 0;
}

/** A namespace that rights can be confined to; empty for patterns, variables and none. */
export function fixedNamespace(text: string): string {
  return /[*?]/.test(text) || hasVariables(text) ? '' : text;
}
