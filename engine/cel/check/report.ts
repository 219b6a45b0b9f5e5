import type {CelIssue} from '../errors.js';
import {issueOf} from '../syntax/issue.js';
import {limits} from '../syntax/limits.js';
import {type Type, typeText} from '../types/type.js';

/** Found when it is needed, since looking for near names takes time. */
export type Hint = () => string | undefined;

const hintedIssues = 20;
const longestType = 300;

/** Collects faults, in cel-go's words. */
export class Report {
  readonly issues: CelIssue[] = [];

  add(message: string, at: number, hint?: Hint): void {
    if (this.issues.length >= limits.issues) return;
    const text = this.issues.length < hintedIssues ? hint?.() : undefined;
    this.issues.push(issueOf(message, at, text));
  }

  undeclared(name: string, at: number, hint?: Hint): void {
    this.add(`undeclared reference to '${name}' (in container '')`, at, hint);
  }

  mismatch({expected, found}: {expected: Type; found: Type}, at: number, hint?: Hint): void {
    this.add(`expected type '${shortText(expected)}' but found '${shortText(found)}'`, at, hint);
  }

  noOverload(call: Applied, at: number, hint?: Hint): void {
    const signature = signatureText(call.types, call.receiver);
    this.add(`found no matching overload for '${call.name}' applied to '${signature}'`, at, hint);
  }
}

/** A call of a function with types that it may not take. */
export interface Applied {
  readonly name: string;
  /** The receiver's first. */
  readonly types: readonly Type[];
  readonly receiver: boolean;
}

/** `(int, string)`, or `string.(int)` of a receiver's call. */
export function signatureText(types: readonly Type[], receiver: boolean): string {
  const texts = types.map(shortText);
  return receiver ? `${texts[0]}.(${texts.slice(1).join(', ')})` : `(${texts.join(', ')})`;
}

/** As it is printed, unless it is too long to be read. */
export function shortText(type: Type): string {
  const text = typeText(type);
  return text.length > longestType ? `${text.slice(0, longestType)}…` : text;
}
