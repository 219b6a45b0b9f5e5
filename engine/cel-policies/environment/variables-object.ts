import type {ObjectDeclaration} from '../../cel/library/library.js';
import {objectType, type Type} from '../../cel/types/type.js';

export const variablesType = objectType('kyverno.variables');

/** Types of a policy's variables; each is added once it is compiled, so that an expression knows only those before it. */
export class VariableTypes implements ObjectDeclaration {
  readonly name = variablesType.kind === 'object' ? variablesType.name : '';
  readonly #types = new Map<string, Type>();

  field(name: string): Type | undefined {
    return this.#types.get(name);
  }

  readonly fieldNames = (): string[] => [...this.#types.keys()];

  add(name: string, type: Type): void {
    this.#types.set(name, type);
  }
}
