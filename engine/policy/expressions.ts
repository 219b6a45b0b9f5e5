import {CompileError} from '../diagnostic.js';
import {compileQuery} from '../jmespath/index.js';
import type {CompiledQuery} from '../jmespath/types.js';
import {findVariables} from '../variables/scan.js';

/** Stands for the value of an inner variable where the outer text is looked at before that value is known. */
export const placeholder = 'placeholder';

export type Parsed = {readonly query: CompiledQuery} | {readonly fault: string};

export function parseExpression(expression: string): Parsed {
  try {
    return {query: compileQuery(expression)};
  } catch (error) {
    if (error instanceof CompileError) return {fault: error.diagnostic.message};
    return {fault: error instanceof Error ? error.message : String(error)};
  }
}

export function replaceVariables(text: string, replacement: string): string {
  let out = '';
  let from = 0;
  for (const {start, end} of findVariables(text)) {
    out += text.slice(from, start) + replacement;
    from = end;
  }
  return out + text.slice(from);
}

/** Most levels of variables in variables that are looked into. */
const mostLevels = 8;

/** The text with its variables, and those around them, replaced. */
export function replaceAllVariables(text: string, replacement: string): string {
  let current = text;
  for (let level = 0; level < mostLevels && findVariables(current).length > 0; level++) {
    current = replaceVariables(current, replacement);
  }
  return current;
}

export interface FoundExpression {
  readonly expression: string;
  /** Holds the value of an inner variable, so that its text is not final. */
  readonly derived: boolean;
}

/** All expressions of a text: the innermost variables, then what stands around them with placeholders inside. */
export function expressionsIn(text: string): readonly FoundExpression[] {
  const out: FoundExpression[] = [];
  let current = text;
  for (let level = 0; level < mostLevels; level++) {
    const found = findVariables(current);
    if (found.length === 0) return out;
    for (const {expression} of found) out.push({expression, derived: level > 0 && expression.includes(placeholder)});
    current = replaceVariables(current, placeholder);
  }
  return out;
}
