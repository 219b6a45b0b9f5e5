import {compileGlob, hasWildcard} from '../values/glob.js';

/** What cannot be said in CEL: where it stands in the classic policy, and why. */
export class Unconvertible extends Error {
  constructor(
    readonly path: string,
    readonly reason: string,
  ) {
    super(reason);
  }
}

/** A CEL expression of type bool, with what has to be known to put it into a larger one. */
export interface Test {
  readonly text: string;
  /** How it binds: `all` and `any` are joined by `&&` and `||`, `one` needs no brackets anywhere. */
  readonly form: 'all' | 'any' | 'relation' | 'one';
  /** Of `all` and `any`. */
  readonly parts?: readonly Test[];
}

export const always: Test = {text: 'true', form: 'one'};
export const never: Test = {text: 'false', form: 'one'};

/** A test that stands for itself: a call or a name. */
export function one(text: string): Test {
  return {text, form: 'one'};
}

/** `a == b` and the like. */
export function relation(text: string): Test {
  return {text, form: 'relation'};
}

export function all(...tests: readonly Test[]): Test {
  return joined('all', tests, always, never);
}

export function any(...tests: readonly Test[]): Test {
  return joined('any', tests, never, always);
}

function joined(form: 'all' | 'any', tests: readonly Test[], neutral: Test, decisive: Test): Test {
  const parts: Test[] = [];
  for (const test of tests.flatMap(test => (test.form === form ? (test.parts ?? []) : [test]))) {
    if (test.text === decisive.text) return decisive;
    if (test.text !== neutral.text && !parts.some(part => part.text === test.text)) parts.push(test);
  }
  const [only] = parts;
  if (only === undefined) return neutral;
  if (parts.length === 1) return only;
  const text = parts.map(part => bracketed(part, form)).join(form === 'all' ? ' && ' : ' || ');
  return {text, form, parts};
}

function bracketed({text, form}: Test, inside: 'all' | 'any'): string {
  return (form === 'all' || form === 'any') && form !== inside ? `(${text})` : text;
}

const opposites: ReadonlyArray<readonly [string, string]> = [
  [' == ', ' != '],
  [' != ', ' == '],
  [' > ', ' <= '],
  [' <= ', ' > '],
  [' >= ', ' < '],
  [' < ', ' >= '],
];

export function not(test: Test): Test {
  if (test === always) return never;
  if (test === never) return always;
  if (test.form === 'one') return test.text.startsWith('!') ? one(test.text.slice(1)) : one(`!${test.text}`);
  if (test.form === 'relation') {
    const found = opposites.filter(([from]) => test.text.split(from).length === 2);
    const [turned] = found;
    if (turned !== undefined && found.length === 1 && !/[?&|]| in |'/.test(test.text)) {
      return relation(test.text.replace(turned[0], turned[1]));
    }
  }
  return one(`!(${test.text})`);
}

/** Long conjunctions and disjunctions stand on a line per part. */
export function rendered(test: Test): string {
  const {parts, form, text} = test;
  if (parts === undefined || text.length <= 100 || (form !== 'all' && form !== 'any')) return text;
  return parts.map(part => bracketed(part, form)).join(form === 'all' ? ' &&\n' : ' ||\n');
}

/** A text literal. */
export function quoted(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
  return `'${escaped}'`;
}

const reserved = new Set(['in', 'true', 'false', 'null']);

function isName(key: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) && !reserved.has(key);
}

/** `holder.key`; an error at run time when it is not there. */
export function field(holder: string, key: string): string {
  return isName(key) ? `${holder}.${key}` : `${holder}[${quoted(key)}]`;
}

/** `holder.?key`. */
export function optionalField(holder: string, key: string): string {
  return isName(key) ? `${holder}.?${key}` : `${holder}[?${quoted(key)}]`;
}

export function hasField(holder: string, key: string): Test {
  return isName(key) ? one(`has(${holder}.${key})`) : relation(`${quoted(key)} in ${holder}`);
}

/** Whether a text (an expression of type string) matches a literal with `*` and `?`. */
export function globTest(text: string, pattern: string): Test {
  if (!hasWildcard(pattern)) return relation(`${text} == ${quoted(pattern)}`);
  const inner = pattern.replace(/^\*+|\*+$/g, '');
  const [starts, ends] = [!pattern.startsWith('*'), !pattern.endsWith('*')];
  if (!hasWildcard(inner)) {
    if (inner === '') return always;
    if (starts) return one(`${text}.startsWith(${quoted(inner)})`);
    if (ends) return one(`${text}.endsWith(${quoted(inner)})`);
    return one(`${text}.contains(${quoted(inner)})`);
  }
  const regex = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.');
  return one(`${text}.matches(${quoted(`(?s)^${regex}$`)})`);
}

/** Whether a pattern takes the empty text. */
export function takesEmpty(pattern: string): boolean {
  return compileGlob(pattern)('');
}
