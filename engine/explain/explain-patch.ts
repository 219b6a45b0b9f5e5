import {compileList} from '../compile/compile-foreach.js';
import {compilePatch} from '../compile/compile-patch.js';
import {compileOptionalBlock} from '../compile/condition-block.js';
import {elementVariables} from '../compile/element-variables.js';
import {compileEntries} from '../context/compile-entry.js';
import type {RuleScope} from '../context/rule-scope.js';
import {BudgetError, EvalError} from '../diagnostic.js';
import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {diffJson, mergeSchemaFor, strategicMerge} from '../mutate/index.js';
import {parseAnchor} from '../pattern/index.js';
import type {MutateForeach, MutatePatch} from '../policy/model.js';
import {compileTemplate, type DocumentPath} from '../variables/template.js';
import {explainConditions} from './explain-conditions.js';
import type {VariableLog} from './explain-variables.js';
import {node} from './node.js';
import type {ExplainNode, Verdict} from './types.js';

export interface PatchLook {
  readonly object: JsonObject;
  readonly scope: RuleScope;
  readonly log: VariableLog;
  /** `spec.rules[0].mutate`. */
  readonly path: string;
  readonly document: DocumentPath;
  readonly depth?: number;
}

export interface PatchWalk {
  readonly node: ExplainNode;
  readonly object: JsonObject;
}

/** A patch as the engine applies it, and the operations that it came to. Throws what evaluation throws. */
export function explainPatch(patch: MutatePatch, look: PatchLook): PatchWalk {
  if (patch.type === 'foreach') return explainLoops(patch.entries, look);
  const name = patch.type === 'strategicMerge' ? 'patchStrategicMerge' : 'patchesJson6902';
  const path = `${look.path}.${name}`;
  const outcome = compilePatch(patch, {path: look.path, document: look.document}, look.depth)(look.object, look.scope);
  const wanted = compileTemplate(patch.patch, path, {document: [...look.document, name]}).evaluate(look.scope);
  look.log.expressions(patch.patch, path, look.scope);
  const anchors = patch.type === 'strategicMerge' ? anchorNodes(wanted, path, look) : [];
  return {
    object: outcome.object,
    node: node({
      kind: 'patch',
      name,
      path,
      verdict: outcome.status,
      wanted,
      note: outcome.message,
      children: [...anchors, ...operations(look.object, outcome.object, path)],
    }),
  };
}

/** The anchors of a merge, in the order in which they were asked. */
function anchorNodes(patch: Json, path: string, {object, scope}: PatchLook): ExplainNode[] {
  const places = new Map<JsonObject, string>();
  notePlaces(patch, path, places);
  const nodes: ExplainNode[] = [];
  strategicMerge(object, patch, {
    schema: mergeSchemaFor(textOf(object, 'apiVersion'), textOf(object, 'kind')),
    budget: scope.env.budget,
    observe: ({map, key, path: at, got, held}) => {
      const adds = parseAnchor(key)?.kind === 'addIfAbsent';
      const wanted = map[key]!;
      const isLeaf = !isObject(wanted) && !Array.isArray(wanted);
      nodes.push(
        node({
          kind: 'pattern',
          name: key,
          path: `${places.get(map) ?? path}.${key}`,
          at: at.slice(0, -1),
          verdict: held ? 'pass' : adds ? 'ignored' : 'skip',
          wanted: isLeaf ? wanted : undefined,
          got: isLeaf ? got : undefined,
          note: adds ? (held ? 'absent, so it is added' : 'there already') : undefined,
        }),
      );
    },
  });
  return nodes;
}

function notePlaces(value: Json, path: string, places: Map<JsonObject, string>): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) notePlaces(item, `${path}[${index}]`, places);
  } else if (isObject(value)) {
    places.set(value, path);
    for (const key of Object.keys(value)) notePlaces(value[key]!, `${path}.${key}`, places);
  }
}

function textOf(object: JsonObject, key: string): string {
  const value = own(object, key);
  return typeof value === 'string' ? value : '';
}

function operations(before: JsonObject, after: JsonObject, path: string): ExplainNode[] {
  if (before === after) return [];
  return diffJson(before, after).map(({op, path: at, value}) =>
    node({kind: 'operation', name: op, path, at, verdict: 'pass', wanted: value}),
  );
}

function explainLoops(entries: readonly MutateForeach[], look: PatchLook): PatchWalk {
  const children: ExplainNode[] = [];
  let object = look.object;
  let ended: Verdict | undefined;
  let applied = 0;
  for (const [index, entry] of entries.entries()) {
    const path = `${look.path}.foreach[${index}]`;
    const name = `foreach ${entry.list}`;
    if (ended !== undefined) {
      children.push(node({kind: 'foreach', name, path, verdict: 'not-reached'}));
      continue;
    }
    const scope = object === look.object ? look.scope : look.scope.withContext(look.scope.context.withObject(object));
    const loop = explainLoop(
      entry,
      {name, path},
      {...look, object, scope, path, document: [...look.document, 'foreach', index]},
    );
    children.push(loop.node);
    applied += loop.applied;
    ended = loop.ended;
    object = loop.object;
  }
  const verdict =
    ended ?? (applied === 0 ? 'skip' : operations(look.object, object, look.path).length === 0 ? 'skip' : 'pass');
  return {
    object: ended === undefined ? object : look.object,
    node: node({kind: 'foreach', name: 'foreach', path: `${look.path}.foreach`, verdict, children}),
  };
}

interface LoopWalk extends PatchWalk {
  readonly applied: number;
  readonly ended: Verdict | undefined;
}

function explainLoop(
  entry: MutateForeach,
  place: {readonly name: string; readonly path: string},
  look: PatchLook,
): LoopWalk {
  let elements: readonly Json[];
  try {
    elements = compileList(entry.list, `${place.path}.list`)(look.scope);
  } catch (error) {
    if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
    throw new EvalError(`failed to evaluate list ${entry.list}: ${error.message}`, error.code);
  }
  const descending =
    (entry.order ?? (entry.patch.type === 'strategicMerge' ? 'Descending' : 'Ascending')) === 'Descending';
  const context = look.log.watch(compileEntries(entry.context, `${place.path}.context`), `${place.path}.context`);
  const preconditions = compileOptionalBlock(entry.preconditions, `${place.path}.preconditions`);
  const children: ExplainNode[] = [];
  let object = look.object;
  let applied = 0;
  for (let step = 0; step < elements.length; step++) {
    const index = descending ? elements.length - 1 - step : step;
    const element = elements[index] as Json;
    look.scope.env.budget.step();
    const base = {kind: 'element', name: `[${index}]`, path: place.path} as const;
    if (element === null) continue;
    const scope = look.scope.child(context, elementVariables(element, index, look.depth ?? 0));
    try {
      const gate =
        preconditions === undefined
          ? undefined
          : explainConditions(preconditions, {name: 'preconditions', path: `${place.path}.preconditions`}, scope);
      if (gate?.verdict === 'error') throw new EvalError(gate.note ?? '');
      if (gate?.verdict === 'no') {
        children.push(node({...base, verdict: 'ignored', note: 'preconditions not met', children: [gate]}));
        continue;
      }
      const walked = explainPatch(entry.patch, {...look, object, scope, depth: (look.depth ?? 0) + 1});
      const verdict = walked.node.verdict === 'skip' ? 'ignored' : walked.node.verdict;
      children.push(node({...base, verdict, children: gate === undefined ? [walked.node] : [gate, walked.node]}));
      if (verdict === 'fail' || verdict === 'error') return ended(verdict);
      if (verdict === 'pass') {
        object = walked.object;
        applied += 1;
      }
    } catch (error) {
      if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
      children.push(node({...base, verdict: 'error', note: error.message}));
      return ended('error');
    }
  }
  const verdict = applied > 0 ? 'pass' : 'skip';
  return {
    node: node({
      kind: 'foreach',
      ...place,
      verdict,
      note: elements.length === 0 ? 'the list is empty' : undefined,
      children,
    }),
    object,
    applied,
    ended: undefined,
  };

  function ended(why: Verdict): LoopWalk {
    return {node: node({kind: 'foreach', ...place, verdict: why, children}), object: look.object, applied, ended: why};
  }
}
