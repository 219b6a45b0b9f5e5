export interface Chunk {
  readonly text: string;
  /** Line of the chunk's first character, 1-based. */
  readonly line: number;
}

const separator = /^---(?=[ \t\r\n]|$)/gm;
const onlyDirectives = /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*%[^\n]*\n(?:(?:%[^\n]*|[ \t]*(?:#[^\n]*)?)\n)*$/;

/** Cuts a stream at its `---` lines, as Kubernetes tools do, so that one broken document cannot swallow the next. */
export function splitDocuments(text: string): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let start = 0;
  let line = 1;
  for (const match of text.matchAll(separator)) {
    const end = match.index;
    const chunk = text.slice(start, end);
    // Directives belong to the document whose marker follows them.
    if (end === start || onlyDirectives.test(chunk)) continue;
    chunks.push({text: chunk, line});
    line += lineStarts(chunk).length - 1;
    start = end;
  }
  chunks.push({text: text.slice(start), line});
  return chunks;
}

/** Offsets at which lines begin. */
export function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return starts;
}

/** Zero-based line and column of an offset. */
export function placeOf(starts: readonly number[], offset: number): {readonly line: number; readonly column: number} {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return {line: low, column: offset - starts[low]!};
}
