import type {FunctionDeclaration, Library} from '../library/library.js';
import {calendar} from './calendar.js';
import {conversions} from './conversions.js';
import {literalChecks} from './literal-checks.js';
import {operators} from './operators.js';
import {optionals} from './optionals.js';
import {strings} from './strings.js';

const declarations: readonly FunctionDeclaration[] = [
  ...operators,
  ...conversions,
  ...strings,
  ...calendar,
  ...optionals,
];

/** CEL's standard functions and operators with optionals; overload ids are cel-go's. In every environment. */
export const standardLibrary: Library = {name: 'cel.standard', functions: merge(declarations), literalChecks};

function merge(all: readonly FunctionDeclaration[]): FunctionDeclaration[] {
  const byName = new Map<string, FunctionDeclaration>();
  for (const {name, overloads} of all)
    byName.set(name, {name, overloads: [...(byName.get(name)?.overloads ?? []), ...overloads]});
  return [...byName.values()];
}

export {add, divide, modulo, multiply, negate, subtract} from './arithmetic.js';
export {findIndex, indexAny, indexList, missingKey} from './index-access.js';
export {isZero, optionalFrom} from './optionals.js';
export {compileRegex, matchCost} from './regex.js';
