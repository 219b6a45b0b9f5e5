import {Composer, type CST, type Document, Lexer, Parser} from 'yaml';
import {parseJson} from '../json/parse.js';
import {maxDepth, scanJson} from '../json/scan.js';
import type {Json} from '../json/types.js';
import {ConversionError, convert} from './convert.js';
import {type Chunk, lineStarts, placeOf, splitDocuments} from './split.js';
import {parseOptions} from './tags.js';
import {type YamlDocument, YamlError, type YamlOptions, type YamlProblem} from './types.js';

const defaultMaxLength = 32 * 1024 * 1024;
const singleMaxLength = 2 * 1024 * 1024;
const tooDeep = 'nested too deeply';

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

/**
 * JSON is read by the JSON reader, an order of magnitude faster. What that refuses may still be YAML, and numbers that
 * need care are read by YAML's rules.
 */
function readJson(text: string): YamlDocument | undefined {
  const start = text.search(/\S/);
  if (start < 0 || (text[start] !== '{' && text[start] !== '[') || scanJson(text).exact) return undefined;
  try {
    return {value: parseJson(text), line: lineStarts(text.slice(0, start)).length, duplicates: []};
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Turns offsets of one chunk into places of the whole text. */
type Locate = (offset: number) => {readonly line: number; readonly column: number};

function locator(chunk: Chunk): Locate {
  let starts: readonly number[] | undefined;
  return offset => {
    starts ??= lineStarts(chunk.text);
    const {line, column} = placeOf(starts, Math.min(offset, chunk.text.length));
    return {line: chunk.line + line, column: column + 1};
  };
}

function readChunk(chunk: Chunk, options: YamlOptions): YamlDocument[] {
  const locate = locator(chunk);
  let documents: readonly Document.Parsed[];
  try {
    documents = [...(new Composer(parseOptions).compose(tokensOf(chunk.text)) as Iterable<Document.Parsed>)];
  } catch (error) {
    if (error instanceof DepthError) return [failure({message: tooDeep, ...locate(error.offset)})];
    if (error instanceof RangeError) return [failure({message: tooDeep, ...locate(0)})];
    throw error;
  }
  return documents.flatMap(document => readDocument(document, locate, options));
}

class DepthError extends Error {
  constructor(readonly offset: number) {
    super(tooDeep);
  }
}

/**
 * Tokens of a text, ended where it nests deeper than any value may: the composer goes down by calling itself, and a
 * stack that overflows while a regular expression is compiled ends the process.
 */
function* tokensOf(text: string): Generator<CST.Token> {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    // Around the collections are the document and a scalar.
    if (parser.stack.length > maxDepth + 3) throw new DepthError(parser.offset);
  }
  yield* parser.end();
}

function readDocument(document: Document.Parsed, locate: Locate, options: YamlOptions): YamlDocument[] {
  const [fault] = document.errors;
  if (fault) return [failure({message: explain(fault.message), ...locate(fault.pos[0])})];
  const {contents} = document;
  if (!contents) return [];
  try {
    const {value, duplicates} = convert(contents, options.mergeDuplicateKeys);
    if (value === null) return [];
    return [
      {
        value,
        line: locate(contents.range?.[0] ?? 0).line,
        duplicates: duplicates.map(({path, offset, merged}) => ({path, line: locate(offset).line, merged})),
      },
    ];
  } catch (error) {
    if (error instanceof ConversionError) return [failure({message: error.message, ...locate(error.offset)})];
    throw error;
  }
}

/** The reader's message, with the way out where a value wants quotes. */
function explain(message: string): string {
  if (message.startsWith('Maximum call stack')) return tooDeep;
  if (/\btag\b/i.test(message)) return `${message}; quote a value that begins with "!"`;
  if (message.startsWith('Block scalar header')) return `${message}; quote a value that begins with ">" or "|"`;
  return message;
}
