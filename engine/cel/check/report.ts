import type {CelIssue} from '../errors.js';
import {limits} from '../syntax/limits.js';
import {type Type, typeText} from '../types/type.js';

/** Collects faults, in cel-go's words. */
export class Report {
  readonly issues: CelIssue[] = [];

  add(message: string, at: number, hint?: string): void {
    if (this.issues.length >= limits.issues) return;
    this.issues.push(hint === undefined ? {message, at} : {message, at, hint});
  }

  undeclared(name: string, at: number, hint?: string): void {
    this.add(`undeclared reference to '${name}' (in container '')`, at, hint);
  }

  mismatch(expected: Type, found: Type, at: number, hint?: string): void {
    this.add(`expected type '${typeText(expected)}' but found '${typeText(found)}'`, at, hint);
  }

  noOverload(
    {name, types, receiver}: {name: string; types: readonly Type[]; receiver: boolean},
    at: number,
    hint?: string,
  ): void {
    this.add(`found no matching overload for '${name}' applied to '${signatureText(types, receiver)}'`, at, hint);
  }
}

/** `(int, string)`, or `string.(int)` of a receiver's call. */
export function signatureText(types: readonly Type[], receiver: boolean): string {
  const texts = types.map(typeText);
  return receiver ? `${texts[0]}.(${texts.slice(1).join(', ')})` : `(${texts.join(', ')})`;
}
