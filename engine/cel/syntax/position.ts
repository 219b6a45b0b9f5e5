/** Where an offset is: lines from 1, columns from 0 in code points, and the line's text. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** Lines end in `\n`; a `\r` before it is left out of the text. */
export function positionAt(source: string, at: number): Position {
  const start = at <= 0 ? 0 : source.lastIndexOf('\n', at - 1) + 1;
  const next = source.indexOf('\n', start);
  const end = next === -1 ? source.length : next;
  let line = 1;
  for (
    let newline = source.indexOf('\n');
    newline !== -1 && newline < start;
    newline = source.indexOf('\n', newline + 1)
  ) {
    line++;
  }
  const text = source.slice(start, end);
  return {line, column: codePoints(source.slice(start, at)), text: text.endsWith('\r') ? text.slice(0, -1) : text};
}

export function codePoints(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1) count++;
  return count;
}
