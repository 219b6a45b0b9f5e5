import {pick} from '../../../engine/json/testing/random.js';
import type {Json} from '../../../engine/json/types.js';
import {type Case, int, oneOf, type Random, times} from './random.js';

function double(random: Random): number {
  switch (int(random, 0, 5)) {
    case 0:
      return (random() - 0.5) * 20;
    case 1:
      return int(random, -1e9, 1e9) / pick(random, [1, 2, 4, 8, 10, 100, 1000]);
    case 2:
      return int(random, -1e7, 1e7) + 0.5;
    case 3:
      return (int(random, 0, 1e8) + 0.5) / 10 ** int(random, 0, 8);
    case 4:
      return int(random, 0, 1000) / 8;
    default:
      return (random() - 0.5) * 10 ** int(random, -320, 308);
  }
}

function literal(value: number): string {
  const text = Number.isInteger(value) && Math.abs(value) < 1e21 ? value.toFixed(1) : value.toExponential();
  return `(${text.includes('.') || !text.includes('e') ? text : text.replace('e', '.0e')})`;
}

export function format(random: Random): Case {
  if (random() < 0.3) {
    const value = pick(random, ['0', '-1', '255', '9223372036854775807', String(int(random, -1e9, 1e9))]);
    return {expr: `"${pick(random, ['%d', '%x', '%X', '%o', '%b', '%s'])}".format([${value}])`, vars: {}};
  }
  const clause = pick(random, ['%f', '%.0f', '%.1f', '%.2f', '%.5f', '%.25f', '%e', '%.3e', '%.20e', '%s']);
  const value = literal(double(random));
  return {expr: `"${clause}".format([${random() < 0.2 && clause === '%s' ? `[${value}]` : value}])`, vars: {}};
}

const letters = [
  'a',
  'b',
  'B',
  'c',
  'Z',
  'é',
  '😀',
  'ß',
  'İ',
  ' ',
  '\t',
  '\n',
  '\u00a0',
  '\u0085',
  '\ufeff',
  '\u2003',
  ',',
  '-',
  '%',
  '"',
  '\\',
  '\u0001',
  '\u007f',
  '1',
  '_',
  '\ue000',
  '~',
];
const text = (random: Random, most: number): string =>
  times(int(random, 0, most), () => pick(random, letters)).join('');

export function strings(random: Random): Case {
  const x = text(random, 8);
  const expr = pick(random, [
    'x.charAt(m)',
    'x.indexOf(y)',
    'x.indexOf(y, m)',
    'x.lastIndexOf(y)',
    'x.lastIndexOf(y, m)',
    'x.lowerAscii()',
    'x.upperAscii()',
    'x.replace(y, z)',
    'x.replace(y, z, m)',
    'x.split(y)',
    'x.split(y, m)',
    'x.substring(m)',
    'x.substring(m, n)',
    'x.trim()',
    'strings.quote(x)',
    '"%s".format([[x, y]])',
    '"%x".format([x])',
    '[x, y].join(z)',
    '[x, y, z].sort()',
    'json.encode([x, y])',
    'jsonpatch.escapeKey(x)',
  ]);
  const y = pick(random, [text(random, 2), [...x].slice(0, 1).join(''), [...x].slice(1, 3).join(''), '']);
  return {expr, vars: {x, y, z: text(random, 3), m: int(random, -2, 9), n: int(random, -2, 9)}};
}

const patterns = [
  'a',
  'b+',
  'a*',
  '(a)',
  '(a)(b)',
  '(x)?b',
  '[abc]',
  '[^a]',
  '.',
  '',
  '^a',
  'a$',
  '\\d+',
  '\\w+',
  '\\s',
  '(?i)B',
  '(a|b)c',
  'a|',
  'é',
  '(?P<n>b)',
  'a{2}',
  '[',
  '(',
  'a**',
  '\\pL',
  '\\b',
  '^',
  '$',
  '(a*)b',
  '😀',
  'x*',
  '(?:a|bb)+',
  '.*',
  '(.)',
  'a.*?b',
];

export function regex(random: Random): Case {
  const expr = oneOf(
    random,
    `x.find(y) | x.findAll(y) | x.findAll(y, m) | regex.extract(x, y) | regex.extractAll(x, y)
     | regex.replace(x, y, z) | regex.replace(x, y, z, m) | x.matches(y)`,
  );
  const x = times(int(random, 0, 9), () => pick(random, ['a', 'b', 'c', 'x', '1', '.', ' ', 'é', '😀', 'B'])).join('');
  const z = pick(random, ['-', '\\0', '\\1', '<\\1\\0>', '\\\\', '\\', '\\x', '$1', '', '\\2']);
  return {expr, vars: {x, y: pick(random, patterns), z, m: int(random, -1, 3)}};
}

export function base64(random: Random): Case {
  const digits = times(int(random, 0, 9), () => pick(random, [...'ABcd01+/', '\n', '=', '-', 'é'])).join('');
  return {expr: 'base64.decode(x)', vars: {x: digits + pick(random, ['', '=', '==', '===', '=\n=', '=x'])}};
}

export function math(random: Random): Case {
  const f = literal(double(random));
  const i = pick(random, ['9223372036854775807', '-9223372036854775808', String(int(random, -9, 9))]);
  const u = pick(random, ['18446744073709551615u', `${int(random, 0, 9)}u`]);
  const k = int(random, -1, 66);
  const name = pick(random, ['ceil', 'floor', 'round', 'trunc', 'abs', 'sign', 'sqrt']);
  const expr = pick(random, [
    `math.${name}(${f})`,
    `math.abs(${i})`,
    `math.sqrt(${i})`,
    `math.bitAnd(${i}, ${k})`,
    `math.bitOr(${i}, ${k})`,
    `math.bitXor(${i}, ${k})`,
    `math.bitNot(${u})`,
    `math.bitShiftLeft(${i}, ${k})`,
    `math.bitShiftRight(${i}, ${k})`,
    `math.bitShiftRight(${u}, ${k})`,
    `math.greatest(${i}, ${f})`,
    `math.least(${u}, ${i})`,
    `string(${f})`,
  ]);
  return {expr, vars: {}};
}

function value(random: Random, depth = 0): Json {
  const kind = int(random, 0, depth > 2 ? 5 : 7);
  if (kind < 2) return int(random, -5, 5);
  if (kind === 2) return int(random, -5, 5) + 0.5;
  if (kind === 3) return pick(random, ['a', 'b', 'ab', '']);
  if (kind === 4) return random() < 0.5;
  if (kind === 5) return null;
  if (kind === 6) return times(int(random, 0, 4), () => value(random, depth + 1));
  return Object.fromEntries(times(int(random, 0, 3), () => [pick(random, ['a', 'b', 'c']), value(random, depth + 1)]));
}

function uniform(random: Random): Json[] {
  const make = pick<() => Json>(random, [
    () => int(random, -5, 5),
    () => pick(random, ['a', 'b', 'c']),
    () => int(random, -5, 5) + 0.5,
  ]);
  return times(int(random, 0, 14), make);
}

export function lists(random: Random): Case {
  const list = (): Json[] => (random() < 0.5 ? uniform(random) : times(int(random, 0, 6), () => value(random)));
  const x = list();
  const expr = oneOf(
    random,
    `x.sort() | x.distinct() | x.reverse() | x.flatten() | x.flatten(m) | x.slice(m, n) | x.first()
     | x.last() | x.isSorted() | x.sum() | x.min() | x.max() | x.indexOf(z) | x.lastIndexOf(z)
     | sets.contains(x, y) | sets.intersects(x, y) | sets.equivalent(x, y) | x.sortBy(e, e) | math.greatest(x)
     | math.least(x) | lists.range(m) | "%s".format([x]) | json.encode(x) | x.join(",") | (x + y).distinct()`,
  );
  const z = x.length > 0 && random() < 0.7 ? pick(random, x) : value(random);
  return {expr, vars: {x, y: random() < 0.5 ? x.slice(0, 2) : list(), z, m: int(random, -1, 6), n: int(random, -1, 6)}};
}
