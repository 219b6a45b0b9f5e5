import {positionAt} from './syntax/position.js';
import {Boxed} from './values/value.js';

/**
 * What a CEL expression fails with at run time. No `Error` and no stack: a missing field is routine in policies, and most
 * such failures are absorbed by `||` or a macro. Programs turn the one that is left into an `EvalError`.
 */
export class CelError extends Boxed {
  constructor(readonly message: string) {
    super();
  }
}

/** A fault found before evaluation. */
export interface CelIssue {
  /** Without place: `undeclared reference to 'foo' (in container '')`. */
  readonly message: string;
  /** UTF-16 offset in the source. */
  readonly at: number;
  /** What to do about it, where we know. */
  readonly hint?: string;
}

/** Of a source line; longer ones are shown around the place. */
const shownColumns = 1_000;

/**
 * Issues as cel-go prints them, in their order: `ERROR: <input>:1:4: …`, the source line, and a caret under the place.
 * Wide characters have wide dots over them, so that the caret stands right. `hints` adds a line `hint: …` where there is one.
 */
export function issuesText(source: string, issues: readonly CelIssue[], {hints = false} = {}): string {
  return issues
    .map(issue => {
      const {line, column, text} = positionAt(source, issue.at);
      const error = `ERROR: <input>:${line}:${column + 1}: ${issue.message}${snippet(text, column)}`;
      return hints && issue.hint !== undefined ? `${error}\n | hint: ${issue.hint}` : error;
    })
    .join('\n');
}

function snippet(text: string, column: number): string {
  const characters = [...text.replaceAll('\t', ' ')];
  const skipped = column > shownColumns ? column - Math.floor(shownColumns / 2) : 0;
  const shown = characters.slice(skipped, skipped + shownColumns);
  const under = characters.slice(skipped, column).map(character => (isWide(character) ? '．' : '.'));
  const at = characters[column];
  const caret = at !== undefined && isWide(at) ? '＾' : '^';
  return `\n | ${shown.join('')}\n | ${under.join('')}${caret}`;
}

const isWide = (character: string): boolean => character.charCodeAt(0) > 127;
