import {readFileSync} from 'node:fs';
import {resolve} from 'node:path';

export const cliPagePath = resolve(import.meta.dirname, '../../docs/cli.md');

export interface CliExample {
  /** From the comment `<!-- example: name, exit 0 -->` above the block. */
  readonly name: string;
  readonly exit: number;
  readonly command: string;
  /** What the page says it prints; `undefined` when it shows nothing. */
  readonly output: string | undefined;
}

/** The commands of docs/cli.md with their output, in order. Throws for a shell block without its comment. */
export function cliExamples(): CliExample[] {
  const text = readFileSync(cliPagePath, 'utf8');
  const block = /<!-- example: (\w+), exit (\d+) -->\n```sh\n([\s\S]*?)\n```\n(?:\n```text\n([\s\S]*?\n)```\n)?/g;
  const found = [...text.matchAll(block)].map(([, name = '', exit, command = '', output]) => {
    return {name, exit: Number(exit), command, output};
  });
  if (found.length !== text.split('```sh').length - 1) throw new Error('docs/cli.md has a block that no test runs');
  return found;
}

export function cliExample(name: string): CliExample {
  const found = cliExamples().find(example => example.name === name);
  if (found === undefined) throw new Error(`docs/cli.md has no example ${name}`);
  return found;
}
