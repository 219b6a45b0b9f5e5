import {CompileError, EvalError} from '../../engine/diagnostic.js';
import {compileQuery} from '../../engine/jmespath/index.js';
import type {Json} from '../../engine/json/types.js';
import {parseYamlDocuments} from '../../engine/yaml/index.js';
import {readText} from '../files/documents.js';
import {FileError} from '../files/file-error.js';
import {goJson} from './go-json.js';
import {createLocalRun} from './local-env.js';
import {ask, type Streams} from './streams.js';

export interface QueryOptions {
  /** JSON or YAML; the terminal's input when absent. */
  readonly input?: string;
  /** Files of one expression each. */
  readonly query: readonly string[];
  readonly compact: boolean;
  readonly unquoted: boolean;
}

/** `kyverno jp query`: each expression on one input. Throws `FileError` with the first fault. */
export async function queryCommand(
  expressions: readonly string[],
  options: QueryOptions,
  streams: Streams,
): Promise<void> {
  const queries = [...expressions];
  for (const path of options.query) queries.push(await readText(path));
  if (queries.length === 0 && options.input === undefined)
    throw new FileError('at least one query or input object is required');
  const input =
    options.input === undefined
      ? firstDocument(await ask(streams, 'input object'), 'the input')
      : firstDocument(await readText(options.input), options.input);
  if (queries.length === 0) queries.push((await ask(streams, 'a jmespath expression')).replace(/\r?\n$/, ''));
  for (const query of queries) {
    streams.output.write(`# ${query}\n`);
    const result = await evaluate(query, input);
    const text = options.unquoted && typeof result === 'string' ? result : goJson(result, options);
    streams.output.write(`${text}\n`);
  }
}

function firstDocument(text: string, path: string): Json {
  const [document] = parseYamlDocuments(text);
  if (document?.error !== undefined) {
    const {line, column, message} = document.error;
    throw new FileError(`failed to load input: ${path}:${line}:${column}: ${message}`);
  }
  return document?.value ?? null;
}

async function evaluate(text: string, input: Json): Promise<Json> {
  try {
    const query = compileQuery(text);
    const run = createLocalRun();
    return await run.complete(() => query.evaluate(input, run));
  } catch (error) {
    if (error instanceof CompileError)
      throw new FileError(`failed to compile JMESPath: ${text}, error: ${error.message}`);
    if (error instanceof EvalError) throw new FileError(`error evaluating JMESPath expression: ${error.message}`);
    throw error;
  }
}
