import type {FunctionDeclaration, Overload} from '../library/library.js';

/** An overload whose id still lacks its function's name. */
export type Signature = Omit<Overload, 'id'> & {readonly id: string};

/**
 * One function under several names, `Get` and `get`. Ids become `<prefix>_<name>_<id>`, so that they are unique over all
 * libraries.
 */
export function declare(
  prefix: string,
  names: readonly string[],
  signatures: readonly Signature[],
): FunctionDeclaration[] {
  return names.map(name => ({
    name,
    overloads: signatures.map(signature => ({
      ...signature,
      id: `${prefix}_${name.replaceAll('.', '_')}_${signature.id}`,
    })),
  }));
}
