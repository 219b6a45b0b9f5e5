import {compileEntries, type CompiledEntry} from '../context/compile-entry.js';
import type {RuleScope} from '../context/rule-scope.js';
import {BudgetError, CompileError, EvalError} from '../diagnostic.js';
import {deepEqual} from '../json/equal.js';
import {type Json, type JsonObject, ownPath} from '../json/types.js';
import {applyJsonPatch, mergeSchemaFor, parseJsonPatch, strategicMerge} from '../mutate/index.js';
import type {MutateForeach, MutatePatch} from '../policy/model.js';
import type {JsonPatchOperation} from '../types.js';
import {compileTemplate, type DocumentPath} from '../variables/template.js';
import {compileList} from './compile-foreach.js';
import {compileOptionalBlock, evaluateBlock} from './condition-block.js';
import {elementVariables} from './element-variables.js';
import {patchSkeleton} from './patch-skeleton.js';
import type {Conditions, Patch, PatchOutcome} from './types.js';

export interface PatchOptions {
  /** `spec.rules[0].mutate`. */
  readonly path: string;
  readonly document: DocumentPath;
  /** What `{{@}}` means. */
  readonly self?: 'request.object' | 'target';
}

export function compilePatch(patch: MutatePatch, options: PatchOptions, depth = 0): Patch {
  switch (patch.type) {
    case 'strategicMerge':
      return strategicMergePatch(patch.patch, options);
    case 'json6902':
      return jsonPatch(patch.patch, options);
    case 'foreach':
      return foreachPatch(patch.entries, options, depth);
  }
}

function strategicMergePatch(patch: Json, options: PatchOptions): Patch {
  const template = compileTemplate(patch, `${options.path}.patchStrategicMerge`, {
    document: [...options.document, 'patchStrategicMerge'],
    ...(options.self !== undefined && {self: options.self}),
  });
  return (object, scope) => {
    const value = substitute(() => template.evaluate(scope));
    const apiVersion = ownPath(object, 'apiVersion');
    const kind = ownPath(object, 'kind');
    const schema = mergeSchemaFor(typeof apiVersion === 'string' ? apiVersion : '', typeof kind === 'string' ? kind : '');
    const result = strategicMerge(object, value, {schema, budget: scope.env.budget});
    return 'skipped' in result ? unchanged(object) : patched(object, result.object);
  };
}

function jsonPatch(text: string, options: PatchOptions): Patch {
  const path = `${options.path}.patchesJson6902`;
  const template = compileTemplate(text, path);
  let fixed: readonly JsonPatchOperation[] | undefined;
  if (template.isStatic) {
    try {
      fixed = parseJsonPatch(text);
    } catch (error) {
      throw new CompileError({code: 'json-patch', path, message: error instanceof Error ? error.message : String(error)});
    }
  }
  const isAsWritten = patchSkeleton(text);
  return (object, scope) => {
    const operations = fixed ?? parseJsonPatch(asText(substitute(() => template.evaluate(scope))));
    if (fixed === undefined && !isAsWritten(operations)) {
      throw new EvalError('variable substitution failed: values must not change the operations of the patch');
    }
    scope.env.budget.step(operations.length);
    return patched(object, applyJsonPatch(object, operations, scope.env.budget));
  };
}

function asText(value: Json): string {
  if (typeof value === 'string') return value;
  throw new EvalError('patchesJson6902 must become a string');
}

interface Loop {
  readonly text: string;
  readonly list: (scope: RuleScope) => readonly Json[];
  readonly descending: boolean;
  readonly entries: readonly CompiledEntry[];
  readonly preconditions: Conditions | undefined;
  readonly patch: Patch;
}

/** Each element works on what the elements before it left; `request.object` moves on between entries. */
function foreachPatch(entries: readonly MutateForeach[], options: PatchOptions, depth: number): Patch {
  const loops = entries.map((entry, index) => compileLoop(entry, index, options, depth));
  return (object, scope) => {
    let current = object;
    let applied = 0;
    for (const loop of loops) {
      const outer = current === object ? scope : scope.withContext(scope.context.withObject(current));
      const result = runLoop(loop, current, outer, depth);
      if (result.status === 'error' || result.status === 'fail') return {...result, object};
      current = result.object;
      applied += result.applied;
    }
    return applied === 0 ? {status: 'skip', message: '0 elements processed', object} : patched(object, current);
  };
}

function compileLoop(entry: MutateForeach, index: number, options: PatchOptions, depth: number): Loop {
  const path = `${options.path}.foreach[${index}]`;
  return {
    text: entry.list,
    list: compileList(entry.list, `${path}.list`),
    descending: (entry.order ?? (entry.patch.type === 'strategicMerge' ? 'Descending' : 'Ascending')) === 'Descending',
    entries: compileEntries(entry.context, `${path}.context`),
    preconditions: compileOptionalBlock(entry.preconditions, `${path}.preconditions`),
    patch: compilePatch(entry.patch, {...options, path, document: [...options.document, 'foreach', index]}, depth + 1),
  };
}

function runLoop(loop: Loop, object: JsonObject, scope: RuleScope, depth: number): PatchOutcome & {readonly applied: number} {
  let elements: readonly Json[];
  try {
    elements = loop.list(scope);
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
    throw new EvalError(`failed to evaluate list ${loop.text}: ${error.message}`, error.code);
  }
  let current = object;
  let applied = 0;
  for (let step = 0; step < elements.length; step++) {
    const index = loop.descending ? elements.length - 1 - step : step;
    const element = elements[index] as Json;
    scope.env.budget.step();
    if (element === null) continue;
    const inner = scope.child(loop.entries, elementVariables(element, index, depth));
    const result = patchElement(loop, current, inner);
    if (result === undefined || result.status === 'skip') continue;
    if (result.status !== 'pass') {
      return {status: result.status, message: `failed to mutate elements: ${result.message}`, object, applied};
    }
    current = result.object;
    applied += 1;
  }
  return {status: 'pass', message: '', object: current, applied};
}

function patchElement(loop: Loop, object: JsonObject, scope: RuleScope): PatchOutcome | undefined {
  try {
    if (loop.preconditions !== undefined && !evaluateBlock(loop.preconditions, scope).result) return undefined;
    return loop.patch(object, scope);
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
    return {status: 'error', message: error.message, object};
  }
}

function substitute<T>(evaluate: () => T): T {
  try {
    return evaluate();
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
    throw new EvalError(`variable substitution failed: ${error.message}`, error.code);
  }
}

function unchanged(object: JsonObject): PatchOutcome {
  return {status: 'skip', message: 'no patches applied', object};
}

function patched(before: JsonObject, after: JsonObject): PatchOutcome {
  if (before === after || deepEqual(before, after)) return unchanged(before);
  const metadata = ownPath(after, 'metadata');
  const name = ownPath(metadata, 'name') ?? ownPath(metadata, 'generateName');
  const namespace = ownPath(metadata, 'namespace');
  const kind = ownPath(after, 'kind');
  const place = typeof namespace === 'string' && namespace !== '' ? ` in namespace ${namespace}` : '';
  const what = typeof kind === 'string' && typeof name === 'string' ? `${kind}/${name}` : 'resource';
  return {status: 'pass', message: `mutated ${what}${place}`, object: after};
}
