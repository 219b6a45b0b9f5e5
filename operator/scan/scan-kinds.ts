import type {CompiledAdmissionPolicy} from '../../engine/admission-policies/compile-admission-policy.js';
import type {MatchConstraints} from '../../engine/cel-policies/model.js';
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
/** Questions: they are asked and never stored. */
const reviewGroups = new Set(['authentication.k8s.io', 'authorization.k8s.io']);

export function scanKey({group, resource}: Pick<KindInfo, 'group' | 'resource'>): string {
  return `${group}/${resource}`;
}

/**
 * Kinds that a classic policy has looked through in the background, each in the version that the cluster prefers. Kind
 * `*` adds none: such a rule judges what others have looked through, so that one policy does not read a whole cluster.
 */
export function scannedByClassic(policy: CompiledPolicy, resources: ResourceMap): Map<string, KindInfo> {
  if (!policy.source.spec.background) return new Map();
  const kinds = policy.scanRules.filter(isAskedByScans).flatMap(rule => rule.kinds).filter(({kind}) => kind !== '*');
  return toScan(kindsOfRule({kinds}, resources));
}

/** Scans ask as at a creation: what is only about other requests says nothing there. */
export function isAskedByScans({operations}: Pick<CompiledRule, 'operations'>): boolean {
  return operations === undefined || operations.has('CREATE');
}

/** The same of a policy written in CEL. */
export function isCelAskedByScans({variants}: Pick<CompiledCelPolicy, 'variants'>): boolean {
  return variants.some(({constraints}) => constraints === undefined || constraints.resourceRules.some(({operations}) => operations.includes('*') || operations.includes('CREATE')));
}

/** Whether a change of the policy bears on every kind that is looked through. */
export function judgesEverything(policy: CompiledPolicy): boolean {
  return policy.source.spec.background && policy.scanRules.some(rule => isAskedByScans(rule) && rule.kinds.some(({kind}) => kind === '*'));
}

/** Kinds of a policy written in CEL, as scannedByClassic has them. */
export function scannedByCel(policy: CompiledCelPolicy, resources: ResourceMap): Map<string, KindInfo> {
  const {source} = policy;
  if (source.type === 'generating' || source.type === 'deleting') return new Map();
  if (!source.spec.background || source.spec.mode !== 'Kubernetes' || !isCelAskedByScans(policy)) return new Map();
  return toScan(kindsOfCelPolicy(policy, resources));
}

/** Kinds of a policy of the API server's own, as scannedByClassic has them. */
export function scannedByNative({source}: CompiledAdmissionPolicy, resources: ResourceMap): Map<string, KindInfo> {
  return toScan(kindsOfConstraints(source.matchConstraints, resources));
}

/** Every kind that a rule may be about. */
export function kindsOfRule(rule: Pick<CompiledRule, 'kinds'>, resources: ResourceMap): KindInfo[] {
  return rule.kinds
    .filter(selector => selector.subresource === '')
    .flatMap(selector => {
      const [group, version, kind] = [
        compileGlob(selector.group),
        compileGlob(selector.version),
        compileGlob(selector.kind),
      ];
      return resources.all().filter(info => group(info.group) && version(info.version) && kind(info.kind));
    });
}

export function kindsOfCelPolicy({variants}: Pick<CompiledCelPolicy, 'variants'>, resources: ResourceMap): KindInfo[] {
  return variants.flatMap(({constraints}) => kindsOfConstraints(constraints, resources));
}

export function kindsOfConstraints(constraints: MatchConstraints | undefined, resources: ResourceMap): KindInfo[] {
  return (constraints?.resourceRules ?? []).flatMap(rule =>
    resources
      .all()
      .filter(
        info =>
          fits(rule.apiGroups, info.group) &&
          fits(rule.apiVersions, info.version) &&
          fits(rule.resources, info.resource),
      ),
  );
}

function toScan(kinds: readonly KindInfo[]): Map<string, KindInfo> {
  const found = new Map<string, KindInfo>();
  for (const info of kinds) {
    const key = scanKey(info);
    if (!found.has(key) && !neverScanned.has(key) && !ownGroups.test(info.group) && !reviewGroups.has(info.group)) found.set(key, info);
  }
  return found;
}

function fits(wanted: readonly string[], value: string): boolean {
  return wanted.includes('*') || wanted.includes('*/*') || wanted.includes(value);
}
