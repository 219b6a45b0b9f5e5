import {pick} from '../../../engine/json/testing/random.js';
import {type Case, int, oneOf, type Random, times} from './random.js';

function link(random: Random): string {
  const scheme = pick(random, ['http', 'https', 'HTTPS', 'ftp', 'mailto', 'a+b-c.d', '1a', '', 'file', 'postgres']);
  const host = pick(random, [
    '',
    'example.com',
    'EXAMPLE.com',
    'example.com:80',
    'example.com:',
    '[::1]',
    '[::1]:8080',
    '[fe80::1%25eth0]',
    '[1.2.3.4]',
    '[::1',
    'a:b:c',
    'user:pa%20ss@h',
    'us er@h',
    'u@v@w',
    'h%41',
    'h%20',
    'h%zz',
    'hö',
    '%C3%B6.de',
    'h:8x',
    'h<>"',
    'a b',
    '[::1]x',
    '[::ffff:1.2.3.4]:1',
    'h:1:2',
    ',;=',
  ]);
  const path = pick(random, [
    '',
    '/',
    '/a/b',
    '/a b',
    '/a%20b',
    '/%zz',
    '/ä',
    '/%C3%A4',
    '/a%2Fb',
    '/a;b,c',
    '//x',
    '/!*()',
    '/[x]',
    '/%',
    '/a%2',
    '/^',
    '/`"<>',
    '*',
    'a/b',
    '/a:b@c',
    '/~-_.',
    '/%7e',
  ]);
  const query = pick(random, [
    '',
    '',
    '?',
    '?a=1',
    '?a=1&a=2&b=%20+x',
    '?a;b=1&c',
    '?=1',
    '?&&',
    '?a=%zz&b=2',
    '?a?b',
    '?ä=ö',
    '?a=b=c',
  ]);
  const fragment = pick(random, ['', '', '', '#f', '#f%20g', '#%zz', '#ä', '#a#b', "#!*()'[]"]);
  return pick(random, [
    `${scheme}://${host}${path}${query}${fragment}`,
    `${scheme}://${host}${path}${query}${fragment}`,
    `${scheme}:${path}${query}${fragment}`,
    path + query + fragment,
    `//${host}${path}${query}`,
    host + path,
    '*',
    ` ${scheme}://h`,
    `${scheme}://h\n`,
    ':x',
    '',
  ]);
}

export function url(random: Random): Case {
  const x = link(random);
  const expr = oneOf(
    random,
    `url(x) | isURL(x) | url(x).getScheme() | url(x).getHost() | url(x).getHostname() | url(x).getPort()
     | url(x).getEscapedPath() | url(x).getQuery() | url(x) == url(y)`,
  );
  return {expr, vars: {x, y: random() < 0.4 ? x : link(random)}};
}

const names = [
  'dns1123Label',
  'dns1123Subdomain',
  'dns1035Label',
  'qualifiedName',
  'dns1123LabelPrefix',
  'dns1123SubdomainPrefix',
  'dns1035LabelPrefix',
  'labelValue',
  'uri',
  'uuid',
  'byte',
  'date',
  'datetime',
];
const samples = [
  `${'a.'.repeat(127)}a`,
  'example.com/Name',
  'a/b/c',
  '/x',
  'x/',
  '2024-02-30',
  '2024-02-29',
  '2023-02-29',
  '2024-1-01',
  '0000-01-01',
  '2024-02-29T12:00:00Z',
  '2024-02-29t23:59:60z',
  '2024-02-29T24:00:00Z',
  '2024-02-29T12:00:00.5+02:00',
  '2024-02-29T12:00:00',
  '123e4567-e89b-12d3-a456-426614174000',
  'aGVsbG8=',
  'aGVsbG8',
  '',
  'abc-',
  'a--',
  '-',
  'é',
  'a'.repeat(63),
  'a'.repeat(64),
];

export function formats(random: Random): Case {
  const name = pick(random, names);
  const x =
    random() < 0.5
      ? pick(random, samples)
      : times(int(random, 0, 9), () => pick(random, [...'abcXYZ019-_./~ :TZ'])).join('');
  return {
    expr: pick(random, [
      `format.${name}().validate(x)`,
      'format.named(y).value().validate(x)',
      'format.named(y + "x")',
    ]),
    vars: {x, y: name},
  };
}
