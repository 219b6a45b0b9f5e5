import {fn, global, method, walk} from '../library/declare.js';
import type {FunctionDeclaration, Library} from '../library/library.js';
import {boolType, intType, opaque, stringType} from '../types/type.js';
import {type IntValue, intOf} from '../values/index.js';
import {parseVersion, type SemverValue} from './semver-value.js';
import {succeeds} from './succeeds.js';

const type = opaque('kubernetes.Semver');

export const semverLibrary: Library = {
  name: 'kubernetes.Semver',
  functions: [
    fn(
      'semver',
      global('string_to_semver', [[stringType], type], parseVersion, walk),
      global('string_bool_to_semver', [[stringType, boolType], type], parseVersion, walk),
    ),
    fn(
      'isSemver',
      global('is_semver_string', [[stringType], boolType], succeeds(parseVersion), walk),
      global('is_semver_string_bool', [[stringType, boolType], boolType], succeeds(parseVersion), walk),
    ),
    comparison('isGreaterThan', 'semver_is_greater_than', order => order === 1),
    comparison('isLessThan', 'semver_is_less_than', order => order === -1),
    fn(
      'compareTo',
      method('semver_compare_to', [[type, type], intType], (a: SemverValue, b: SemverValue) => a.compareTo(b)),
    ),
    part('major', 0),
    part('minor', 1),
    part('patch', 2),
  ],
};

function comparison(name: string, id: string, test: (order: number) => boolean): FunctionDeclaration {
  const call = (a: SemverValue, b: SemverValue): boolean => test(a.compareTo(b));
  return fn(name, method(id, [[type, type], boolType], call));
}

/** As an int64 of the same bits: a version's numbers are unsigned. */
function part(name: string, index: 0 | 1 | 2): FunctionDeclaration {
  const call = (value: SemverValue): IntValue => intOf(BigInt.asIntN(64, value.version.numbers[index]));
  return fn(name, method(`semver_${name}`, [[type], intType], call));
}
