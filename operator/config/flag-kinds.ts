import {parseDuration} from '../../engine/values/duration.js';

/** How a value is written in a KyvernoConfiguration: what the schema there is made from. */
export type FlagForm = 'boolean' | 'integer' | 'number' | 'text' | 'texts';

/** One command line flag: how its text is read, and what holds without it. */
export interface FlagKind<T> {
  readonly initial: T;
  readonly form: FlagForm;
  /** The default as one would write it, where that is not plain from `initial`. */
  readonly shown?: string;
  /** undefined = not an allowed value. */
  readonly parse: (text: string) => T | undefined;
  /** What `parse` takes, for messages: `text or json`. */
  readonly allowed: string;
  /** `--name` alone means true. */
  readonly isSwitch: boolean;
  /** Environment variable that counts when the flag is not given. */
  readonly env?: string;
  /** Accepted so that existing arguments work, but nothing looks at it yet. */
  readonly inert: boolean;
}

const trueWords = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
const falseWords = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False']);

/** Go's bool texts. */
export function parseBoolean(text: string): boolean | undefined {
  if (trueWords.has(text)) return true;
  return falseWords.has(text) ? false : undefined;
}

export function toggle(initial: boolean, env?: string): FlagKind<boolean> {
  return {
    initial,
    form: 'boolean',
    parse: parseBoolean,
    allowed: 'true or false',
    isSwitch: true,
    inert: false,
    ...(env === undefined ? {} : {env}),
  };
}

export function text(initial = ''): FlagKind<string> {
  return {initial, form: 'text', parse: value => value, allowed: 'any text', isSwitch: false, inert: false};
}

export function integer(initial: number, min: number, max: number = Number.MAX_SAFE_INTEGER): FlagKind<number> {
  const allowed =
    max === Number.MAX_SAFE_INTEGER ? `a whole number from ${min}` : `a whole number from ${min} to ${max}`;
  const parse = (value: string): number | undefined => {
    if (!/^[+-]?\d+$/.test(value)) return undefined;
    const number = Number(value);
    return Number.isSafeInteger(number) && number >= min && number <= max ? number : undefined;
  };
  return {initial, form: 'integer', parse, allowed, isSwitch: false, inert: false};
}

export function fraction(initial: number, min: number, max: number): FlagKind<number> {
  const parse = (value: string): number | undefined => {
    if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(value)) return undefined;
    const number = Number(value);
    return number >= min && number <= max ? number : undefined;
  };
  return {initial, form: 'number', parse, allowed: `a number from ${min} to ${max}`, isSwitch: false, inert: false};
}

/** One of some words, in any case; the value is spelt as in the list. */
export function choice<W extends string>(initial: NoInfer<W>, words: readonly W[]): FlagKind<W> {
  const byLowerCase = new Map(words.map(word => [word.toLowerCase(), word]));
  return {
    initial,
    form: 'text',
    parse: value => byLowerCase.get(value.toLowerCase()),
    allowed: either(words),
    isSwitch: false,
    inert: false,
  };
}

/** A Go duration, read as milliseconds; never negative. `minimum` is a Go duration too. */
export function duration(initial: string, minimum = '0'): FlagKind<number> {
  const least = milliseconds(minimum) ?? 0;
  const parse = (value: string): number | undefined => {
    const read = milliseconds(value);
    return read !== undefined && read >= least ? read : undefined;
  };
  const allowed =
    least > 0 ? `a duration such as 90s or 1h30m, at least ${minimum}` : 'a duration such as 90s or 1h30m';
  return {initial: milliseconds(initial) ?? 0, form: 'text', shown: initial, parse, allowed, isSwitch: false, inert: false};
}

/** Comma-separated texts, blanks around them dropped. */
export function texts(initial: string, env?: string): FlagKind<readonly string[]> {
  const common = {
    allowed: 'a comma-separated list',
    isSwitch: false,
    inert: false,
    ...(env === undefined ? {} : {env}),
  };
  return {initial: split(initial), form: 'texts', parse: split, ...common};
}

/** Comma-separated words of a fixed set. */
export function words(initial: string, known: readonly string[]): FlagKind<readonly string[]> {
  const parse = (value: string): readonly string[] | undefined => {
    const list = split(value);
    return list.every(word => known.includes(word)) ? list : undefined;
  };
  return {
    initial: split(initial),
    form: 'texts',
    parse,
    allowed: `a comma-separated list of ${either(known)}`,
    isSwitch: false,
    inert: false,
  };
}

/** The same flag, without effect for now. */
export function inert<T>(kind: FlagKind<T>): FlagKind<T> {
  return {...kind, inert: true};
}

function split(value: string): readonly string[] {
  return value
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '');
}

function milliseconds(value: string): number | undefined {
  const nanoseconds = parseDuration(value);
  return nanoseconds === undefined ? undefined : Number(nanoseconds) / 1e6;
}

function either(list: readonly string[]): string {
  return list.length < 2 ? list.join('') : `${list.slice(0, -1).join(', ')} or ${list[list.length - 1]}`;
}
