import {children, type Expr, type MessageExpr, parse} from '../cel/syntax/index.js';
import {undeclared} from './merge/validate.js';
import type {StructuralType} from './schema/types.js';

/** What is known to be wrong with a configuration before it is made. */
export interface ConfigurationFault {
  /** UTF-16 offset in the expression. */
  readonly at: number;
  /** As the mutation would fail: `.spec.nope: field not declared in schema`. */
  readonly message: string;
}

interface Walk {
  readonly faults: ConfigurationFault[];
  readonly replaceAtomics: boolean;
}

/**
 * Faults of the `Object{…}` literals of an expression for an object of the type: fields that there are not, values of another
 * kind, atomic parts, names of types that are not their place. Only what is written out is looked at.
 */
export function configurationFaults(
  source: string,
  type: StructuralType,
  {replaceAtomics}: {readonly replaceAtomics: boolean},
): readonly ConfigurationFault[] {
  const {expr} = parse(source, {twoVariableMacros: true});
  if (expr === undefined) return [];
  const walk: Walk = {faults: [], replaceAtomics};
  roots(expr, root => visitMessage(root, type, 'Object', walk));
  return walk.faults;
}

/** Outermost literals of the type `Object`. */
function roots(expr: Expr, visit: (root: MessageExpr) => void): void {
  if (expr.kind === 'message' && expr.name === 'Object') visit(expr);
  else for (const child of children(expr)) roots(child, visit);
}

function visit(expr: Expr, type: StructuralType, place: string, walk: Walk): void {
  switch (expr.kind) {
    case 'message':
      visitMessage(expr, type, place, walk);
      break;
    case 'map':
      visitMap(expr, type, place, walk);
      break;
    case 'list':
      if (!visitList(expr.at, type, place, walk)) break;
      for (const {value} of expr.items) visit(value, type.list!.element, place, walk);
      break;
    case 'literal':
      visitLiteral(expr, type, place, walk);
      break;
    case 'bind':
      visit(expr.body, type, place, walk);
      break;
    case 'call':
      if (expr.name !== '_?_:_') break;
      for (const branch of expr.args.slice(1)) visit(branch, type, place, walk);
      break;
    case 'loop':
      if (expr.name !== 'map' && expr.name !== 'transformList') break;
      if (visitList(expr.at, type, place, walk)) visit(expr.body, type.list!.element, place, walk);
      break;
    default:
  }
}

function visitMessage(expr: MessageExpr, type: StructuralType, place: string, walk: Walk): void {
  const name = expr.name.startsWith('.') ? expr.name.slice(1) : expr.name;
  if (name !== place) {
    const message = `type mismatch: unexpected type name ${JSON.stringify(name)}, expected ${JSON.stringify(place)}`;
    walk.faults.push({at: expr.at, message});
    return;
  }
  const {map} = type;
  if (map === undefined) {
    tell(expr.at, place, `expected ${formOf(type)}, got a map`, walk);
    return;
  }
  if (map.atomic && !walk.replaceAtomics) tell(expr.at, place, atomic, walk);
  for (const field of expr.fields) {
    const inner = map.fields.get(field.name) ?? map.element;
    const at = `${place}.${field.name}`;
    if (inner === undefined) tell(field.at, at, undeclared, walk);
    else visit(field.value, inner, at, walk);
  }
}

function visitMap(expr: Extract<Expr, {kind: 'map'}>, type: StructuralType, place: string, walk: Walk): void {
  const {map} = type;
  if (map === undefined) {
    tell(expr.at, place, `expected ${formOf(type)}, got a map`, walk);
    return;
  }
  if (map.atomic && !walk.replaceAtomics) tell(expr.at, place, atomic, walk);
  for (const {key, value, at} of expr.entries) {
    if (key.kind !== 'literal' || typeof key.value !== 'string') continue;
    const inner = map.fields.get(key.value) ?? map.element;
    if (inner === undefined) tell(at, `${place}.${key.value}`, undeclared, walk);
    else visit(value, inner, `${place}.${key.value}`, walk);
  }
}

/** Whether elements can be looked at. */
function visitList(at: number, type: StructuralType, place: string, walk: Walk): boolean {
  if (type.list === undefined) {
    tell(at, place, `expected ${formOf(type)}, got a list`, walk);
    return false;
  }
  if (type.list.merge === 'atomic' && type.map === undefined && !walk.replaceAtomics) tell(at, place, atomic, walk);
  return true;
}

function visitLiteral(expr: Extract<Expr, {kind: 'literal'}>, type: StructuralType, place: string, walk: Walk): void {
  const kinds = {string: 'string', bool: 'boolean', int: 'numeric', uint: 'numeric', double: 'numeric'} as const;
  const {type: written} = expr;
  // Bytes become text.
  const kind = written === 'null' ? undefined : written === 'bytes' ? 'string' : kinds[written];
  if (kind !== undefined && (type.scalar === 'untyped' || type.scalar === kind)) return;
  tell(expr.at, place, `expected ${formOf(type)}, got ${kind === undefined ? 'null' : `a ${kind} value`}`, walk);
}

function tell(at: number, place: string, message: string, walk: Walk): void {
  walk.faults.push({at, message: `${place.slice('Object'.length)}: ${message}`});
}

const atomic = 'may not mutate atomic arrays, maps or structs';

function formOf({map, list, scalar}: StructuralType): string {
  if (map !== undefined) return 'map';
  if (list !== undefined) return 'list';
  return scalar === 'untyped' ? 'any scalar' : (scalar ?? 'any scalar');
}
