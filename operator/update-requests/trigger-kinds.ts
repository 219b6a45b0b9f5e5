import type {ResourceRule} from '../../engine/cel-policies/model.js';
import type {KindSelector} from '../../engine/match/kind-selector.js';
import type {KindInfo, ResourceMap} from '../../engine/resource-map.js';
import {compileGlob} from '../../engine/values/glob.js';
import {kindOf} from './trigger.js';

/** What changes by itself, tells of others, or is ours: never watched as a trigger. */
const unwatched = /^(events|events\.k8s\.io\/events|coordination\.k8s\.io\/leases|[^/]*kyverno\.io\/.*|wgpolicyk8s\.io\/.*|openreports\.io\/.*)$/;

export function resourceId({group, resource}: Pick<KindInfo, 'group' | 'resource'>): string {
  return group === '' ? resource : `${group}/${resource}`;
}

/** Kinds that selectors mean, each in the version that the cluster prefers. */
export function kindsOfSelectors(selectors: readonly KindSelector[], resources: ResourceMap): KindInfo[] {
  const found = new Map<string, KindInfo>();
  for (const selector of selectors) {
    if (selector.subresource !== '' && selector.subresource !== '*') continue;
    const [group, version, kind] = [compileGlob(selector.group), compileGlob(selector.version), compileGlob(selector.kind)];
    for (const info of resources.all()) {
      if (group(info.group) && version(info.version) && kind(info.kind)) add(found, info);
    }
  }
  return [...found.values()];
}

export function kindsOfResourceRules(rules: readonly ResourceRule[], resources: ResourceMap): KindInfo[] {
  const found = new Map<string, KindInfo>();
  const fits = (wanted: readonly string[], value: string) => wanted.includes('*') || wanted.includes(value);
  for (const rule of rules) {
    for (const info of resources.all()) {
      if (fits(rule.apiGroups, info.group) && fits(rule.apiVersions, info.version) && fits(rule.resources, info.resource)) add(found, info);
    }
  }
  return [...found.values()];
}

/** Those of `apiVersion/Kind` texts that the cluster has; what holds variables is known only when it is made. */
export function kindsOfTexts(texts: ReadonlyArray<{readonly apiVersion: string; readonly kind: string}>, resources: ResourceMap): KindInfo[] {
  const found = new Map<string, KindInfo>();
  for (const text of texts) {
    const info = text.apiVersion === '' ? resources.find(text.kind)[0] : kindOf(text, resources);
    if (info !== undefined) add(found, info);
  }
  return [...found.values()];
}

function add(found: Map<string, KindInfo>, info: KindInfo): void {
  const id = resourceId(info);
  if (!found.has(id) && !unwatched.test(id)) found.set(id, info);
}
