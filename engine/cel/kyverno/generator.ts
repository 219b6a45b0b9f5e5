import type {JsonObject} from '../../json/types.js';
import type {CelHost, Library} from '../library/library.js';
import {boolType, dynType, listOf, mapOf, opaque, stringType} from '../types/type.js';
import type {Value} from '../values/value.js';
import {invalid, objectArgument} from './arguments.js';
import {ContextValue} from './contexts.js';
import {declare, type Signature} from './declare.js';

const typeName = 'generator.Context';
const generatorType = opaque(typeName);
const objectsType = listOf(mapOf(stringType, dynType));

/** One call of `generator.Apply`, as it was made. */
export interface GeneratorCall {
  /** Where to; of a policy of a namespace always that one. */
  readonly namespace: string;
  /** Lists among them are still whole. */
  readonly objects: readonly JsonObject[];
}

/**
 * What `generator` is bound to: it only collects. Make a new one for each attempt to evaluate, or what an attempt that
 * had to wait collected comes twice.
 */
export class GeneratorContext extends ContextValue {
  readonly #calls: GeneratorCall[] = [];

  constructor(readonly namespace: string | undefined) {
    super(typeName);
  }

  get calls(): readonly GeneratorCall[] {
    return this.#calls;
  }

  collect(call: GeneratorCall): void {
    this.#calls.push(call);
  }
}

/** The variable `generator` of generating policies. In a policy of a namespace no other namespace can be named. */
export function generatorLibrary({namespaced}: {readonly namespaced: boolean}): Library {
  const everywhere: Signature = {
    id: 'namespace_list',
    receiver: true,
    params: [generatorType, stringType, objectsType],
    result: boolType,
    host: true,
    call: (host: CelHost, self: GeneratorContext, namespace: string, objects: readonly Value[]) =>
      apply(host, self, {namespace: self.namespace ?? namespace, objects, at: 1}),
  };
  const athome: Signature = {
    id: 'list',
    receiver: true,
    params: [generatorType, objectsType],
    result: boolType,
    host: true,
    call: (host: CelHost, self: GeneratorContext, objects: readonly Value[]) =>
      apply(host, self, {namespace: self.namespace ?? '', objects, at: 0}),
  };
  return {
    name: namespaced ? 'kyverno.generator.namespaced' : 'kyverno.generator',
    variables: {generator: generatorType},
    functions: declare('generator', ['Apply', 'apply'], [namespaced ? athome : everywhere]),
  };
}

interface Application {
  readonly namespace: string;
  readonly objects: readonly Value[];
  readonly at: number;
}

function apply(host: CelHost, self: GeneratorContext, {namespace, objects, at}: Application): boolean {
  if (!Array.isArray(objects)) throw invalid(at, 'expected a list of maps');
  self.collect({namespace, objects: objects.map(object => objectArgument(object as Value, at, host.budget))});
  return true;
}
