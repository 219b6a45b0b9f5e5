import {compareKeys} from './key-order.js';
import {resolvesToOtherThanText} from './yaml-scalars.js';

type Style = 'plain' | 'single' | 'double' | 'literal';
export type TextTree = ReadonlyMap<string, string | TextTree>;

/**
 * Block YAML of nested text maps, byte for byte as the Go library (go-yaml v2) prints it: 2-space indent, keys in its
 * natural order, no folding. Scripts match on these texts.
 */
export function writeYaml(tree: TextTree, indent = 0): string {
  const pad = ' '.repeat(indent);
  let text = '';
  for (const key of [...tree.keys()].sort(compareKeys)) {
    const value = tree.get(key)!;
    text += `${pad}${writeScalar(key, {indent, key: true})}:`;
    if (typeof value === 'string') text += ` ${writeScalar(value, {indent: indent + 2, key: false})}\n`;
    else text += value.size === 0 ? ' {}\n' : `\n${writeYaml(value, indent + 2)}`;
  }
  return text;
}

export function writeScalar(value: string, place: {readonly indent: number; readonly key: boolean}): string {
  switch (chooseStyle(value, place.key)) {
    case 'plain':
      return value;
    case 'single':
      return `'${value.replaceAll("'", "''")}'`;
    case 'literal':
      return literal(value, place.indent);
    case 'double':
      return `"${escapeDouble(value)}"`;
  }
}

function chooseStyle(value: string, key: boolean): Style {
  const facts = analyse(value);
  if (value.includes('\n'))
    return key || facts.special || facts.trailingSpace || facts.spaceBreak ? 'double' : 'literal';
  if (resolvesToOtherThanText(value)) return 'double';
  if (facts.special) return 'double';
  return facts.plain ? 'plain' : 'single';
}

interface Facts {
  /** May stand without quotes in a block context. */
  readonly plain: boolean;
  /** Holds something only an escape can show. */
  readonly special: boolean;
  readonly trailingSpace: boolean;
  /** A space right before a line break. */
  readonly spaceBreak: boolean;
}

const indicatorsAtStart = /^[#,[\]{}&*!|>'"%@`]/;
const startsLikeMarkup = /^(?:---|\.\.\.|[?:-](?:\s|$))/;
const colonThenBlank = /:(?:\s|$)/;
const hashAfterBlank = /\s#/;

function analyse(value: string): Facts {
  const trailingSpace = value.endsWith(' ');
  const plain =
    !value.startsWith(' ') &&
    !trailingSpace &&
    !indicatorsAtStart.test(value) &&
    !startsLikeMarkup.test(value) &&
    !colonThenBlank.test(value) &&
    !hashAfterBlank.test(value);
  return {plain, special: unprintable.test(value), trailingSpace, spaceBreak: value.includes(' \n')};
}

/** The library counts tabs, astral characters and byte order marks among what it has to escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/;

function literal(value: string, indent: number): string {
  const pad = ' '.repeat(indent);
  const hint = value.startsWith(' ') || value.startsWith('\n') ? '2' : '';
  const chomp = !value.endsWith('\n') ? '-' : value === '\n' || value.endsWith('\n\n') ? '+' : '';
  const lines = (chomp === '-' ? value : value.slice(0, -1)).split('\n');
  return `|${hint}${chomp}\n${lines.map(line => (line === '' ? '' : pad + line)).join('\n')}`;
}

const shortEscapes: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
};

function escapeDouble(value: string): string {
  let text = '';
  for (const character of value) {
    const short = shortEscapes[character];
    if (short !== undefined) text += short;
    else if (character !== '\n' && unprintable.test(character)) text += numericEscape(character.codePointAt(0)!);
    else text += character;
  }
  return text;
}

function numericEscape(code: number): string {
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
