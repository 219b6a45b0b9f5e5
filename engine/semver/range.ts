import {compareSemver, parseSemver, type Semver} from '../values/semver-compare.js';

export type SemverTest = (version: Semver) => boolean;

/** Why a range cannot be read. */
export class RangeSyntaxError extends Error {
  override readonly name = 'RangeSyntaxError';
}

const comparator = /^(>=|<=|==|!=|>|<|=|!)?(.*)$/s;
const wildcard = /^(0|[1-9]\d*)\.(?:x(?:\.x)?|(0|[1-9]\d*)\.x)$/;
const maxLength = 4096;

/**
 * Compiles a range in blang/semver's grammar: comparators side by side mean "and", `||` means "or"; `x` stands in the
 * place of a minor or patch number. Pre-releases compare by plain precedence. Throws `RangeSyntaxError`.
 */
export function compileSemverRange(text: string): SemverTest {
  if (text.length > maxLength) throw new RangeSyntaxError('range is too long');
  const alternatives = text.split('||').map((part, index, all) => {
    const tests = comparatorsOf(part).map(compileComparator);
    if (tests.length > 0) return tests;
    if (all.length === 1) throw new RangeSyntaxError('empty range');
    throw new RangeSyntaxError(`${index === 0 ? 'first' : 'last'} element in range is '||'`);
  });
  return version => alternatives.some(tests => tests.every(test => test(version)));
}

/** Blanks may stand between an operator and its version. */
function comparatorsOf(text: string): string[] {
  return text
    .trim()
    .replace(/([<>=!])\s+/g, '$1')
    .split(/\s+/)
    .filter(part => part !== '');
}

function compileComparator(text: string): SemverTest {
  const [, operator = '', version = ''] = comparator.exec(text) ?? [];
  const bounds = boundsOf(version);
  if (!bounds)
    throw new RangeSyntaxError(`could not parse version ${JSON.stringify(version)} in ${JSON.stringify(text)}`);
  const {low, next} = bounds;
  const atLeast: SemverTest = candidate => compareSemver(candidate, low) >= 0;
  // Without a wildcard the range is the one version itself.
  const beyond: SemverTest = candidate => compareSemver(candidate, next ?? low) >= (next ? 0 : 1);
  switch (operator) {
    case '>':
      return beyond;
    case '>=':
      return atLeast;
    case '<':
      return candidate => !atLeast(candidate);
    case '<=':
      return candidate => !beyond(candidate);
    case '!':
    case '!=':
      return candidate => !atLeast(candidate) || beyond(candidate);
    default:
      return candidate => atLeast(candidate) && !beyond(candidate);
  }
}

/** The lowest version meant and, for wildcards, the first one above. */
function boundsOf(text: string): {low: Semver; next: Semver | undefined} | undefined {
  const exact = parseSemver(text);
  if (exact) return {low: exact, next: undefined};
  const match = wildcard.exec(text);
  if (!match) return undefined;
  const major = BigInt(match[1]!);
  const minor = match[2] === undefined ? undefined : BigInt(match[2]);
  if (minor === undefined) return {low: release(major, 0n), next: release(major + 1n, 0n)};
  return {low: release(major, minor), next: release(major, minor + 1n)};
}

function release(major: bigint, minor: bigint): Semver {
  return {numbers: [major, minor, 0n], prerelease: []};
}
