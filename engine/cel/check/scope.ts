import type {RegexEngine} from '../../regex/types.js';
import type {FunctionDeclaration, Library, ObjectDeclaration} from '../library/library.js';
import type {Type} from '../types/type.js';
import {opaqueTypes, standardTypes} from './type-names.js';

export interface CheckOptions {
  /** Literals of several element types are a fault. */
  readonly homogeneousLiterals: boolean;
  /** Literal arguments of functions with a check in some library are looked at. */
  readonly literalValidators: boolean;
  /** `x.orValue(d)` takes any `x`, and has type dyn. */
  readonly lenientOrValue: boolean;
}

type LiteralCheck = NonNullable<Library['literalChecks']>[string];

/** Everything expressions may refer to. Immutable. */
export interface Scope {
  readonly options: CheckOptions;
  readonly regex: RegexEngine;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly variables: ReadonlyMap<string, Type>;
  /** Types that can be written as values. */
  readonly types: ReadonlyMap<string, Type>;
  /** First parts of names with dots among variables and types. */
  readonly qualifiers: ReadonlySet<string>;
  readonly literalChecks: ReadonlyMap<string, LiteralCheck>;
  object(name: string): ObjectDeclaration | undefined;
}

export interface ScopeInput {
  /** In order: later ones add overloads to functions of earlier ones, their variables and types win. */
  readonly libraries: readonly Library[];
  readonly variables: Readonly<Record<string, Type>>;
  readonly options: CheckOptions;
  readonly regex: RegexEngine;
}

export function createScope(input: ScopeInput): Scope {
  const empty: Scope = {
    options: input.options,
    regex: input.regex,
    functions: new Map(),
    variables: new Map(),
    types: new Map(standardTypes),
    qualifiers: new Set(['google']),
    literalChecks: new Map(),
    object: () => undefined,
  };
  return extendScope(empty, input);
}

/** The same with more declarations. */
export function extendScope(
  base: Scope,
  {libraries, variables}: Partial<Pick<ScopeInput, 'libraries' | 'variables'>>,
): Scope {
  if (libraries === undefined || libraries.length === 0) return withVariables(base, variables ?? {});
  const functions = new Map(base.functions);
  const all = new Map(base.variables);
  const types = new Map(base.types);
  const literalChecks = new Map(base.literalChecks);
  let {object} = base;
  for (const library of libraries) {
    for (const declared of library.functions ?? []) addFunction(functions, declared);
    for (const [name, type] of opaqueTypes(library.functions ?? [])) types.set(name, type);
    for (const [name, type] of Object.entries(library.variables ?? {})) all.set(name, type);
    for (const [name, check] of Object.entries(library.literalChecks ?? {})) literalChecks.set(name, check);
    for (const {name} of library.objects ?? []) types.set(name, {kind: 'object', name});
    object = withObjects(object, library);
  }
  const qualifiers = withQualifiers(base.qualifiers, [...all.keys(), ...types.keys()]);
  const extended = {...base, functions, variables: all, types, qualifiers, literalChecks, object};
  return withVariables(extended, variables ?? {});
}

/** What is not added to is shared with the base. */
function withVariables(base: Scope, added: Readonly<Record<string, Type>>): Scope {
  const names = Object.keys(added);
  if (names.length === 0) return base;
  const variables = new Map(base.variables);
  for (const [name, type] of Object.entries(added)) variables.set(name, type);
  return {...base, variables, qualifiers: withQualifiers(base.qualifiers, names)};
}

function withQualifiers(before: ReadonlySet<string>, names: readonly string[]): ReadonlySet<string> {
  const dotted = names.filter(name => name.includes('.', 1));
  if (dotted.length === 0) return before;
  return new Set([...before, ...dotted.map(name => name.slice(0, name.indexOf('.', 1)))]);
}

function addFunction(functions: Map<string, FunctionDeclaration>, {name, overloads}: FunctionDeclaration): void {
  const before = functions.get(name)?.overloads ?? [];
  const ids = new Set(overloads.map(overload => overload.id));
  functions.set(name, {name, overloads: [...before.filter(overload => !ids.has(overload.id)), ...overloads]});
}

function withObjects(before: Scope['object'], {objects, resolveObject}: Library): Scope['object'] {
  if ((objects === undefined || objects.length === 0) && resolveObject === undefined) return before;
  const byName = new Map((objects ?? []).map(object => [object.name, object]));
  return name => byName.get(name) ?? resolveObject?.(name) ?? before(name);
}
