import type {Budget} from '../budget.js';
import {compileGlobs, globMatch, hasWildcard} from '../values/glob.js';

/** Whether a text is among the members. */
export type MemberTest = (text: string, budget?: Budget) => boolean;

const worthASet = 16;

/** Wildcards count in either direction: in the members and in the text that is looked for. */
export function eitherWay(members: readonly string[], reuse: boolean): MemberTest {
  const backward: MemberTest = (text, budget) => {
    if (!hasWildcard(text)) return false;
    for (const member of members) {
      budget?.step();
      if (globMatch(text, member, budget)) return true;
    }
    return false;
  };
  if (!reuse && members.length <= worthASet) {
    return (text, budget) => {
      for (const member of members) {
        budget?.step();
        if (member === text || (hasWildcard(member) && globMatch(member, text, budget))) return true;
      }
      return backward(text, budget);
    };
  }
  const forward = compileGlobs(members);
  const cost = 1 + members.filter(hasWildcard).length;
  return (text, budget) => {
    budget?.step(cost);
    return forward(text) || backward(text, budget);
  };
}

/** Equal texts only. */
export function exactly(members: readonly string[]): MemberTest {
  if (members.length <= worthASet) return text => members.includes(text);
  const names = new Set(members);
  return text => names.has(text);
}

/**
 * A text that may be JSON: the strings of a JSON array, `invalid` for any other JSON, `undefined` for a text that is no
 * JSON at all.
 */
export function jsonStrings(text: string): readonly string[] | 'invalid' | undefined {
  const trimmed = text.trim();
  const first = trimmed.charAt(0);
  if (first === '') return undefined;
  // Almost every text leaves here: only these characters start a JSON document.
  if (!/[[{"\-0-9tfn]/.test(first)) return undefined;
  if (/[tfn]/.test(first) && !/^(?:true|false|null)$/.test(trimmed)) return undefined;
  if (/[-0-9]/.test(first) && !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(trimmed)) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(trimmed);
  } catch {
    return undefined;
  }
  if (parsed === null) return [];
  if (!Array.isArray(parsed)) return 'invalid';
  const strings: string[] = [];
  for (const element of parsed) {
    if (element !== null && typeof element !== 'string') return 'invalid';
    strings.push(element ?? '');
  }
  return strings;
}
