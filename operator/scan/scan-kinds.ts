import type {CompiledCelPolicy} from '../../engine/cel-policies/types.js';
import type {CompiledPolicy, CompiledRule} from '../../engine/compile/types.js';
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

/** Kinds that a classic policy has judged in the background, each in the version that the cluster prefers; wildcards stand for all. */
export function scannedByClassic(policy: CompiledPolicy, resources: ResourceMap): Map<string, KindInfo> {
  if (!policy.source.spec.background) return new Map();
  return toScan(policy.validateRules.flatMap(rule => kindsOfRule(rule, resources)));
}

/** The same of a policy written in CEL. */
export function scannedByCel(policy: CompiledCelPolicy, resources: ResourceMap): Map<string, KindInfo> {
  const {source} = policy;
  if (source.type !== 'validating' && source.type !== 'mutating') return new Map();
  if (!source.spec.background || source.spec.mode !== 'Kubernetes') return new Map();
  return toScan(kindsOfCelPolicy(policy, resources));
}

/** Every kind that a rule may be about. */
export function kindsOfRule(rule: Pick<CompiledRule, 'kinds'>, resources: ResourceMap): KindInfo[] {
  return rule.kinds
    .filter(selector => selector.subresource === '')
    .flatMap(selector => {
      const [group, version, kind] = [compileGlob(selector.group), compileGlob(selector.version), compileGlob(selector.kind)];
      return resources.all().filter(info => group(info.group) && version(info.version) && kind(info.kind));
    });
}

export function kindsOfCelPolicy({variants}: Pick<CompiledCelPolicy, 'variants'>, resources: ResourceMap): KindInfo[] {
  return variants
    .flatMap(({constraints}) => constraints?.resourceRules ?? [])
    .flatMap(rule => resources.all().filter(info => fits(rule.apiGroups, info.group) && fits(rule.apiVersions, info.version) && fits(rule.resources, info.resource)));
}

function toScan(kinds: readonly KindInfo[]): Map<string, KindInfo> {
  const found = new Map<string, KindInfo>();
  for (const info of kinds) {
    const key = scanKey(info);
    if (!found.has(key) && !neverScanned.has(key) && !ownGroups.test(info.group)) found.set(key, info);
  }
  return found;
}

function fits(wanted: readonly string[], value: string): boolean {
  return wanted.includes('*') || wanted.includes('*/*') || wanted.includes(value);
}
