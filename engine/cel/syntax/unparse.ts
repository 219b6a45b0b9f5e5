import {Float} from '../../json/types.js';
import type {Call, Expr, Literal, Loop, Select} from './ast.js';
import {isNamePart, isNameStart} from './characters.js';
import {extremes} from './math-macros.js';
import {binaryByName, operators, precedences} from './operators.js';

/**
 * The expression as text, with the parentheses it needs and no others. Reading the text again gives the same tree, but for
 * how chains of `&&` and `||` are nested.
 */
export function unparse(expr: Expr): string {
  switch (expr.kind) {
    case 'literal':
      return literalText(expr);
    case 'ident':
      return expr.name;
    case 'select':
      return selectText(expr);
    case 'call':
      return callText(expr);
    case 'list':
      return `[${expr.items.map(({value, optional}) => mark(optional) + unparse(value)).join(', ')}]`;
    case 'map':
      return `{${expr.entries.map(({key, value, optional}) => `${mark(optional)}${unparse(key)}: ${unparse(value)}`).join(', ')}}`;
    case 'message':
      return `${expr.name}{${expr.fields.map(({name, value, optional}) => `${mark(optional)}${fieldText(name)}: ${unparse(value)}`).join(', ')}}`;
    case 'loop':
      return loopText(expr);
    case 'bind':
      return `cel.bind(${expr.name}, ${unparse(expr.init)}, ${unparse(expr.body)})`;
  }
}

const mark = (optional: boolean): string => (optional ? '?' : '');

function precedence(expr: Expr): number {
  if (expr.kind !== 'call') return precedences.member;
  if (expr.name === operators.conditional) return precedences.conditional;
  if (expr.name === operators.not || expr.name === operators.negate) return precedences.unary;
  return binaryByName.get(expr.name)?.precedence ?? precedences.member;
}

const within = (expr: Expr, least: number): string => (precedence(expr) < least ? `(${unparse(expr)})` : unparse(expr));

const member = (expr: Expr): string => within(expr, precedences.member);

function selectText({operand, field, test, optional}: Select): string {
  const text = `${member(operand)}.${mark(optional)}${fieldText(field)}`;
  return test ? `has(${text})` : text;
}

/** Words that are no names of fields unless between backquotes. */
const words: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null']);

function fieldText(name: string): string {
  if (words.has(name) || !isNameStart(name.charCodeAt(0))) return `\`${name}\``;
  for (let at = 1; at < name.length; at++) if (!isNamePart(name.charCodeAt(at))) return `\`${name}\``;
  return name;
}

function callText(call: Call): string {
  const {name, target, args} = call;
  const [first, second, third] = args;
  switch (name) {
    case operators.conditional:
      return `${within(first!, precedences.or)} ? ${within(second!, precedences.or)} : ${unparse(third!)}`;
    case operators.not:
    case operators.negate:
      return name[0] + unaryOperand(first!);
    case operators.index:
      return `${member(first!)}[${unparse(second!)}]`;
    case operators.optionalIndex:
      return `${member(first!)}[?${unparse(second!)}]`;
  }
  const binary = binaryByName.get(name);
  if (binary !== undefined) {
    // `a && (b && c)` is the same as without parentheses.
    const closer = name === operators.and || name === operators.or ? 0 : 1;
    return `${within(first!, binary.precedence)} ${binary.symbol} ${within(second!, binary.precedence + closer)}`;
  }
  const list = args.map(unparse).join(', ');
  return target === undefined ? `${written(call)}(${list})` : `${member(target)}.${name}(${list})`;
}

/** `math.@max` is only written as `math.greatest`. */
function written({name}: Call): string {
  for (const [macro, internal] of extremes) if (internal === name) return `math.${macro}`;
  return name;
}

/** Signs do not stack, and one before a number is the number's own. */
function unaryOperand(expr: Expr): string {
  const number = expr.kind === 'literal' && (expr.type === 'int' || expr.type === 'double');
  return number ? `(${unparse(expr)})` : within(expr, precedences.member);
}

function loopText({name, range, variables, filter, body}: Loop): string {
  const macro = name === 'existsOne' && variables.length === 1 ? 'exists_one' : name;
  const args = [...variables, ...(filter === undefined ? [] : [unparse(filter)]), unparse(body)];
  return `${member(range)}.${macro}(${args.join(', ')})`;
}

function literalText({type, value}: Literal): string {
  switch (type) {
    case 'string':
      return `"${escape(String(value), stringEscapes)}"`;
    case 'bytes':
      return `b"${escape(latin1(value as Uint8Array), byteEscapes)}"`;
    case 'uint':
      return `${(value as {value: bigint}).value}u`;
    case 'double':
      return doubleText(value as number | Float);
    default:
      return String(value);
  }
}

function doubleText(value: number | Float): string {
  if (!(value instanceof Float)) return String(value);
  const text = Object.is(value.value, -0) ? '-0' : String(value.value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

const named: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to be escaped.
const stringEscapes = /["\\\u0000-\u001f\u007f]/g;
const byteEscapes = /["\\]|[^ -~]/g;

function escape(text: string, pattern: RegExp): string {
  return text.replace(
    pattern,
    character => named.get(character) ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}

/** One character per byte. */
function latin1(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
