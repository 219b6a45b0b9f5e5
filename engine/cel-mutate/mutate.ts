import type {Program} from '../cel/environment.js';
import type {CelScope} from '../cel-policies/types.js';
import {type JsonObject, own} from '../json/types.js';
import {applyStrictPatch} from './json-patch/strict-patch.js';
import {applyConfiguration} from './merge/apply-configuration.js';
import {kindType, publishedType} from './schema/kind-type.js';
import {deduced} from './schema/types.js';
import {configurationOf, operationsOf} from './values.js';

export interface MutateOptions {
  /** Atomic lists, maps and structs are replaced, not refused. */
  readonly replaceAtomics: boolean;
  /** `replace` of a key that is not there adds it. */
  readonly replaceAdds: boolean;
  /** Objects of a kind that nobody described are merged by what they look like. */
  readonly deduces?: boolean;
}

/** One mutation; the same reference when nothing changed. Throws EvalError, and Suspend to wait. */
export type Mutate = (object: JsonObject, scope: CelScope) => JsonObject;

/** Merges the `Object{…}` that the program comes to. */
export function mergesConfiguration(program: Program, {replaceAtomics, deduces = false}: MutateOptions): Mutate {
  return (object, scope) => {
    const {host} = scope;
    const configuration = configurationOf(program.evaluate(scope.bindings, host));
    const apiVersion = String(own(object, 'apiVersion') ?? '');
    const kind = String(own(object, 'kind') ?? '');
    return applyConfiguration(object, configuration, {
      type: kindType(host, apiVersion, kind) ?? (deduces ? deduced : undefined),
      newerType: () => publishedType(host, apiVersion, kind),
      replaceAtomics,
      budget: host.budget,
    });
  };
}

/** Applies the list of `JSONPatch{…}` that the program comes to. */
export function patchesJson(program: Program, {replaceAdds}: MutateOptions): Mutate {
  return (object, scope) => {
    const operations = operationsOf(program.evaluate(scope.bindings, scope.host));
    return applyStrictPatch(object, operations, {budget: scope.host.budget, replaceAdds});
  };
}
