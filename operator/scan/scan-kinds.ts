import type {CompiledCelPolicy} from '../../engine/cel-policies/types.js';
import type {CompiledPolicy} from '../../engine/compile/types.js';
import type {KindInfo, ResourceMap} from '../../engine/resource-map.js';
import {compileGlob} from '../../engine/values/glob.js';

/** Objects that nobody wants a report on, or that are reports themselves. */
const neverScanned = new Set([
  '/events',
  'events.k8s.io/events',
  'coordination.k8s.io/leases',
  '/componentstatuses',
  'discovery.k8s.io/endpointslices',
  '/endpoints',
]);
const ownGroups = /(^|\.)kyverno\.io$|^wgpolicyk8s\.io$|^openreports\.io$|^metrics\.k8s\.io$/;

export function scanKey({group, resource}: Pick<KindInfo, 'group' | 'resource'>): string {
  return `${group}/${resource}`;
}

/** Kinds that background policies judge, each in the version that the cluster prefers. Wildcards stand for all that can be listed. */
export function scannedKinds(classic: Iterable<CompiledPolicy>, cel: Iterable<CompiledCelPolicy>, resources: ResourceMap): Map<string, KindInfo> {
  const found = new Map<string, KindInfo>();
  const add = (info: KindInfo) => {
    const key = scanKey(info);
    if (!found.has(key) && !neverScanned.has(key) && !ownGroups.test(info.group)) found.set(key, info);
  };
  for (const policy of classic) {
    if (!policy.source.spec.background) continue;
    for (const rule of policy.validateRules) {
      for (const selector of rule.kinds) {
        if (selector.subresource !== '') continue;
        const [group, version, kind] = [compileGlob(selector.group), compileGlob(selector.version), compileGlob(selector.kind)];
        for (const info of resources.all()) if (group(info.group) && version(info.version) && kind(info.kind)) add(info);
      }
    }
  }
  for (const {source, variants} of cel) {
    if (source.type !== 'validating' && source.type !== 'mutating') continue;
    if (!source.spec.background || source.spec.mode !== 'Kubernetes') continue;
    for (const {constraints} of variants) {
      for (const rule of constraints?.resourceRules ?? []) {
        for (const info of resources.all()) {
          if (fits(rule.apiGroups, info.group) && fits(rule.apiVersions, info.version) && fits(rule.resources, info.resource)) add(info);
        }
      }
    }
  }
  return found;
}

function fits(wanted: readonly string[], value: string): boolean {
  return wanted.includes('*') || wanted.includes('*/*') || wanted.includes(value);
}

