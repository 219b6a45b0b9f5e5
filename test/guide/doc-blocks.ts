import {readFileSync} from 'node:fs';
import {resolve} from 'node:path';

const docs = resolve(import.meta.dirname, '../../docs');

export interface DocBlock {
  /** From the comment `<!-- run: name -->` above the block; `undefined` when it has none. */
  readonly name: string | undefined;
  readonly language: string;
  readonly text: string;
}

/** The fenced code blocks of a Markdown text, in order. */
export function blocksOf(markdown: string): DocBlock[] {
  const fence = /(?:<!-- run: ([^>]+?) -->\n\n?)?```(\w*)\n([\s\S]*?)\n```/g;
  return [...markdown.matchAll(fence)].map(([, name, language = '', body = '']) => ({name, language, text: body}));
}

/** The blocks of a page below `docs/`. */
export function docBlocks(page: string): DocBlock[] {
  return blocksOf(readFileSync(resolve(docs, page), 'utf8'));
}

/** The commands of the block with that name on a page below `docs/`. Throws when there is none. */
export function docCommands(page: string, name: string): string {
  const block = docBlocks(page).find(each => each.name === name);
  if (block === undefined) throw new Error(`docs/${page} has no block marked "run: ${name}"`);
  return block.text;
}
