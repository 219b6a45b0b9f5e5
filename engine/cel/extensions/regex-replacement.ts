import type {RegexMatch} from '../../regex/types.js';
import {CelError} from '../errors.js';

/** A piece of a replacement: text, or the number of a group. */
type Piece = string | number;

/**
 * Reads `\1` … `\9`, `\0` for the whole match and `\\` of a replacement of `regex.replace`. Throws CelError for every
 * other use of `\`. `groups`: how many the pattern has.
 */
export function readReplacement(text: string, groups: number): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', from)) {
    if (at > from) pieces.push(text.slice(from, at));
    pieces.push(readEscape(text, at + 1, groups));
    from = at + 2;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}

function readEscape(text: string, at: number, groups: number): Piece {
  if (at >= text.length) throw new CelError(`invalid replacement string: '${text}' \\ not allowed at end`);
  const char = text[at]!;
  if (char === '\\') return char;
  if (char < '0' || char > '9')
    throw new CelError(`invalid replacement string: '${text}' \\ must be followed by a digit or \\`);
  const group = Number(char);
  if (group > groups)
    throw new CelError(`replacement string references group ${group} but regex has only ${groups} group(s)`);
  return group;
}

export function expand(pieces: readonly Piece[], match: RegexMatch): string {
  let result = '';
  for (const piece of pieces) result += typeof piece === 'string' ? piece : (match.groups[piece] ?? '');
  return result;
}
