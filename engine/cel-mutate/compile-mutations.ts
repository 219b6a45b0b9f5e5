import {anyType, listOf, mapOf, objectType, stringType} from '../cel/types/type.js';
import {compileConditions} from '../cel-policies/compile/lists.js';
import type {MutatingPolicy, Mutation} from '../cel-policies/model.js';
import type {CompiledMutations, CompileTools, ExpectedType} from '../cel-policies/types.js';
import type {JsonObject} from '../json/types.js';
import {type Mutate, type MutateOptions, mergesConfiguration, patchesJson} from './mutate.js';
import {findsTargets} from './targets/find-targets.js';

const configuration: ExpectedType = {types: [objectType('Object')], message: 'output is expected to be of type Object'};
const operations: ExpectedType = {
  types: [listOf(objectType('JSONPatch'))],
  message: 'output is expected to be of type list(JSONPatch)',
};
const targetMap: ExpectedType = {types: [mapOf(stringType, anyType)], message: 'output type must be a map'};

/** Mutations and targets of a MutatingPolicy. */
export function compileMutations(model: MutatingPolicy, tools: CompileTools): CompiledMutations {
  const {spec} = model;
  const replaceAtomics = spec.useServerSideApply;
  const compiled = compileMutationList(spec.mutations, tools, {replaceAtomics, replaceAdds: false});
  const constraints = spec.targetMatchConstraints;
  const expression = constraints?.expression;
  const program =
    expression === undefined
      ? undefined
      : tools.compile(expression, 'spec.targetMatchConstraints.expression', targetMap);
  return {
    ...compiled,
    targetConditions: compileConditions(spec.targetMatchConditions, 'spec.targetMatchConditions', tools),
    targets: findsTargets(model, program),
  };
}

/** Mutations in order, of this project's policies and of Kubernetes' own. */
export function compileMutationList(
  mutations: readonly Mutation[],
  tools: CompileTools,
  options: MutateOptions,
): Pick<CompiledMutations, 'apply'> {
  const steps: Mutate[] = [];
  mutations.forEach((mutation, index) => {
    const step = compileMutation(mutation, `spec.mutations[${index}]`, tools, options);
    if (step === undefined) return;
    steps.push(step);
  });
  return {
    apply(object, scope) {
      let current: JsonObject = object;
      let inner = scope;
      for (const mutate of steps) {
        const next = mutate(current, inner);
        if (next === current) continue;
        current = next;
        inner = inner.withObject(current);
      }
      return current;
    },
  };
}

function compileMutation(
  mutation: Mutation,
  path: string,
  tools: CompileTools,
  options: MutateOptions,
): Mutate | undefined {
  if (mutation.patchType === 'ApplyConfiguration' && mutation.applyConfiguration !== undefined) {
    const program = tools.compile(mutation.applyConfiguration, `${path}.applyConfiguration.expression`, configuration);
    return program === undefined ? undefined : mergesConfiguration(program, options);
  }
  if (mutation.patchType === 'JSONPatch' && mutation.jsonPatch !== undefined) {
    const program = tools.compile(mutation.jsonPatch, `${path}.jsonPatch.expression`, operations);
    return program === undefined ? undefined : patchesJson(program, options);
  }
  return undefined;
}
