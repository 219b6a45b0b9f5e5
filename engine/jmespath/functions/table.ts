import type {FunctionDefinition} from './define.js';
import {standardFunctions} from './standard.js';

/** Every function of the language by name. */
export const functionTable: ReadonlyMap<string, FunctionDefinition> = new Map(
  [...standardFunctions].map(definition => [definition.name, definition]),
);
