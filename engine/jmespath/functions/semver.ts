import {EvalError} from '../../diagnostic.js';
import {compileSemverRange, RangeSyntaxError} from '../../semver/range.js';
import {parseSemver, type Semver} from '../../values/semver-compare.js';
import {chargeScan} from './charge.js';
import {define, type FunctionDefinition} from './define.js';

/** What a text that is no version counts as. */
const zero: Semver = {numbers: [0n, 0n, 0n], prerelease: []};

function matches(version: string, range: string): boolean {
  try {
    return compileSemverRange(range)(parseSemver(version) ?? zero);
  } catch (error) {
    if (error instanceof RangeSyntaxError) throw new EvalError(error.message);
    throw error;
  }
}

export const semverFunctions: readonly FunctionDefinition[] = [
  define('semver_compare', ['string', 'string'], ([version, range], env) => {
    chargeScan(env, (version.length + range.length) * 4);
    return matches(version, range);
  }),
];
