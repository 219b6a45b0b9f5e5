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
    line += countLines(chunk);
    start = end;
  }
  chunks.push({text: text.slice(start), line});
  return chunks;
}

export function countLines(text: string, end = text.length): number {
  let lines = 0;
  for (let i = text.indexOf('\n'); i >= 0 && i < end; i = text.indexOf('\n', i + 1)) lines++;
  return lines;
}
