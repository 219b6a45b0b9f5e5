import type {Colours} from './colours.js';
import {noColours} from './colours.js';

export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

/** Longer cells are broken at word boundaries. */
const widest = 300;

/** A table with all four borders; beyond ten rows the first header counts them. */
export function drawTable(
  headers: readonly string[],
  rows: ReadonlyArray<readonly Cell[]>,
  colours: Colours = noColours,
): string {
  const titles = headers.map((header, index) => {
    const title = header.toUpperCase();
    return index === 0 && rows.length > 10 ? `${title} (${rows.length})` : title;
  });
  const wrapped = rows.map(row => row.map(cell => ({lines: wrap(cell.text), paint: cell.paint ?? (text => text)})));
  const widths = titles.map((title, column) =>
    Math.max(
      title.length,
      ...wrapped.map(row => Math.max(0, ...(row[column]?.lines ?? []).map(line => [...line].length))),
    ),
  );
  const rule = `│${widths.map(width => '─'.repeat(width + 2)).join('│')}│\n`;
  const line = (cells: ReadonlyArray<{readonly text: string; readonly paint: (text: string) => string}>) =>
    `│${cells.map((cell, column) => ` ${cell.paint(cell.text)}${' '.repeat(Math.max(0, (widths[column] ?? 0) - [...cell.text].length))} `).join('│')}│\n`;
  let text = rule + line(titles.map(title => ({text: title, paint: colours.header}))) + rule;
  for (const row of wrapped) {
    const height = Math.max(1, ...row.map(cell => cell.lines.length));
    for (let index = 0; index < height; index++) {
      text += line(row.map(cell => ({text: cell.lines[index] ?? '', paint: cell.paint})));
    }
  }
  return text + rule;
}

function wrap(text: string): readonly string[] {
  return text.split('\n').flatMap(line => (Buffer.byteLength(line) <= widest ? [line] : wrapWords(line)));
}

function wrapWords(text: string): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(' ')) {
    if (current !== '' && Buffer.byteLength(`${current} ${word}`) > widest) {
      lines.push(current);
      current = word;
    } else current = current === '' ? word : `${current} ${word}`;
  }
  lines.push(current);
  return lines;
}
