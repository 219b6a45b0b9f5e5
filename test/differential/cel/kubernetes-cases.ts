import {pick} from '../../../engine/json/testing/random.js';
import {type Case, int, oneOf, type Random, times} from './random.js';

function address(random: Random): string {
  if (random() < 0.4) {
    const parts = times(pick(random, [4, 4, 4, 4, 3, 5]), () =>
      pick(random, ['0', '127', '169', '254', '224', '255', String(int(random, 0, 300))]),
    );
    if (random() < 0.1) parts[int(random, 0, parts.length - 1)] = pick(random, ['', '01', 'a', '-1', '00']);
    return parts.join('.');
  }
  const groups = times(pick(random, [8, 8, 8, 7, 6, 3, 2, 9]), () =>
    pick(random, [
      '0',
      '0',
      '0',
      '1',
      'ffff',
      'fe80',
      'ff02',
      'ff12',
      'febf',
      int(random, 0, 65535).toString(16).toUpperCase(),
    ]),
  );
  if (random() < 0.6) groups.splice(int(random, 0, groups.length - 1), int(random, 0, 3), '');
  let result = groups
    .join(':')
    .replace(/^:(?!:)/, '::')
    .replace(/([^:]):$/, '$1::');
  if (random() < 0.1) result = result.replace(/:[^:]*$/, `:1.2.3.${int(random, 0, 260)}`);
  if (random() < 0.05) result += pick(random, ['%eth0', '%', 'g', ':', ' ']);
  return random() < 0.03 ? '::ffff:1.2.3.4' : result;
}

export function ip(random: Random): Case {
  const expr = pick(random, [
    'ip(x)',
    'isIP(x)',
    'ip.isCanonical(x)',
    'ip(x) == ip(y)',
    '[ip(x).family() == 4, ip(x).isUnspecified(), ip(x).isLoopback(), ip(x).isLinkLocalMulticast(), ip(x).isLinkLocalUnicast(), ip(x).isGlobalUnicast()]',
  ]);
  return {expr, vars: {x: address(random), y: address(random)}};
}

export function cidr(random: Random): Case {
  const prefix = (of: string): string =>
    `${of}/${pick(random, ['8', '24', '', '08', '+8', '99999999999999999999', String(int(random, 0, 32)), String(int(random, 0, 130))])}`;
  const base = address(random);
  const expr = oneOf(
    random,
    `cidr(x) | isCIDR(x) | cidr(x).masked() | cidr(x).prefixLength() | cidr(x).containsIP(y)
     | cidr(x).containsIP(ip(y)) | cidr(x).containsCIDR(z) | cidr(x).ip() | cidr(x) == cidr(z)`,
  );
  return {
    expr,
    vars: {
      x: prefix(base),
      y: random() < 0.5 ? base : address(random),
      z: prefix(random() < 0.6 ? base : address(random)),
    },
  };
}

function amount(random: Random): string {
  const whole = pick(random, [
    String(int(random, 0, 2000)),
    String(int(random, 0, 1e15)),
    '0',
    '007',
    '',
    `${int(random, 1, 9)}${'0'.repeat(int(random, 0, 21))}`,
  ]);
  const fraction = pick(random, [
    '',
    '',
    '',
    '.',
    '.0',
    '.000',
    '.5',
    `.${int(random, 0, 999)}`,
    `.${'0'.repeat(int(random, 0, 12))}${int(random, 0, 99)}`,
  ]);
  const suffix = pick(random, [
    '',
    '',
    '',
    'n',
    'u',
    'm',
    'k',
    'M',
    'G',
    'T',
    'P',
    'E',
    'Ki',
    'Mi',
    'Gi',
    'Ti',
    'Pi',
    'Ei',
    'e3',
    'E3',
    'e-3',
    `e${int(random, -12, 25)}`,
    'i',
    'K',
    'ee',
    'x',
    ' ',
    'e',
  ]);
  return pick(random, ['', '', '', '-', '+']) + whole + fraction + suffix;
}

export function quantity(random: Random): Case {
  const x = amount(random);
  const expr = oneOf(
    random,
    `isQuantity(x) | quantity(x).isInteger() | quantity(x).asInteger() | quantity(x).asApproximateFloat()
     | sign(quantity(x)) | quantity(x).add(quantity(y)).asApproximateFloat()
     | quantity(x).sub(quantity(y)).compareTo(quantity(x)) | quantity(x).add(m).asInteger()
     | quantity(x).sub(m).asApproximateFloat() | quantity(x).compareTo(quantity(y))
     | quantity(x) == quantity(y) | quantity(x).add(quantity(y)).isInteger()
     | quantity(x).isGreaterThan(quantity(y))`,
  );
  return {expr, vars: {x, y: random() < 0.15 ? x : amount(random), m: int(random, -1e9, 1e9)}};
}

function version(random: Random): string {
  const number = (): string =>
    random() < 0.2 ? pick(random, ['01', '', 'a', '99999999999999999999', '-1']) : String(int(random, 0, 12));
  let result = pick(random, ['', '', '', 'v', 'V', ' ']) + times(pick(random, [3, 3, 3, 2, 1, 4]), number).join('.');
  if (random() < 0.4)
    result += `-${times(int(random, 1, 3), () => pick(random, ['alpha', 'rc', '1', '2', '10', '01', '', 'a_b', 'x-y', '-'])).join('.')}`;
  if (random() < 0.2) result += `+${times(int(random, 1, 2), () => pick(random, ['b1', '001', '', 'a_b'])).join('.')}`;
  return result;
}

export function semver(random: Random): Case {
  const x = version(random);
  const expr = oneOf(
    random,
    `semver(x) | isSemver(x) | semver(x, true) | isSemver(x, true) | semver(x).compareTo(semver(y))
     | semver(x, true).compareTo(semver(y, true)) | semver(x) == semver(y)
     | [semver(x).major(), semver(x).minor(), semver(x).patch()]`,
  );
  return {expr, vars: {x, y: random() < 0.4 ? x : version(random)}};
}
