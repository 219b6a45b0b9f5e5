import {writeFile} from 'node:fs/promises';
import type {Json} from '../../engine/json/types.js';
import {ioMessage} from '../files/documents.js';
import {FileError} from '../files/file-error.js';
import type {Streams} from '../output/streams.js';
import {yamlText} from '../output/yaml-text.js';

/** The object as YAML, to a file or to standard output. */
export async function writeOut(object: Json, path: string | undefined, streams: Streams): Promise<void> {
  const text = yamlText(object);
  if (path === undefined || path === '') {
    streams.out(text);
    return;
  }
  try {
    await writeFile(path, text);
  } catch (error) {
    throw new FileError(ioMessage('open', path, error));
  }
}

/** Throws with the names of flags that are not there, all at once. */
export function requireFlags(options: object, flags: Readonly<Record<string, string>>): void {
  const given = new Map(Object.entries(options));
  const isMissing = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0);
  const missing = Object.keys(flags).filter(key => isMissing(given.get(key)));
  if (missing.length > 0) {
    throw new FileError(
      `required flag(s) ${missing
        .map(key => `"${flags[key]!}"`)
        .sort()
        .join(', ')} not set`,
    );
  }
}

/** `a=b` → `['a', 'b']`; the value may hold more equal signs. */
export function pair(text: string, flag: string): readonly [string, string] {
  const equals = text.indexOf('=');
  if (equals <= 0) throw new FileError(`--${flag}: ${JSON.stringify(text)} is not of the form key=value`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

/** A map of such pairs; a key may hold any name. */
export function pairs(texts: readonly string[], flag: string): Record<string, string> {
  return Object.fromEntries(texts.map(text => pair(text, flag)));
}
