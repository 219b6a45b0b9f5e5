import {children, type Expr, type MapExpr, parse} from '../../engine/cel/syntax/index.js';
import {isObject, type Json} from '../../engine/json/types.js';

/** A call of the library `resource`; `undefined` for an argument that is no literal text. */
export interface ResourceCall {
  readonly verbs: readonly string[];
  readonly apiVersion: string | undefined;
  readonly resource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

export interface ExpressionReads {
  readonly calls: readonly ResourceCall[];
  /** Objects that are written out as maps. */
  readonly objects: ReadonlyArray<{readonly apiVersion: string; readonly kind: string}>;
}

const verbsOf: Readonly<Record<string, readonly string[]>> = {get: ['get'], list: ['list'], post: ['create'], patch: ['patch'], delete: ['delete']};

/** What an expression reads of the cluster and which objects it writes out, as far as its literals tell. */
export function readsOfExpression(text: string): ExpressionReads {
  const {expr} = parse(text, {twoVariableMacros: true});
  const calls: ResourceCall[] = [];
  const objects: Array<{apiVersion: string; kind: string}> = [];
  const open: Expr[] = expr === undefined ? [] : [expr];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === 'call' && next.target?.kind === 'ident' && next.target.name.replace(/^\./, '') === 'resource') {
      const verbs = Object.hasOwn(verbsOf, next.name.toLowerCase()) ? verbsOf[next.name.toLowerCase()] : undefined;
      const [apiVersion, resource, namespace, name] = next.args.map(textOf);
      if (verbs !== undefined) calls.push({verbs, apiVersion, resource, namespace, name: verbs[0] === 'get' ? name : undefined});
    }
    if (next.kind === 'map') {
      const [apiVersion, kind] = [field(next, 'apiVersion'), field(next, 'kind')];
      if (apiVersion !== undefined && kind !== undefined) objects.push({apiVersion, kind});
    }
    open.push(...children(next));
  }
  return {calls, objects};
}

function textOf(expr: Expr): string | undefined {
  if (expr.kind === 'literal' && expr.type === 'string' && typeof expr.value === 'string') return expr.value;
  // `dyn("Secret")`
  return expr.kind === 'call' && expr.name === 'dyn' && expr.args.length === 1 ? textOf(expr.args[0]!) : undefined;
}

function field(map: MapExpr, name: string): string | undefined {
  const entry = map.entries.find(({key}) => textOf(key) === name);
  return entry && textOf(entry.value);
}

const expressionFields = new Set(['expression', 'messageExpression', 'valueExpression', 'jsonPatch', 'applyConfiguration']);

/** Every expression below a policy's spec, with its place. */
export function* expressionsOf(json: Json, path = 'spec'): Generator<{readonly path: string; readonly text: string}> {
  if (Array.isArray(json)) for (const [index, item] of json.entries()) yield* expressionsOf(item, `${path}[${index}]`);
  if (!isObject(json)) return;
  for (const [key, item] of Object.entries(json)) {
    if (expressionFields.has(key) && typeof item === 'string') yield {path: `${path}.${key}`, text: item};
    else yield* expressionsOf(item, `${path}.${key}`);
  }
}
