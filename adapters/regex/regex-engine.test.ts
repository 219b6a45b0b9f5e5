import {describe, expect, it} from 'vitest';
import {EvalError} from '../../engine/diagnostic.js';
import {nativeSubset} from './native-subset.js';
import {createRegexEngine} from './regex-engine.js';

const engine = createRegexEngine();

describe('compile', () => {
  it.each([
    ['(a', 'error parsing regexp: missing closing ): `(a`'],
    ['a{1001}', 'error parsing regexp: invalid repeat count: `{1001}`'],
    ['(?=a)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
    ['(?<!a)b', 'error parsing regexp: invalid named capture: `(?<!a)b`'],
    ['(a)\\1', 'error parsing regexp: invalid escape sequence: `\\1`'],
    ['[z-a]', 'error parsing regexp: invalid character class range: `z-a`'],
    ['*a', 'error parsing regexp: missing argument to repetition operator: `*`'],
    ['x*+', 'error parsing regexp: invalid nested repetition operator: `*+`'],
    ['a'.repeat(40_000), 'error parsing regexp: expression too large'],
    ['('.repeat(5_000) + ')'.repeat(5_000), 'error parsing regexp: expression nests too deeply'],
  ])("refuses %.20s in Go's words", (pattern, message) => {
    expect(() => engine.compile(pattern)).toThrow(new EvalError(message, 'regex-syntax'));
  });

  it('keeps what it compiled', () => {
    expect(engine.compile('^kept$')).toBe(engine.compile('^kept$'));
  });

  it('drops the pattern that was not used for longest', () => {
    const small = createRegexEngine({capacity: 2});
    const first = small.compile('a');
    const second = small.compile('b');
    small.compile('a');
    small.compile('c');
    expect(small.compile('a')).toBe(first);
    expect(small.compile('b')).not.toBe(second);
  });
});

describe('test', () => {
  it.each<[string, string, boolean]>([
    ['b', 'abc', true],
    ['^b', 'abc', false],
    ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'my-app', true],
    ['^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', 'my-app-', false],
    ['^(docker\\.io|ghcr\\.io)/[^:]+:v?[0-9]+\\.[0-9]+$', 'ghcr.io/x/y:v1.2', true],
    ['^(docker\\.io|ghcr\\.io)/[^:]+:v?[0-9]+\\.[0-9]+$', 'ghcr.io/x/y:latest', false],
    ['^\\s$', '\u00a0', false],
    ['^\\d$', '\u0661', false],
    ['^\\w$', 'é', false],
    ['^.$', '\u2028', true],
    ['^.$', '\r', true],
    ['^.$', '\n', false],
    ['^.$', '😀', true],
    ['^..$', '😀', false],
    ['^[^a]$', '\n', true],
    ['^a$', 'a\n', false],
    ['(?m)^a$', 'b\na', true],
    ['(?i)STRASSE', 'strasse', true],
    ['(?i)k', '\u212a', true],
    ['(?s)^.$', '\n', true],
    ['\\Aa\\z', 'a', true],
    ['\\Aa\\z', 'a\n', false],
    ['^\\Qa.b\\E$', 'a.b', true],
    ['^\\Qa.b\\E$', 'axb', false],
    ['^[[:alpha:]]+$', 'abc', true],
    ['^[[:alpha:]]+$', 'ab1', false],
    ['^\\pL+$', 'приветé', true],
    ['^\\x{1F600}$', '😀', true],
    ['^a{2,3}$', 'aaa', true],
    ['^a{2,3}$', 'aaaa', false],
    ['^]a}$', ']a}', true],
    ['^[\\]\\-a]+$', ']-a', true],
    ['^[a-]+$', 'a-', true],
    ['^[.*+?]+$', '.*+?', true],
    ['a||b', 'zzz', true],
    ['', '', true],
  ])('%s on %j is %s', (pattern, text, expected) => {
    expect(engine.compile(pattern).test(text)).toBe(expected);
  });

  it.each([
    ['(a+)+$', `${'a'.repeat(40)}!`],
    ['(a|aa)+$', `${'a'.repeat(40)}!`],
    ['a?'.repeat(30) + 'a'.repeat(30), 'a'.repeat(29)],
    ['.*.*.*=.*', 'x'.repeat(10_000)],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(60)],
    ['a*b', 'a'.repeat(100_000)],
  ])('answers %s in linear work', (pattern, text) => {
    expect(engine.compile(pattern).test(text)).toBe(false);
  });
});

describe('replaceAll', () => {
  it.each([
    ['a(x*)b', '-ab-axxb-', 'T', '-T-T-'],
    ['a(x*)b', '-ab-axxb-', '$1', '--xx-'],
    ['a(x*)b', '-ab-axxb-', '$1W', '---'],
    ['a(x*)b', '-ab-axxb-', '${1}W', '-W-xxW-'],
    ['a(?P<n>x*)b', '-axb-', '$n.${n}', '-x.x-'],
    ['(a)', 'a', '$0$0', 'aa'],
    ['(a)(b)?', 'a', '[$2]', '[]'],
    ['a', 'a', '$$1', '$1'],
    ['a', 'a', '$', '$'],
    ['a', 'a', '${', '${'],
    ['a', 'a', '${1', '${1'],
    ['a', 'a', '$9', ''],
    ['a', 'a', '$nope-', '-'],
    ['a', 'a', '\\1 $& $`', '\\1 $& $`'],
    ['a*', 'baac', 'x', 'xbxcx'],
    ['', 'ab', '-', '-a-b-'],
    ['^', 'ab', '-', '-ab'],
    ['x', 'abc', '-', 'abc'],
    ['.', '😀a', '<$0>', '<😀><a>'],
    ['^docker\\.io/(.*)$', 'docker.io/nginx:1', 'corp.example/$1', 'corp.example/nginx:1'],
  ])('of %s in %j by %j gives %j', (pattern, text, replacement, expected) => {
    expect(engine.compile(pattern).replaceAll(text, replacement)).toBe(expected);
  });

  it('takes the replacement as it is when asked', () => {
    expect(engine.compile('(a)').replaceAllLiteral('aba', '$1$$')).toBe('$1$$b$1$$');
  });
});

describe('find and findAll', () => {
  it.each<[string, string, readonly (readonly (string | undefined)[])[]]>([
    [
      'a(x*)(b)?',
      '-ab-axx-',
      [
        ['ab', '', 'b'],
        ['axx', 'xx', undefined],
      ],
    ],
    [
      '(a)|b',
      'ba',
      [
        ['b', undefined],
        ['a', 'a'],
      ],
    ],
    ['a*', 'baac', [[''], ['aa'], ['']]],
    ['', '😀', [[''], ['']]],
    ['z', 'abc', []],
    [
      '(?P<n>[0-9]+)',
      'a1b23',
      [
        ['1', '1'],
        ['23', '23'],
      ],
    ],
  ])('of %s in %j are %j', (pattern, text, groups) => {
    const regex = engine.compile(pattern);
    expect(regex.findAll(text).map(match => match.groups)).toEqual(groups);
    expect(regex.findAllTexts(text)).toEqual(groups.map(([whole]) => whole));
    expect(regex.find(text)?.groups).toEqual(groups[0]);
    expect(regex.findText(text)).toBe(groups[0]?.[0]);
    for (const match of regex.findAll(text)) expect(text.slice(match.start, match.end)).toBe(match.groups[0]);
  });

  it('stop at the limit', () => {
    expect(engine.compile('a').findAllTexts('aaa', {limit: 2})).toEqual(['a', 'a']);
    expect(engine.compile('(a)').findAll('aaa', {limit: 0})).toEqual([]);
    expect(engine.compile('(?i)a').findAllTexts('aAa', {limit: 2})).toEqual(['a', 'A']);
  });

  it('tell of each search how much text is left', () => {
    const seen: number[] = [];
    engine.compile('(?i)a').findAllTexts('xaxax', {onSearch: length => seen.push(length)});
    expect(seen).toEqual([5, 3, 1]);
  });

  it.each([
    ['\\d+', true],
    ['image: (\\S+)?', false],
    ['image: \\S+', true],
    ['[ab]c', true],
    ['a|bc', true],
    ['a|b+', false],
    ['a.*b', false],
    ['a(?:.*b)?', false],
    ['(?:a.*)', true],
    ['x(a.*)y?', false],
    ['(a.*|b)', false],
    ['a{2}b', false],
    ['\\w+$', false],
    ['a+b+', false],
  ])('%s settles with its match: %s', (pattern, expected) => {
    expect(nativeSubset(pattern)?.settles).toBe(expected);
  });

  it('tell of no more than the match where the pattern settles with it', () => {
    const text = 'ab '.repeat(1_000);
    const seen: number[] = [];
    engine.compile('(\\w+)').findAll(text, {onSearch: length => seen.push(length)});
    expect(seen.length).toBeGreaterThanOrEqual(1_000);
    expect(Math.max(...seen)).toBeLessThan(20);
  });

  it('counts groups', () => {
    expect(engine.compile('a').groupCount).toBe(0);
    expect(engine.compile('(a)(?:b)(?P<c>c)').groupCount).toBe(2);
  });
});

describe('nativeSubset', () => {
  it.each([
    '(a+)+',
    '(a|b)*',
    '(?i)a',
    '\\pL',
    '[[:alpha:]]',
    '(?P<n>a)',
    '\\Qa\\E',
    'a?'.repeat(30),
    '(a{2,9}){2}',
    '^*',
    '\\x41',
  ])('leaves %s to RE2', pattern => {
    expect(nativeSubset(pattern)).toBeUndefined();
  });

  it.each([
    ['^abc$', Number.POSITIVE_INFINITY],
    ['abc', 1_000_000],
    ['^a*b', 1_000_000],
    ['a*b', 1_000],
    ['a*b*c', 100],
    ['^(a|b)c$|d', 500_000],
  ])('of %s holds for texts up to %d', (pattern, maxLength) => {
    const native = nativeSubset(pattern);
    expect(native).toBeDefined();
    expect(native!.maxLength).toBeGreaterThanOrEqual(maxLength * 0.3);
    expect(native!.maxLength).toBeLessThanOrEqual(maxLength);
  });

  it('agrees with RE2 on every short text', () => {
    const patterns = [
      'a',
      '^a',
      'a$',
      'a|b',
      '^(a|b)',
      'a.b',
      '[^a]',
      '[a\\-]',
      'a*b',
      '^a+$',
      'a?b',
      'a{2}',
      '^[ab]{1,2}$',
      '\\s',
      '\\S',
      '\\bb',
      '\\W',
      '\\D',
      '(a|)b',
      'a\\.',
      '^$',
      '\\-',
      'a{1,}?b',
      '[\\d-]',
      '[^\\s]',
    ];
    const alphabet = ['a', 'b', '.', '-', '\n', ' ', '1', 'é'];
    const texts = [''];
    for (let from = 0; from < 1 + 8 + 64; from++) for (const char of alphabet) texts.push(texts[from]! + char);
    for (const pattern of patterns) {
      const native = nativeSubset(pattern);
      expect(native, pattern).toBeDefined();
      const linear = createRegexEngine().compile(`(?:${pattern})(?P<keep>)`);
      for (const text of texts) {
        const [first] = linear.findAll(text, {limit: 1});
        const agrees =
          native!.regex.test(text) === linear.test(text) &&
          createMatches(native!.regex.source, text) === linear.findAll(text).map(place).join() &&
          native!.regex.exec(text)?.index === first?.start;
        expect(agrees ? '' : `${pattern} on ${JSON.stringify(text)}`).toBe('');
      }
    }
  });
});

/** Places of all matches on the native engine, as Go counts them. */
function createMatches(source: string, text: string): string {
  const places: string[] = [];
  let last = -1;
  for (const match of text.matchAll(new RegExp(source, 'gu'))) {
    const end = match.index + match[0].length;
    if (match[0] === '' && end === last) continue;
    last = end;
    places.push(place({start: match.index, end}));
  }
  return places.join();
}

function place({start, end}: {readonly start: number; readonly end: number}): string {
  return `${start}-${end}`;
}
