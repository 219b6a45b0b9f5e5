import {describe, expect, it} from 'vitest';
import {BudgetError} from '../../diagnostic.js';
import {recordingLoader} from '../../testing/recording-loader.js';
import type {Value} from '../values/value.js';
import {evaluate, fault, issuesOf, shown} from './testing/expressions.js';

const digest = `sha256:${'ab'.repeat(32)}`;

describe('images', () => {
  for (const [reference, registry, repository, tag, identifier, separated] of [
    ['nginx', 'index.docker.io', 'library/nginx', 'latest', 'latest', ':latest'],
    ['nginx:1.25', 'index.docker.io', 'library/nginx', '1.25', '1.25', ':1.25'],
    ['docker.io/nginx', 'index.docker.io', 'library/nginx', 'latest', 'latest', ':latest'],
    ['bitnami/redis:7', 'index.docker.io', 'bitnami/redis', '7', '7', ':7'],
    ['ghcr.io/a/b/c:v1', 'ghcr.io', 'a/b/c', 'v1', 'v1', ':v1'],
    ['ghcr.io/ab', 'ghcr.io', 'ab', 'latest', 'latest', ':latest'],
    ['reg:5000/app', 'reg:5000', 'app', 'latest', 'latest', ':latest'],
    ['localhost/app:x', 'localhost', 'app', 'x', 'x', ':x'],
    ['[::1]:5000/app:x', '[::1]:5000', 'app', 'x', 'x', ':x'],
    ['Reg.io/app', 'Reg.io', 'app', 'latest', 'latest', ':latest'],
    [`nginx@${digest}`, 'index.docker.io', 'library/nginx', '', digest, `@${digest}`],
    [`reg.io/a/b:1@${digest}`, 'reg.io', 'a/b', '1', `1@${digest}`, `@${digest}`],
  ] as const) {
    it(`reads ${reference}`, () => {
      const of = (part: string) => evaluate(`image(object).${part}()`, {object: reference});
      expect(of('registry')).toBe(registry);
      expect(of('repository')).toBe(repository);
      expect(of('tag')).toBe(tag);
      expect(of('identifier')).toBe(identifier);
      expect(of('identifierWithSeparator')).toBe(separated);
      expect(of('digest')).toBe(reference.includes('@') ? digest : '');
      expect(of('containsDigest')).toBe(reference.includes('@'));
      expect(evaluate('isImage(object)', {object: reference})).toBe(true);
    });
  }

  for (const reference of [
    '',
    'a',
    'Nginx',
    'nginx:',
    'nginx:a b',
    'nginx::1',
    'a/b:c/d:e:f g',
    `nginx:${'t'.repeat(129)}`,
    'nginx@sha256:abc',
    `nginx@md5:${'ab'.repeat(16)}`,
    `nginx@${digest}@${digest}`,
    `nginx@${digest.toUpperCase()}`,
    'reg.io/',
    'reg io.x/app',
    'reg.io:port/app',
    'x'.repeat(5_000),
  ]) {
    // With an empty tag the reader takes `latest`, as for none.
    const lenient = reference === 'nginx:';
    it(`${lenient ? 'takes' : 'refuses'} ${reference.slice(0, 40)}`, () => {
      expect(evaluate('isImage(object)', {object: reference})).toBe(lenient);
      if (!lenient) {
        expect(fault('parseImageReference(object)', {object: reference})).toBe(
          `could not parse reference: ${reference.slice(0, 200)}`,
        );
      }
    });
  }

  it('are equal when they mean the same', () => {
    expect(shown('image("nginx") == parseImageReference("docker.io/library/nginx:latest")')).toBe('true');
    expect(shown('image("nginx") == image("nginx:1")')).toBe('false');
    expect(fault('string(dyn(image("nginx")))')).toContain('no such overload');
  });
});

describe('users', () => {
  for (const [name, namespace, account] of [
    ['system:serviceaccount:shop:web', 'shop', 'web'],
    ['system:serviceaccount:shop:', '', ''],
    ['system:serviceaccount:shop:a:b', '', ''],
    ['system:serviceaccount:shop', '', ''],
    ['alice', '', ''],
    ['', '', ''],
  ] as const) {
    it(`${name} is ${namespace}/${account}`, () => {
      const source = 'parseServiceAccount(object).Namespace + "/" + user.parseServiceAccount(object).Name';
      expect(evaluate(source, {object: name})).toBe(`${namespace}/${account}`);
    });
  }

  it('are values with fields', () => {
    expect(issuesOf('parseServiceAccount("x").name')).toContain("undefined field 'name'");
    expect(shown('json.marshal(parseServiceAccount("system:serviceaccount:a:b"))')).toBe(
      JSON.stringify('{"Name":"b","Namespace":"a"}'),
    );
    expect(
      shown('parseServiceAccount("system:serviceaccount:a:b") == parseServiceAccount("system:serviceaccount:a:b")'),
    ).toBe('true');
    expect(shown('has(parseServiceAccount("x").Name)')).toBe('false');
  });
});

describe('json', () => {
  for (const [source, want] of [
    ['json.unmarshal(\'{"a": 1, "b": [1.5, null, true, "x"]}\')', '{"a": 1.0, "b": [1.5, null, true, "x"]}'],
    ["type(json.unmarshal('1')) == double", 'true'],
    ['json.unmarshal(\'{"__proto__": {"a": 1}}\').a.x == 1 || true', 'true'],
    [
      'json.marshal({"b": [1, 2u, 1.5, 3.0, null, true], "a": {"x": "<a>&"}})',
      String.raw`"{\"a\":{\"x\":\"\\u003ca\\u003e\\u0026\"},\"b\":[1,2,1.5,3,null,true]}"`,
    ],
    ['json.marshal(b"ab")', '"\\"YWI=\\""'],
    ['json.marshal(1e21) + json.marshal(1e-7) + json.marshal(-0.0)', '"1e+211e-7-0"'],
    ['json.marshal(timestamp("2024-01-01T00:00:00Z"))', '"\\"2024-01-01T00:00:00Z\\""'],
    ['json.marshal("\\u2028")', '"\\"\\\\u2028\\""'],
    ['json.unmarshal(json.marshal(object)) == object', 'true'],
    ['json.marshal({"é": 1, "z": 2, "a": 3})', '"{\\"a\\":3,\\"z\\":2,\\"é\\":1}"'],
  ] as const) {
    it(`gives ${source}`, () => expect(shown(source, {object: {a: [1, {b: 'x'}]}})).toBe(want));
  }

  for (const [source, want] of [
    ["json.unmarshal('{')", 'json: '],
    ["json.unmarshal('')", 'json: '],
    ['json.unmarshal(dyn(1))', 'invalid arg 0: expected string, got int'],
    ['json.marshal({1: "a"})', 'json: unsupported map key type int'],
    ['json.marshal(0.0 / 0.0)', 'json: unsupported value: NaN'],
    [`json.unmarshal('${'['.repeat(600)}')`, 'json: '],
  ] as const) {
    it(`fails in ${source.slice(0, 60)}`, () => expect(fault(source)).toContain(want));
  }

  it('has no end for what doubles', () => {
    const source = `json.marshal(${'['.repeat(20)}object${']'.repeat(20)})`;
    let big: Value = 'x'.repeat(1_000);
    for (let index = 0; index < 20; index += 1) big = [big, big];
    expect(() => evaluate(source, {object: big})).toThrow(BudgetError);
  });
});

describe('yaml', () => {
  for (const [text, want] of [
    ['a: 1\nb: [x, 2.5]', '{"a": 1.0, "b": ["x", 2.5]}'],
    ['a: 1\n---\nb: 2', '{"a": 1.0}'],
    ['---\na: 1\n---\n: broken', '{"a": 1.0}'],
    ['# nothing', 'null'],
    ['', 'null'],
    ['{"a": 1}', '{"a": 1.0}'],
    ['a: &x {b: 1}\nc: *x', '{"a": {"b": 1.0}, "c": {"b": 1.0}}'],
    ['yes', 'true'],
    ['__proto__: {a: 1}', '{"__proto__": {"a": 1.0}}'],
  ] as const) {
    it(`reads ${JSON.stringify(text)}`, () => expect(shown('yaml.parse(object)', {object: text})).toBe(want));
  }

  it('says where a text is broken', () => {
    expect(fault('yaml.parse(object)', {object: 'a: 1\nb: [1'})).toMatch(/^yaml: line \d+, column \d+: /);
    expect(fault('yaml.parse(object)', {object: ' '.repeat(1_048_577)})).toContain('longer than');
  });

  it('does not unfold aliases without end', () => {
    const bomb = Array.from(
      {length: 30},
      (_, index) => `a${index}: &a${index} [${index === 0 ? 'x' : `*a${index - 1}, *a${index - 1}`}]`,
    ).join('\n');
    expect(() => evaluate('json.marshal(yaml.parse(object))', {object: bomb})).toThrow();
  });
});

describe('hashes', () => {
  for (const [source, want] of [
    ['sha1("")', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
    ['hash.sha1("abc")', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ['sha256("abc")', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['hash.sha256("é")', '4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c'],
    ['md5("abc")', '900150983cd24fb0d6963f7d28e17f72'],
    ['hash.md5("")', 'd41d8cd98f00b204e9800998ecf8427e'],
  ] as const) {
    it(`gives ${source}`, () => expect(evaluate(source)).toBe(want));
  }
});

describe('transform', () => {
  const object = {
    keys: [{name: 'a', n: 1}, {name: 'b'}],
    values: [{v: 1}, {w: 2}],
  };
  for (const [source, want] of [
    ['listObjToMap(object.keys, object.values, "name", "v")', '{"a": 1, "b": null}'],
    ['transform.listObjToMap([], [], "name", "v")', '{}'],
    ['listObjToMap([{"k": "__proto__"}], [{"v": 1}], "k", "v")', '{"__proto__": 1}'],
  ] as const) {
    it(`gives ${source}`, () => expect(shown(source, {object})).toBe(want));
  }
  for (const [source, want] of [
    ['listObjToMap(object.keys, [], "name", "v")', 'listObjToMap must take lists of equal length. list1: 2, list2: 0'],
    [
      'listObjToMap(object.keys, object.values, "n", "v")',
      'the passed key name cannot be handled as a string in the key object list',
    ],
    [
      'listObjToMap(object.keys, object.values, "constructor", "v")',
      'the passed key name cannot be handled as a string',
    ],
    ['listObjToMap([1], [2], "a", "b")', 'invalid arg 0: expected a list of maps, got int in it'],
  ] as const) {
    it(`fails in ${source}`, () => expect(fault(source, {object})).toContain(want));
  }
});

describe('time', () => {
  for (const [source, want] of [
    ['time.now()', 'timestamp("2023-11-14T22:13:20Z")'],
    ['time.now() > timestamp("2020-01-01T00:00:00Z")', 'true'],
    ['time.truncate(timestamp("2024-05-06T07:08:09.5Z"), duration("1h"))', 'timestamp("2024-05-06T07:00:00Z")'],
    ['time.truncate(timestamp("2024-05-06T07:08:09Z"), duration("0s"))', 'timestamp("2024-05-06T07:08:09Z")'],
    ['time.truncate(timestamp("2024-05-08T07:08:09Z"), duration("168h"))', 'timestamp("2024-05-06T00:00:00Z")'],
    ['time.toCron(timestamp("2023-02-02T15:04:05Z"))', '"4 15 2 2 4"'],
    ['time.toCron(timestamp("2023-02-05T23:59:00-07:00"))', '"59 6 6 2 1"'],
  ] as const) {
    it(`gives ${source}`, () => expect(shown(source)).toBe(want));
  }
});

describe('random', () => {
  const draws = (source: string, random: () => number) => evaluate(source, {loader: {...recordingLoader(), random}});
  let seed = 7;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };

  for (const [source, shape] of [
    ['random()', /^[0-9a-z]{8}$/],
    ['random.random()', /^[0-9a-z]{8}$/],
    ['random("[A-F]{4}-x{2,3}")', /^[A-F]{4}-x{2,3}$/],
    ['random.random("(a|bc)d?")', /^(a|bc)d?$/],
  ] as const) {
    it(`draws ${source}`, () => {
      for (let count = 0; count < 50; count += 1) expect(draws(source, random)).toMatch(shape);
    });
  }

  it('is drawn at each call', () => expect(draws('random() == random()', random)).toBe(false));

  for (const [source, want] of [
    ['random("")', 'no pattern provided'],
    ['random("[")', 'error parsing regexp'],
    ['random("(a{1000}){1000}")', ''],
    ['random(object)', 'pattern is longer than'],
  ] as const) {
    it(`fails in ${source}`, () => {
      expect(fault(source, {object: 'a'.repeat(5_000)})).toContain(want);
    });
  }
});

describe('rounding', () => {
  for (const [source, want] of [
    ['math.round(2.345, 2)', '2.35'],
    ['math.round(1.005, 2)', '1.0'],
    ['math.round(2.5, 0)', '3.0'],
    ['math.round(-2.5, 0)', '-3.0'],
    ['math.round(0.49999999999999994, 0)', '0.0'],
    ['math.round(4503599627370497.0, 0) == 4503599627370497.0', 'true'],
    ['math.round(1234.5, -2)', '1200.0'],
    ['math.round(1.5, 400)', '1.5'],
    ['math.round(1e308, 10)', '1e+308'],
    ['math.round(1.5, -400)', '0.0'],
    ['math.round(1.0 / 0.0, 2) > 1.0', 'true'],
  ] as const) {
    it(`gives ${source}`, () => expect(shown(source)).toBe(want));
  }
});

describe('gzip', () => {
  for (const text of ['', 'abc', 'é'.repeat(10), 'x'.repeat(100_000)]) {
    it(`gives back ${JSON.stringify(text.slice(0, 12))}`, () => {
      expect(evaluate('gzip.decompress(gzip.compress(object)) == object', {object: text})).toBe(true);
    });
  }

  it('writes the same bytes everywhere', () => {
    const bytes = evaluate('gzip.compress("abc")') as Uint8Array;
    expect([...bytes.slice(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
  });

  it('ends where more comes out than the limit', () => {
    const bomb = evaluate('gzip.compress(object)', {object: '0'.repeat(3_000_000), limits: {bytes: 100_000_000}});
    expect(() => evaluate('gzip.decompress(object)', {object: bomb, limits: {bytes: 100_000_000}})).toThrow(
      BudgetError,
    );
    expect(() => evaluate('gzip.decompress(object) == "" || true', {object: bomb})).toThrow(BudgetError);
  });

  for (const [source, want] of [
    ['gzip.decompress(b"abc")', 'the bytes are not valid gzip'],
    ['gzip.decompress(b"")', 'the bytes are not valid gzip'],
    ['gzip.decompress(gzip.compress(b"\\xff\\xfe"))', 'no UTF-8 text'],
    ['gzip.compress(dyn(1))', 'invalid arg 0: expected string, got int'],
  ] as const) {
    it(`fails in ${source}`, () => expect(fault(source)).toContain(want));
  }
});
