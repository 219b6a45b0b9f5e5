import {collect, readBounded, UnreadableFileError, utf8Text} from '../../adapters/files/read-bounded.js';
import {isObject, type Json, own} from '../../engine/json/types.js';
import {parseYamlDocuments, type YamlDocument, type YamlDuplicate} from '../../engine/yaml/index.js';
import {FileError, messageOf} from './file-error.js';

const maxBytes = 32 * 1024 * 1024;
const maxListDepth = 100;

/** Text of a file; invalid UTF-8, what is no file and files beyond 32 MiB are errors that name the path. */
export async function readText(path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readBounded(path, maxBytes);
  } catch (error) {
    if (error instanceof UnreadableFileError) throw new FileError(`read ${path}: ${error.message}`);
    throw new FileError(ioMessage('open', path, error));
  }
  return decodeUtf8(bytes, path);
}

/** All of standard input, with the limits of a file. */
export async function readStream(stream: AsyncIterable<unknown>, name: string): Promise<string> {
  try {
    return decodeUtf8(await collect(stream, maxBytes), name);
  } catch (error) {
    throw error instanceof FileError ? error : new FileError(`read ${name}: ${messageOf(error)}`);
  }
}

export function decodeUtf8(bytes: Uint8Array, path: string): string {
  try {
    return utf8Text(bytes);
  } catch (error) {
    throw new FileError(`${path}: ${messageOf(error)}`);
  }
}

export function ioMessage(verb: string, path: string, error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  switch (code) {
    case 'ENOENT':
      return `${verb} ${path}: no such file or directory`;
    case 'EACCES':
      return `${verb} ${path}: permission denied`;
    case 'ELOOP':
      return `${verb} ${path}: links that lead to themselves`;
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

/** How a repeated key was read. */
export function duplicateText(twice: YamlDuplicate, path: string): string {
  const effect = twice.merged ? 'the blocks are read as one' : 'the last one stands';
  return `${path}:${twice.line}: key ${twice.path.join('.')} is given twice; ${effect}`;
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

/**
 * Items of a `v1` List (and kinds ending in List), Lists in Lists too; anything else is itself. A List without items
 * is empty. Throws `FileError` for items that are no list; `at` is the place of the document.
 */
export function takeApart(value: Json, at: string, depth = 0): readonly Json[] {
  if (!isObject(value)) return [value];
  const [kind, items] = [own(value, 'kind'), own(value, 'items')];
  if (typeof kind !== 'string' || !kind.endsWith('List')) return [value];
  const plain = kind === 'List' && own(value, 'apiVersion') === 'v1';
  if (Array.isArray(items)) {
    if (depth > maxListDepth) throw new FileError(`${at}: Lists nested deeper than ${maxListDepth} levels`);
    return plain ? items.flatMap(item => takeApart(item, at, depth + 1)) : items;
  }
  if (!plain) return [value];
  if (items === undefined || items === null) return [];
  throw new FileError(`${at}: items of a List must be a list`);
}
