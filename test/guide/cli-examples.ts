import {readFileSync} from 'node:fs';
import {resolve} from 'node:path';

export const cliPagePath = resolve(import.meta.dirname, '../../docs/cli.md');
export const rbacPagePath = resolve(import.meta.dirname, '../../docs/rbac.md');

export interface CliExample {
  /** From the comment `<!-- example: name, exit 0 -->` above the block. */
  readonly name: string;
  readonly exit: number;
  readonly command: string;
  /** What the page says it prints; `undefined` when it shows nothing. */
  readonly output: string | undefined;
}

/** The commands of a page with their output, in order. Throws for a shell block without its comment. */
export function cliExamples(page = cliPagePath): CliExample[] {
  const text = readFileSync(page, 'utf8');
  const block = /<!-- example: (\w+), exit (\d+) -->\n```sh\n([\s\S]*?)\n```\n(?:\n```text\n([\s\S]*?\n)```\n)?/g;
  const found = [...text.matchAll(block)].map(([, name = '', exit, command = '', output]) => {
    return {name, exit: Number(exit), command, output};
  });
  if (found.length !== text.split('```sh').length - 1) throw new Error(`${page} has a block that no test runs`);
  return found;
}

export function cliExample(name: string): CliExample {
  const found = cliExamples().find(example => example.name === name);
  if (found === undefined) throw new Error(`docs/cli.md has no example ${name}`);
  return found;
}
