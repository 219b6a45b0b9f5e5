import {selectedKinds} from '../cel-policies/compile/unknown-fields.js';
import type {MutatingPolicy} from '../cel-policies/model.js';
import type {Diagnostic} from '../diagnostic.js';
import {apiVersionOf, type ResourceMap} from '../resource-map.js';
import {type ConfigurationFault, configurationFaults} from './configuration-faults.js';
import {builtInType} from './schema/built-in.js';

/**
 * Parts of applied configurations that fail for every kind that the policy changes. Nothing is said where a kind's fields
 * are not known, or where the policy takes any kind.
 */
export function configurationWarnings({spec}: MutatingPolicy, resources: ResourceMap): Diagnostic[] {
  const targets = spec.targetMatchConstraints;
  if (targets?.expression !== undefined && targets.resourceRules.length === 0) return [];
  const constraints = targets !== undefined && targets.resourceRules.length > 0 ? targets : spec.matchConstraints;
  const kinds = selectedKinds(constraints, resources);
  const types = kinds.map(info => builtInType(apiVersionOf(info), info.kind));
  if (kinds.length === 0 || types.some(type => type === undefined)) return [];
  return spec.mutations.flatMap(({patchType, applyConfiguration: expression}, index) => {
    if (patchType !== 'ApplyConfiguration' || expression === undefined) return [];
    const options = {replaceAtomics: spec.useServerSideApply};
    const perKind = types.map(type => configurationFaults(expression, type!, options));
    const [first = [], ...others] = perKind;
    const shared = first.filter(fault => others.every(faults => faults.some(other => other.at === fault.at)));
    return shared.map(fault => warning(fault, expression, `spec.mutations[${index}].applyConfiguration.expression`));
  });
}

function warning({message}: ConfigurationFault, expression: string, path: string): Diagnostic {
  const hint = message.endsWith('structs')
    ? {hint: 'evaluation.useServerSideApply: true replaces them as a whole'}
    : {};
  return {code: 'cel-configuration', path, message: `the mutation fails: ${message}`, expression, ...hint};
}
