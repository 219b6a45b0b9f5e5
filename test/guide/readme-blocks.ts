import {readFileSync} from 'node:fs';
import {resolve} from 'node:path';

export const readmePath = resolve(import.meta.dirname, '../../README.md');

export interface ReadmeBlock {
  /** From the comment `<!-- run: name -->` above the block; `undefined` when it has none. */
  readonly name: string | undefined;
  readonly language: string;
  readonly text: string;
}

/** The fenced code blocks of README.md, in order. */
export function readmeBlocks(): ReadmeBlock[] {
  const text = readFileSync(readmePath, 'utf8');
  const fence = /(?:<!-- run: ([^>]+?) -->\n)?```(\w*)\n([\s\S]*?)\n```/g;
  return [...text.matchAll(fence)].map(([, name, language = '', body = '']) => ({name, language, text: body}));
}

/** The commands of the block with that name. Throws when there is none. */
export function readmeCommands(name: string): string {
  const block = readmeBlocks().find(block => block.name === name);
  if (block === undefined) throw new Error(`README.md has no block marked "run: ${name}"`);
  return block.text;
}
