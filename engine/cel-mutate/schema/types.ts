/**
 * What a value of an object may be and how it merges: the atoms of Kubernetes' structured merge
 * (sigs.k8s.io/structured-merge-diff, schema/elements.go). Several of the three at once: the value decides. Cyclic where
 * the API is.
 */
export interface StructuralType {
  readonly scalar?: Scalar;
  readonly list?: ListType;
  readonly map?: MapType;
}

/** `untyped`: any of text, number and boolean. */
export type Scalar = 'string' | 'numeric' | 'boolean' | 'untyped';

export interface ListType {
  /** `atomic` lists are replaced, of a `set` each value is there once, of a `map` the keys identify an element. */
  readonly merge: 'atomic' | 'set' | 'map';
  readonly element: StructuralType;
  readonly keys: readonly ListKey[];
}

export interface ListKey {
  readonly name: string;
  /** What an element without the field counts as. */
  readonly default: string | number | boolean | undefined;
}

export interface MapType {
  readonly fields: ReadonlyMap<string, StructuralType>;
  /** Type of fields that are not declared; `undefined`: there may be none. */
  readonly element: StructuralType | undefined;
  readonly atomic: boolean;
}

/** Anything at all, replaced as a whole. */
export const untypedAtomic: StructuralType = atom('atomic');

/** Anything at all: maps merge, lists are replaced. What objects without a schema are merged by. */
export const deduced: StructuralType = atom('granular');

function atom(maps: 'atomic' | 'granular'): StructuralType {
  const type: {scalar: Scalar; list?: ListType; map?: MapType} = {scalar: 'untyped'};
  type.list = {merge: 'atomic', element: maps === 'atomic' ? type : untypedAtomic, keys: []};
  type.map = {fields: new Map(), element: type, atomic: maps === 'atomic'};
  return type;
}
