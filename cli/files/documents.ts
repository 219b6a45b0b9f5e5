import {readFile, stat} from 'node:fs/promises';
import {type Json, isObject} from '../../engine/json/types.js';
import {parseYamlDocuments, type YamlDocument} from '../../engine/yaml/index.js';
import {FileError, messageOf} from './file-error.js';

const maxBytes = 32 * 1024 * 1024;

/** Text of a file; invalid UTF-8, folders and files beyond 32 MiB are errors that name the path. */
export async function readText(path: string): Promise<string> {
  let bytes: Buffer;
  try {
    const info = await stat(path);
    if (info.isDirectory()) throw new FileError(`read ${path}: is a directory`);
    if (info.size > maxBytes) throw new FileError(`read ${path}: larger than ${maxBytes} bytes`);
    bytes = await readFile(path);
  } catch (error) {
    throw error instanceof FileError ? error : new FileError(ioMessage('open', path, error));
  }
  return decodeUtf8(bytes, path);
}

export function decodeUtf8(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  } catch {
    throw new FileError(`${path}: not valid UTF-8`);
  }
}

export function ioMessage(verb: string, path: string, error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  switch (code) {
    case 'ENOENT':
      return `${verb} ${path}: no such file or directory`;
    case 'EACCES':
      return `${verb} ${path}: permission denied`;
    case 'ENOTDIR':
      return `${verb} ${path}: not a directory`;
    default:
      return `${verb} ${path}: ${messageOf(error)}`;
  }
}

/** Documents of a text; the first broken one is an error with its place. */
export function readDocuments(text: string, path: string): readonly YamlDocument[] {
  const documents = parseYamlDocuments(text, {mergeDuplicateKeys: isMatchResources});
  const broken = documents.find(document => document.error !== undefined)?.error;
  if (broken !== undefined) throw new FileError(`${path}:${broken.line}:${broken.column}: ${broken.message}`);
  return documents;
}

/** As `readDocuments`, for files of our own formats: a repeated key is an error. */
export function readStrictDocuments(text: string, path: string): readonly Json[] {
  return readDocuments(text, path).map(document => {
    const [twice] = document.duplicates;
    if (twice !== undefined) {
      throw new FileError(`${path}:${twice.line}: key ${JSON.stringify(twice.path.at(-1))} already set in map`);
    }
    return document.value;
  });
}

/** The only document of a file of our own formats. */
export async function readStrictFile(path: string): Promise<Json> {
  const documents = readStrictDocuments(await readText(path), path);
  if (documents.length > 1) throw new FileError(`${path}: expected one document, found ${documents.length}`);
  return documents[0] ?? {};
}

/** Two `resources` blocks in one match or exclude count together. */
function isMatchResources(path: readonly string[]): boolean {
  return path.at(-1) === 'resources' && (path.includes('match') || path.includes('exclude'));
}

/** Items of a `v1` List (and kinds ending in List); anything else is itself. */
export function takeApart(value: Json): readonly Json[] {
  if (!isObject(value)) return [value];
  const {kind, items} = value;
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items) ? items : [value];
}
