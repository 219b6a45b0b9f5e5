import type {CompiledCelPolicy} from '../../engine/cel-policies/types.js';

/** A MutatingPolicy with targets of its own changes these, never the request's object. */
export function changesRequests({source}: CompiledCelPolicy): boolean {
  if (source.type !== 'mutating') return false;
  const targets = source.spec.targetMatchConstraints;
  return targets === undefined || (targets.resourceRules.length === 0 && targets.expression === undefined);
}

/** A MutatingPolicy whose triggers lead to changes of other objects. */
export function changesExisting(policy: CompiledCelPolicy): boolean {
  const {source} = policy;
  return source.type === 'mutating' && (source.spec.mutateExisting || !changesRequests(policy));
}
