import {goQuote} from '../../values/go-quote.js';
import {compareSemver, type Semver} from '../../values/semver-compare.js';
import {CelError} from '../errors.js';
import {OpaqueValue} from '../values/value.js';

export class SemverValue extends OpaqueValue {
  readonly typeName = 'kubernetes.Semver';

  constructor(
    readonly version: Semver,
    /** Behind `+`; takes no part in the order. */
    readonly build: readonly string[],
  ) {
    super();
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof SemverValue && this.compareTo(other) === 0;
  }

  compareTo(other: SemverValue): -1 | 0 | 1 {
    return compareSemver(this.version, other.version) as -1 | 0 | 1;
  }

  override text(): string {
    const {numbers, prerelease} = this.version;
    const tail = prerelease.length > 0 ? `-${prerelease.join('.')}` : '';
    return numbers.join('.') + tail + (this.build.length > 0 ? `+${this.build.join('.')}` : '');
  }
}

/** Reads a version; `normalize` takes `v1.2` and leading zeros. Throws CelError in the words of Kubernetes' reader. */
export function parseVersion(text: string, normalize = false): SemverValue {
  const plain = normalize ? normalized(text) : text;
  if (plain === '') throw new CelError('Version string empty');
  const [major, minor, tail] = splitThree(plain);
  if (tail === undefined || minor === undefined) throw new CelError('No Major.Minor.Patch elements found');
  const numbers = [numberOf('major', major), numberOf('minor', minor)] as const;
  const plus = tail.indexOf('+');
  const core = plus < 0 ? tail : tail.slice(0, plus);
  const dash = core.indexOf('-');
  const patch = numberOf('patch', dash < 0 ? core : core.slice(0, dash));
  const prerelease = dash < 0 ? [] : core.slice(dash + 1).split('.');
  const build = plus < 0 ? [] : tail.slice(plus + 1).split('.');
  prerelease.forEach(checkPrerelease);
  build.forEach(checkBuild);
  return new SemverValue({numbers: [...numbers, patch], prerelease}, build);
}

function splitThree(text: string): [string, string | undefined, string | undefined] {
  const first = text.indexOf('.');
  if (first < 0) return [text, undefined, undefined];
  const second = text.indexOf('.', first + 1);
  if (second < 0) return [text.slice(0, first), text.slice(first + 1), undefined];
  return [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)];
}

function normalized(text: string): string {
  const parts = splitThree(text.startsWith('v') ? text.slice(1) : text)
    .filter(part => part !== undefined)
    .map(withoutZeros);
  if (parts.length < 3 && /[+-]/.test(parts[parts.length - 1]!))
    throw new CelError('short version cannot contain PreRelease/Build meta data');
  while (parts.length < 3) parts.push('0');
  return parts.join('.');
}

function withoutZeros(part: string): string {
  if (part.length < 2) return part;
  const rest = part.replace(/^0+/, '');
  return /^\d/.test(rest) ? rest : `0${rest}`;
}

function numberOf(name: 'major' | 'minor' | 'patch', text: string): bigint {
  if (!/^[0-9]*$/.test(text)) throw new CelError(`Invalid character(s) found in ${name} number ${goQuote(text)}`);
  const title = name[0]!.toUpperCase() + name.slice(1);
  if (text.length > 1 && text.startsWith('0'))
    throw new CelError(`${title} number must not contain leading zeroes ${goQuote(text)}`);
  return uint64(text);
}

function uint64(text: string): bigint {
  const fault =
    text === '' ? 'invalid syntax' : text.length > 20 || BigInt(text) >= 2n ** 64n ? 'value out of range' : '';
  if (fault !== '') throw new CelError(`strconv.ParseUint: parsing ${goQuote(text)}: ${fault}`);
  return BigInt(text);
}

function checkPrerelease(part: string): void {
  if (part === '') throw new CelError('Prerelease is empty');
  if (/^[0-9]+$/.test(part)) {
    if (part.length > 1 && part.startsWith('0'))
      throw new CelError(`Numeric PreRelease version must not contain leading zeroes ${goQuote(part)}`);
    uint64(part);
  } else if (!/^[0-9A-Za-z-]+$/.test(part)) {
    throw new CelError(`Invalid character(s) found in prerelease ${goQuote(part)}`);
  }
}

function checkBuild(part: string): void {
  if (part === '') throw new CelError('Build meta data is empty');
  if (!/^[0-9A-Za-z-]+$/.test(part))
    throw new CelError(`Invalid character(s) found in build meta data ${goQuote(part)}`);
}
