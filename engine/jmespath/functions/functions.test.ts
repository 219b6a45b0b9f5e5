import {describe, expect, it} from 'vitest';
import {fault, json, query} from '../testing/run.js';

type Row = readonly [text: string, want: string];

const data = json(`{
  "n": -7, "f": 2.5, "s": "héllo", "list": [3, 1, 2], "words": ["b", "a", "c"], "mixed": [1, "a"], "none": [],
  "people": [{"n": "x", "a": 30}, {"n": "y", "a": 10}, {"n": "z", "a": 20}, {"n": "w", "a": 10}],
  "map": {"b": 2, "a": 1}, "nul": null, "big": 9007199254740993
}`);

function good(name: string, rows: readonly Row[]): void {
  describe(name, () => {
    it.each(rows)('%s is %s', (text, want) => {
      expect(query(text, data)).toBe(want);
    });
  });
}

function bad(name: string, rows: readonly Row[]): void {
  describe(`${name} refuses`, () => {
    it.each(rows)('%s: %s', (text, want) => {
      expect(fault(text, data)).toContain(want);
    });
  });
}

good('standard functions', [
  ['abs(n)', '7'],
  ['abs(`-2.5`)', '2.5'],
  ['abs(`-9007199254740993`)', '9007199254740993'],
  ['avg(list)', '2'],
  ['avg(`[1, 2]`)', '1.5'],
  ['avg(none)', 'null'],
  ['ceil(f)', '3'],
  ['ceil(`-2.5`)', '-2'],
  ['ceil(big)', '9007199254740993'],
  ['floor(f)', '2'],
  ['floor(n)', '-7'],
  ["contains(s, 'éll')", 'true'],
  ["contains(s, 'x')", 'false'],
  ["contains('a1', `1`)", 'false'],
  ['contains(list, `2`)', 'true'],
  ['contains(list, `2.0`)', 'true'],
  ["contains(list, '2')", 'false'],
  ['contains(people, `{"a": 30, "n": "x"}`)', 'true'],
  ["ends_with(s, 'llo')", 'true'],
  ["starts_with(s, 'hé')", 'true'],
  ["starts_with(s, 'x')", 'false'],
  ["join(',', words)", '"b,a,c"'],
  ["join(',', none)", '""'],
  ['keys(map)', '["a","b"]'],
  ['values(map)', '[1,2]'],
  ['length(s)', '5'],
  ["length('😀é')", '2'],
  ['length(list)', '3'],
  ['length(map)', '2'],
  ["length('')", '0'],
  ['map(&a, people)', '[30,10,20,10]'],
  ['map(&n, `[null, {"n": 1}]`)', '[null,1]'],
  ['max(list)', '3'],
  ['max(words)', '"c"'],
  ['max(none)', 'null'],
  ['min(list)', '1'],
  ['min(words)', '"a"'],
  ['max_by(people, &a).n', '"x"'],
  ['min_by(people, &a).n', '"y"'],
  ['max_by(people, &n).n', '"z"'],
  ['max_by(none, &a)', 'null'],
  ['merge(map, `{"b": 3, "c": 4}`)', '{"a":1,"b":3,"c":4}'],
  ['merge(map)', '{"a":1,"b":2}'],
  ["not_null(nul, zzz, 's')", '"s"'],
  ['not_null(nul)', 'null'],
  ['reverse(list)', '[2,1,3]'],
  ["reverse('a😀b')", '"b😀a"'],
  ['sort(list)', '[1,2,3]'],
  ['sort(words)', '["a","b","c"]'],
  ['sort(`["\\ue000", "\\ud83d\\ude00", "a"]`)', '["a","\ue000","😀"]'],
  ['sort_by(people, &a)[*].n', '["y","w","z","x"]'],
  ['sort_by(people, &n)[*].n', '["w","x","y","z"]'],
  ['to_array(s)', '["héllo"]'],
  ['to_array(list)', '[3,1,2]'],
  ['to_array(nul)', '[null]'],
  ["to_number('12')", '12'],
  ["to_number('-1.5e1')", '-15'],
  ["to_number('9007199254740993')", '9007199254740993'],
  ["to_number('1e999')", 'null'],
  ["to_number('x')", 'null'],
  ["to_number('')", 'null'],
  ["to_number('0x10')", 'null'],
  ['to_number(n)', '-7'],
  ['to_number(list)', 'null'],
  ['to_number(`true`)', 'null'],
  ['to_string(s)', '"héllo"'],
  ['to_string(n)', '"-7"'],
  ['to_string(big)', '"9007199254740993"'],
  ['to_string(`1.0`)', '"1"'],
  ['to_string(`0.00000001`)', '"1e-8"'],
  ['to_string(nul)', '"null"'],
  ['to_string(map)', '"{\\"a\\":1,\\"b\\":2}"'],
  ["to_string(['<&>'])", '"[\\"\\\\u003c\\\\u0026\\\\u003e\\"]"'],
  ['type(s)', '"string"'],
  ['type(n)', '"number"'],
  ['type(big)', '"number"'],
  ['type(`1.0`)', '"number"'],
  ['type(list)', '"array"'],
  ['type(map)', '"object"'],
  ['type(nul)', '"null"'],
  ['type(zzz)', '"null"'],
  ['type(`true`)', '"boolean"'],
  ["type(compare('a', 'b'))", '"number"'],
  ["type(items(map, 'k', 'v'))", '"array"'],
]);
bad('standard functions', [
  ['abs(s)', 'Invalid type for: héllo, expected: [number]'],
  ['length(n)', 'Invalid type for: -7, expected: [string, array, object]'],
  ['length(zzz)', 'Invalid type for: <nil>, expected: [string, array, object]'],
  ['avg(words)', 'expected: [array[number]]'],
  ["join(',', list)", 'expected: [array[string]]'],
  ['max(mixed)', 'Invalid type for: [1,"a"], expected: [array[number], array[string]]'],
  ['sort(mixed)', 'Invalid type for'],
  ['sort_by(people, &zzz)', 'must be number or string: <nil>'],
  ['sort_by(mixed, &@)', 'all keys must be numbers: a'],
  ['keys(list)', 'expected: [object]'],
  ['merge(map, list)', 'expected: [object]'],
  ['reverse(map)', 'expected: [string, array]'],
  ["starts_with(list, 's')", 'expected: [string]'],
  ['sum(`["a"]`) | add(@, `1`)', "JMESPath function 'add': invalid operand"],
]);

good('texts', [
  ["compare('a', 'a')", '0'],
  ["compare('a', 'b')", '-1'],
  ["compare('b', 'a')", '1'],
  ["compare('a', 'b') == `-1`", 'true'],
  ["compare('a', 'b') < `0`", 'true'],
  ["equal_fold('Go', 'go')", 'true'],
  ["equal_fold('ΣΑΣ', 'σας')", 'true'],
  ["equal_fold('\u212a', 'k')", 'true'],
  ["equal_fold('ı', 'i')", 'false'],
  ["equal_fold('a', 'b')", 'false'],
  ["equal_fold('a', 'ab')", 'false'],
  ["replace('aaa', 'a', 'b', `2`)", '"bba"'],
  ["replace('aaa', 'a', 'b', `-1`)", '"bbb"'],
  ["replace('aaa', 'a', 'b', `0`)", '"aaa"'],
  ["replace('aaa', 'a', 'b', `9`)", '"bbb"'],
  ["replace('ab', '', '-', `2`)", '"-a-b"'],
  ["replace_all('one two one', 'one', '1')", '"1 two 1"'],
  ["replace_all('aaa', '', '-')", '"-a-a-a-"'],
  ["replace_all('', '', '-')", '"-"'],
  ["replace_all('a.b', '.', '$&')", '"a$&b"'],
  ["replace_all('abc', 'x', 'y')", '"abc"'],
  ["to_upper('a#%&123Bc')", '"A#%&123BC"'],
  ["to_upper('straße')", '"STRAßE"'],
  ["to_lower('ABÇ')", '"abç"'],
  ["to_lower('ΑΣ')", '"ασ"'],
  ["trim('¡¡¡Hello!!!', '!¡')", '"Hello"'],
  ["trim('xxhixx', 'x')", '"hi"'],
  ["trim('xx', 'x')", '""'],
  ["trim(' a ', '')", '" a "'],
  ["trim_prefix('¡¡Gophers', '¡¡')", '"Gophers"'],
  ["trim_prefix('abc', 'b')", '"abc"'],
  ["split('a, b', ', ')", '["a","b"]'],
  ["split('abc', '')", '["a","b","c"]'],
  ["split('', '.')", '[""]'],
  ["split('', '')", '[]'],
  ["truncate('Lorem ipsum', `5`)", '"Lorem"'],
  ["truncate('Lorem', `2.6`)", '"Lo"'],
  ["truncate('Lorem', `0`)", '""'],
  ["truncate('Lorem', `-1`)", '""'],
  ["truncate('Lorem', `99`)", '"Lorem"'],
  ["truncate('😀😀😀', `2`)", '"😀😀"'],
  ["to_boolean('TRue')", 'true'],
  ["to_boolean('FaLse')", 'false'],
  ["pattern_match('prefix-*', 'prefix-foo')", 'true'],
  ["pattern_match('12*', `12`)", 'true'],
  ["pattern_match('12*', abs(`-12`))", 'true'],
  ["pattern_match('1000000', `1000000`)", 'true'],
  ["pattern_match('a?c', 'abc')", 'true'],
  ["pattern_match('a?', 'abc')", 'false'],
  ["pattern_match('', '')", 'true'],
  ["pattern_match('', 'a')", 'false'],
  ["path_canonicalize('///')", '"/"'],
  ["path_canonicalize('/var/run///containerd////')", '"/var/run/containerd"'],
  ["path_canonicalize('/run/../etc')", '"/etc"'],
  ["path_canonicalize('/../../')", '"/"'],
  ["path_canonicalize('///etc*')", '"/etc*"'],
  ["path_canonicalize('')", '""'],
  ["path_canonicalize('a/./b/../c')", '"a/c"'],
  ["path_canonicalize('a/../../b')", '"../b"'],
  ["path_canonicalize('a/..')", '"."'],
]);
bad('texts', [
  ["compare(`1`, 'a')", 'Invalid type for: 1, expected: [string]'],
  ["replace('a', 'b', 'c', `true`)", 'Invalid type for: true, expected: [number]'],
  ["replace('a', 'b', 'c', `1e300`)", "JMESPath function 'replace': argument #4 is not of type int"],
  ["trim_prefix(`1`, 'a')", 'Invalid type for'],
  [
    "to_boolean('foo')",
    "JMESPath function 'to_boolean': lowercase argument must be 'true' or 'false' (provided: 'foo')",
  ],
  ['to_boolean(nul)', 'Invalid type for: <nil>, expected: [string]'],
  ["pattern_match('a', list)", 'Invalid type for: [3,1,2], expected: [string, number]'],
]);

good('regular expressions', [
  ["regex_match('12.*', `\"hgf'b1a2r'b12g\"`)", 'true'],
  ["regex_match('12.*', abs(`-12`))", 'true'],
  ["regex_match('^a.c$', 'abc')", 'true'],
  ["regex_match('^b', 'abc')", 'false'],
  ["regex_replace_all('([Hh]e|G)l', 'Hello world, helworldlo', '${2}G')", '"Glo world, Gworldlo"'],
  ["regex_replace_all('b', 'abc', '[$0]')", '"a[b]c"'],
  ["regex_replace_all('(a)(b)', 'abc', '$2$1')", '"bac"'],
  ["regex_replace_all('(?P<x>a)', 'abc', '${x}${x}')", '"aabc"'],
  ["regex_replace_all('2', `123`, `0`)", '"103"'],
  ["regex_replace_all_literal('[Hh]el?', 'Hello world, helworldlo', 'G')", '"Glo world, Gworldlo"'],
  ["regex_replace_all_literal('b', 'abc', '[$0]')", '"a[$0]c"'],
]);
bad('regular expressions', [
  ["regex_match('(', 'a')", "JMESPath function 'regex_match': error parsing regexp: missing closing )"],
  ["regex_match('(?=a)', 'a')", "JMESPath function 'regex_match': error parsing regexp"],
  ["regex_replace_all('[', 'a', 'b')", "JMESPath function 'regex_replace_all': error parsing regexp"],
  ["regex_match('a', list)", 'Invalid type for'],
]);

good('collections', [
  ['label_match(`{"a": "1"}`, `{"a": "1", "b": "2"}`)', 'true'],
  ['label_match(`{"a": "1"}`, `{"a": "2"}`)', 'false'],
  ['label_match(`{"c": "1"}`, `{"a": "1"}`)', 'false'],
  ['label_match(`{"constructor": "1"}`, `{"a": "1"}`)', 'false'],
  ['label_match(`{"a": {"x": [1]}}`, `{"a": {"x": [1]}}`)', 'true'],
  ['label_match(`{}`, map)', 'true'],
  ["lookup(map, 'a')", '1'],
  ["lookup(map, 'zzz')", 'null'],
  ["lookup(map, 'toString')", 'null'],
  ['lookup(list, `1`)', '1'],
  ['lookup(list, `-1`)', 'null'],
  ['lookup(list, `9`)', 'null'],
  ['lookup(list, `0.9999999999999999999999999999`)', '1'],
  ["items(map, 'key', 'value')", '[{"key":"a","value":1},{"key":"b","value":2}]'],
  ["items(words, 'i', 'w')", '[{"i":0,"w":"b"},{"i":1,"w":"a"},{"i":2,"w":"c"}]'],
  ["items(map, 'k', 'v') | sort_by(@, &v) | reverse(@)[0].k", '"b"'],
  ["items(map, '__proto__', 'v')[0]", '{"__proto__":"a","v":1}'],
  ["object_from_lists(['key1', 'key2'], ['1', '2'])", '{"key1":"1","key2":"2"}'],
  ["object_from_lists(['a', 'b'], ['1'])", '{"a":"1","b":null}'],
  ["object_from_lists(['a'], ['1', '2'])", '{"a":"1"}'],
  ["object_from_lists(`[1, true]`, ['a', 'b'])", '{"1":"a","true":"b"}'],
]);
bad('collections', [
  ['label_match(nul, map)', 'Invalid type for: <nil>, expected: [object]'],
  ['lookup(none, `1.5`)', "JMESPath function 'lookup': argument #2 is not of type int"],
  ["lookup(none, 'abc')", "JMESPath function 'lookup': argument #2 is not of type int"],
  ['lookup(map, `123`)', "JMESPath function 'lookup': argument #2 is not of type string"],
  ['object_from_lists(`[null]`, none)', "JMESPath function 'object_from_lists': argument #1"],
]);

good('encodings', [
  ["base64_decode('SGVsbG8sIHdvcmxkIQ==')", '"Hello, world!"'],
  ["base64_decode('')", '""'],
  ['base64_decode(`"SGVs\\nbG8=\\n"`)', '"Hello"'],
  ["base64_encode('Hello, world!')", '"SGVsbG8sIHdvcmxkIQ=="'],
  ["base64_encode('')", '""'],
  ["base64_decode(base64_encode('é😀'))", '"é😀"'],
  ["sha256('abc')", '"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"'],
  ["sha1('abc')", '"a9993e364706816aba3e25717850c26c9cd0d89d"'],
  ["md5('abc')", '"900150983cd24fb0d6963f7d28e17f72"'],
  ["md5('')", '"d41d8cd98f00b204e9800998ecf8427e"'],
  ['parse_json(\'{"a":"b"}\').a', '"b"'],
  ['parse_json(\'[1,2,{"a":{"b":[1,2]}}]\')[2].a.b[1]', '2'],
  ["[parse_json('true'), parse_json('null'), parse_json('0'), parse_json('1.2')]", '[true,null,0,1.2]'],
  ["parse_json('9007199254740993')", '9007199254740993'],
  ["parse_yaml('a: b')", '{"a":"b"}'],
  ["parse_yaml('~')", 'null'],
  ["parse_yaml('on')", 'true'],
  ['parse_yaml(`"---\\n- a\\n- b: {c: 1}\\n"`)', '["a",{"b":{"c":1}}]'],
]);
bad('encodings', [
  ["base64_decode('???')", "JMESPath function 'base64_decode': illegal base64 data at input byte 0"],
  ["base64_decode('SGVsbG8')", 'illegal base64 data at input byte'],
  ["base64_decode('SG=sbG8=')", 'illegal base64 data at input byte 2'],
  ['base64_decode(n)', 'Invalid type for'],
  ["parse_json('{')", "JMESPath function 'parse_json': invalid JSON at line 1"],
  ["parse_yaml('a: [')", "JMESPath function 'parse_yaml': "],
]);

good('versions', [
  ["semver_compare('4.1.3', '>=4.1.x')", 'true'],
  ["semver_compare('4.1.3', '!4.x.x')", 'false'],
  ["semver_compare('5.0.0', '!4.x.x')", 'true'],
  ["semver_compare('1.8.6', '>1.0.0 <2.0.0')", 'true'],
  ["semver_compare('2.1.5', '<2.0.0 || >=3.0.0')", 'false'],
  ["semver_compare('1.2', '>1.0.0')", 'false'],
  ["semver_compare('abc', '>=0.0.0')", 'true'],
]);
bad('versions', [
  ["semver_compare('1.2.3', '^1.2.0')", "JMESPath function 'semver_compare': could not parse version"],
  ["semver_compare('1.2.3', '')", 'empty range'],
]);

good('images', [
  ["image_normalize('nginx')", '"docker.io/nginx:latest"'],
  ["image_normalize('docker.io/library/nginx')", '"docker.io/library/nginx:latest"'],
  ["image_normalize('ghcr.io/nginx:1.2')", '"ghcr.io/nginx:1.2"'],
  ["image_normalize('localhost:5000/a/b:v1')", '"localhost:5000/a/b:v1"'],
  [`image_normalize('nginx@sha256:${'a'.repeat(64)}')`, `"docker.io/nginx@sha256:${'a'.repeat(64)}"`],
]);
bad('images', [
  ["image_normalize('')", "JMESPath function 'image_normalize': bad image: docker.io/, "],
  ["image_normalize('Nginx')", 'bad image: docker.io/Nginx, '],
]);

describe('is_external_url', () => {
  const hosts = {
    'inside.test': ['93.184.216.34', '10.0.0.1'],
    'outside.test': ['93.184.216.34', '2606:2800::1'],
    'none.test': [],
  };
  const rows: readonly (readonly [url: string, want: boolean])[] = [
    ['http://127.0.0.1', false],
    ['http://10.1.1.1:8080/x?y', false],
    ['https://192.168.0.1', false],
    ['http://172.16.0.1', false],
    ['http://172.32.0.1', true],
    ['http://[::1]:80/', false],
    ['http://[fd12:3456::1]', false],
    ['http://[::ffff:10.0.0.1]', false],
    ['http://8.8.8.8', true],
    ['http://[2001:db8::1]', true],
    ['https://google.com@192.168.1.3/', false],
    ['https://user:pw@8.8.8.8/', true],
    ['https://inside.test/a', false],
    ['https://outside.test/a', true],
  ];
  it.each(rows)('%s is %s', (url, want) => {
    expect(query(`is_external_url('${url}')`, {}, {hosts})).toBe(String(want));
  });
  it.each([
    ['https://nowhere.test', 'lookup nowhere.test: no such host'],
    ['https://none.test', 'lookup none.test: no such host'],
    ['google.com', 'invalid URL: google.com'],
    ['http://', 'invalid URL: http://'],
    ['http://[::1', 'invalid URL'],
  ])('%s is an error', (url, want) => {
    expect(fault(`is_external_url('${url}')`, {}, {hosts})).toContain(`JMESPath function 'is_external_url': ${want}`);
  });
});

describe('random', () => {
  const patterns = [
    '[0-9]{4}',
    '[a-z0-9]{12}',
    '^[A-Z]+\\d*-(foo|bar)?$',
    '(?i)x[[:alpha:]]{2,3}\\.\\w\\s',
    '[^a-z]{5}',
    '(?P<n>a|b|)(?:c)+?[\\]\\-x]',
    '\\Qa.b\\E\\x41\\x{1F600}\\t',
    'a{2,}b{0}c',
    '[\\d_]{3}\\D\\W\\S',
    '.{3}',
    '[-a]{4}[a-]',
  ];
  it.each(patterns)('makes a text that %s matches', pattern => {
    const text = JSON.parse(query(`random('${pattern}')`)) as string;
    expect(query('regex_match(p, t)', {p: `^(?:${pattern})$`, t: text})).toBe('true');
  });
  it.each([
    ['', 'no pattern provided'],
    ['(', 'error parsing regexp'],
    ['\\pL', '\\p cannot be generated'],
    ['((a{100}){100}){100}', 'error parsing regexp'],
    ['(?:a{1000}){0,1}'.repeat(200), 'is longer than 65536 characters'],
  ])('refuses %j', (pattern, want) => {
    expect(fault('random(p)', {p: pattern})).toContain(`JMESPath function 'random': `);
    expect(fault('random(p)', {p: pattern})).toContain(want);
  });
});
