import {isObject, type Json} from './types.js';

type Texts = Readonly<Record<string, string>>;

const none: Texts = Object.freeze({});

/** Text as it is; empty for anything else. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** Labels, annotations and the like: those of hostile objects may hold anything, and only strings count. */
export function textMapOf(value: Json | undefined): Texts {
  if (!isObject(value)) return none;
  for (const key of Object.keys(value)) if (typeof value[key] !== 'string') return onlyTexts(Object.entries(value));
  return value as Texts;
}

function onlyTexts(entries: ReadonlyArray<readonly [string, Json]>): Texts {
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
