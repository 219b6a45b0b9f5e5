import {type Document, parseAllDocuments} from 'yaml';
import {parseJson} from '../json/parse.js';
import type {Json} from '../json/types.js';
import {ConversionError, convert} from './convert.js';
import {type Chunk, countLines, splitDocuments} from './split.js';
import {parseOptions} from './tags.js';
import {type YamlDocument, YamlError, type YamlOptions, type YamlProblem} from './types.js';

const defaultMaxLength = 32 * 1024 * 1024;
const singleMaxLength = 2 * 1024 * 1024;

/**
 * Reads a text of one document (YAML or JSON) as Kubernetes tools do; the empty text is `null`.
 * Throws `YamlError`, also for a second document.
 */
export function parseYaml(text: string, options: YamlOptions = {}): Json {
  const documents = parseYamlDocuments(text, {maxLength: singleMaxLength, ...options});
  const broken = documents.find(document => document.error);
  if (broken?.error) throw new YamlError(broken.error);
  const [first, second] = documents;
  if (second) throw new YamlError({message: 'expected one document, found another', line: second.line, column: 1});
  return first?.value ?? null;
}

/**
 * Reads every document of a text (YAML stream or one JSON value); empty documents are left out. Never throws for the
 * text's sake: a document that cannot be read carries its error, the others are there.
 */
export function parseYamlDocuments(text: string, options: YamlOptions = {}): readonly YamlDocument[] {
  const limit = options.maxLength ?? defaultMaxLength;
  if (text.length > limit) {
    return [failure({message: `text of ${text.length} characters exceeds the limit of ${limit}`, line: 1, column: 1})];
  }
  const json = readJson(text);
  if (json) return [json];
  return splitDocuments(text.startsWith('\uFEFF') ? text.slice(1) : text).flatMap(chunk => readChunk(chunk, options));
}

function failure(error: YamlProblem): YamlDocument {
  return {value: null, line: error.line, duplicates: [], error};
}

/** JSON is read by the JSON reader, an order of magnitude faster; what it refuses may still be YAML. */
function readJson(text: string): YamlDocument | undefined {
  const start = text.search(/\S/);
  if (start < 0 || (text[start] !== '{' && text[start] !== '[')) return undefined;
  try {
    return {value: parseJson(text), line: countLines(text, start) + 1, duplicates: []};
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function problemAt(chunk: Chunk, offset: number, message: string): YamlProblem {
  const at = Math.min(offset, chunk.text.length);
  return {
    message,
    line: chunk.line + countLines(chunk.text, at),
    column: at - chunk.text.lastIndexOf('\n', at - 1),
  };
}

function readChunk(chunk: Chunk, options: YamlOptions): YamlDocument[] {
  let documents: readonly Document.Parsed[];
  try {
    documents = parseAllDocuments(chunk.text, parseOptions) as Document.Parsed[];
  } catch (error) {
    if (error instanceof RangeError) return [failure(problemAt(chunk, 0, 'nested too deeply'))];
    throw error;
  }
  return [...documents].flatMap(document => readDocument(document, chunk, options));
}

function readDocument(document: Document.Parsed, chunk: Chunk, options: YamlOptions): YamlDocument[] {
  const [fault] = document.errors;
  if (fault) return [failure(problemAt(chunk, fault.pos[0], withTagHint(fault.message, fault.code)))];
  const {contents} = document;
  if (!contents) return [];
  const start = problemAt(chunk, contents.range?.[0] ?? 0, '');
  try {
    const {value, duplicates} = convert(contents, options.mergeDuplicateKeys);
    if (value === null) return [];
    return [
      {
        value,
        line: start.line,
        duplicates: duplicates.map(({path, offset, merged}) => ({
          path,
          line: problemAt(chunk, offset, '').line,
          merged,
        })),
      },
    ];
  } catch (error) {
    if (error instanceof ConversionError) return [failure(problemAt(chunk, error.offset, error.message))];
    throw error;
  }
}

function withTagHint(message: string, code: string): string {
  return code.includes('TAG') || /\btag\b/i.test(message) ? `${message}; quote a value that begins with "!"` : message;
}
