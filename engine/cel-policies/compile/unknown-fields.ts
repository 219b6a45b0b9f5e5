import {children, type Expr, parse} from '../../cel/syntax/index.js';
import {builtInType} from '../../cel-mutate/schema/built-in.js';
import type {StructuralType} from '../../cel-mutate/schema/types.js';
import type {Diagnostic} from '../../diagnostic.js';
import {Faults} from '../../policy/faults.js';
import {nearest} from '../../policy/nearest.js';
import type {KindInfo, ResourceMap} from '../../resource-map.js';
import type {MatchConstraints, NamedExpression} from '../model.js';

/** Kinds beyond this many are not looked at: the expression is about what they share. */
const mostKinds = 12;

/** An expression and where it stands. */
export interface PlacedExpression {
  readonly expression: string;
  readonly path: string;
}

export interface FieldCheck {
  readonly constraints: MatchConstraints | undefined;
  readonly resources: ResourceMap;
  readonly variables: readonly NamedExpression[];
  /** Others than variables. */
  readonly expressions: readonly PlacedExpression[];
}

/**
 * Fields that expressions read of `object` and that no kind has which the policy selects: most likely misspelt. Nothing is
 * said where a kind's fields are not known, or where the policy takes any kind.
 */
export function unknownFields({constraints, resources, ...check}: FieldCheck): Diagnostic[] {
  return unknownFieldsOf({kinds: selectedKinds(constraints, resources), variablesPath: 'spec.variables', ...check});
}

export interface KindFieldCheck extends Pick<FieldCheck, 'variables' | 'expressions'> {
  readonly kinds: readonly KindInfo[];
  readonly variablesPath: string;
}

/** The same of kinds that are known. */
export function unknownFieldsOf({kinds, variables, variablesPath, expressions}: KindFieldCheck): Diagnostic[] {
  const roots = kinds.map(({group, version, kind}) =>
    builtInType(group === '' ? version : `${group}/${version}`, kind),
  );
  if (kinds.length === 0 || roots.some(root => root === undefined)) return [];
  const placed = [
    ...variables.map(({expression}, index) => ({expression, path: `${variablesPath}[${index}].expression`})),
    ...expressions,
  ];
  const perKind = roots.map(root => new FieldWalk(root!, variables).faultsOf(placed));
  const [first = [], ...others] = perKind;
  const everywhere = first
    .filter(fault => others.every(found => found.some(other => other.key === fault.key)))
    .filter(
      ({path, field}, index, all) => all.findIndex(other => other.path === path && other.field === field) === index,
    );
  const faults = new Faults();
  for (const {path, field, known, expression} of everywhere) {
    const near = nearest(field, known);
    const names = kinds.map(({kind}) => kind).join(', ');
    const message = `undefined field '${field}'; ${names} ${kinds.length === 1 ? 'has' : 'have'} no such field`;
    faults.warn('cel-unknown-field', path, message, {
      expression,
      ...(near !== undefined && {hint: `did you mean "${near}"?`}),
    });
  }
  return faults.warnings;
}

/** Kinds that constraints select; empty when a rule takes more than can be named. */
export function selectedKinds(constraints: MatchConstraints | undefined, resources: ResourceMap): readonly KindInfo[] {
  const found = new Map<string, KindInfo>();
  for (const {apiGroups, apiVersions, resources: names} of constraints?.resourceRules ?? []) {
    for (const group of apiGroups) {
      for (const version of apiVersions) {
        for (const resource of names) {
          const info = resources.kindOf({group, version, resource});
          if (info === undefined) return [];
          found.set(`${group}/${version}/${info.kind}`, info);
        }
      }
    }
  }
  return found.size > mostKinds ? [] : [...found.values()];
}

interface FieldFault {
  readonly key: string;
  readonly path: string;
  readonly field: string;
  readonly known: readonly string[];
  readonly expression: string;
}

type Names = ReadonlyMap<string, StructuralType | undefined>;

class FieldWalk {
  readonly #root: StructuralType;
  readonly #variables = new Map<string, StructuralType | undefined>();
  readonly #faults: FieldFault[] = [];
  #place: PlacedExpression = {expression: '', path: ''};

  constructor(root: StructuralType, variables: readonly NamedExpression[]) {
    this.#root = root;
    for (const {name, expression} of variables) this.#variables.set(name, this.#typeOfText(expression));
    this.#faults.length = 0;
  }

  faultsOf(placed: readonly PlacedExpression[]): readonly FieldFault[] {
    for (const place of placed) {
      this.#place = place;
      this.#typeOfText(place.expression);
    }
    return this.#faults;
  }

  #typeOfText(source: string): StructuralType | undefined {
    const {expr} = parse(source, {twoVariableMacros: true});
    return expr === undefined ? undefined : this.#type(expr, new Map());
  }

  /** `undefined`: not known. */
  #type(expr: Expr, names: Names): StructuralType | undefined {
    switch (expr.kind) {
      case 'ident':
        if (names.has(expr.name)) return names.get(expr.name);
        return expr.name === 'object' || expr.name === 'oldObject' ? this.#root : undefined;
      case 'select': {
        const {operand, field, at} = expr;
        if (operand.kind === 'ident' && !names.has(operand.name)) {
          if (operand.name === 'variables') return this.#variables.get(field);
          if (operand.name === 'request') return field === 'object' || field === 'oldObject' ? this.#root : undefined;
        }
        return this.#field(this.#type(operand, names), field, at);
      }
      case 'call':
        return this.#call(expr, names);
      case 'loop':
        return this.#loop(expr, names);
      case 'bind': {
        const init = this.#type(expr.init, names);
        return this.#type(expr.body, new Map([...names, [expr.name, init]]));
      }
      default:
        for (const child of children(expr)) this.#type(child, names);
        return undefined;
    }
  }

  #call(expr: Extract<Expr, {kind: 'call'}>, names: Names): StructuralType | undefined {
    const target = expr.target === undefined ? undefined : this.#type(expr.target, names);
    const args = expr.args.map(arg => this.#type(arg, names));
    switch (expr.name) {
      case '_[_]':
      case '_[?_]': {
        const [container] = args;
        const key = expr.args[1];
        if (container?.list !== undefined && container.map === undefined) return container.list.element;
        if (key?.kind !== 'literal') return container?.map?.element;
        return typeof key.value === 'string' ? this.#field(container, key.value, expr.at) : undefined;
      }
      case '_?_:_':
        return args[1] ?? args[2];
      case '_+_':
        return args[0] ?? args[1];
      case 'orValue':
      case 'or':
        return target ?? args[0];
      case 'value':
        return target;
      default:
        return undefined;
    }
  }

  #loop(expr: Extract<Expr, {kind: 'loop'}>, names: Names): StructuralType | undefined {
    const range = this.#type(expr.range, names);
    const optional = expr.name === 'optMap' || expr.name === 'optFlatMap';
    const inner = new Map(names);
    const [first, second] = expr.variables;
    const element = optional ? range : range?.list?.element;
    if (second !== undefined) {
      if (first !== undefined) inner.set(first, undefined);
      inner.set(second, element ?? range?.map?.element);
    } else if (first !== undefined) inner.set(first, element);
    if (expr.filter !== undefined) this.#type(expr.filter, inner);
    const body = this.#type(expr.body, inner);
    if (expr.name === 'filter') return range;
    if (optional) return body;
    if (expr.name !== 'map' && expr.name !== 'transformList') return undefined;
    return body && {list: {merge: 'atomic', element: body, keys: []}};
  }

  #field(owner: StructuralType | undefined, field: string, at: number): StructuralType | undefined {
    const map = owner?.map;
    if (map === undefined) return undefined;
    const type = map.fields.get(field) ?? map.element;
    // What is also a list or a scalar may be anything.
    if (type !== undefined || map.fields.size === 0 || owner?.list !== undefined || owner?.scalar !== undefined)
      return type;
    const {path, expression} = this.#place;
    this.#faults.push({key: `${path}:${at}:${field}`, path, field, known: [...map.fields.keys()], expression});
    return undefined;
  }
}
