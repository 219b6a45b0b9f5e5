import {Float, type Json} from '../../engine/json/types.js';

const escapes: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

/** JSON text as Go writes it: keys sorted, HTML's special characters escaped; two blanks a level unless `compact`. */
export function goJson(value: Json, options: {readonly compact: boolean}): string {
  return write(value, options.compact ? undefined : '');
}

/** `indent` of the line that the value begins on; `undefined` = everything on one line. */
function write(value: Json, indent: string | undefined): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null || value instanceof Float) return JSON.stringify(value);
  const inner = indent === undefined ? undefined : `${indent}  `;
  if (Array.isArray(value))
    return enclose(
      '[]',
      value.map(item => write(item, inner)),
      indent,
    );
  const colon = indent === undefined ? ':' : ': ';
  const members = Object.keys(value)
    .sort()
    .map(key => `${quote(key)}${colon}${write(value[key]!, inner)}`);
  return enclose('{}', members, indent);
}

function enclose(brackets: '[]' | '{}', parts: readonly string[], indent: string | undefined): string {
  const [open, close] = brackets;
  if (parts.length === 0) return brackets;
  if (indent === undefined) return `${open}${parts.join(',')}${close}`;
  return `${open}\n${parts.map(part => `${indent}  ${part}`).join(',\n')}\n${indent}${close}`;
}

function quote(text: string): string {
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, character => escapes[character]!);
}
