import {parseJson} from '../../json/parse.js';
import {stringifyJson} from '../../json/stringify.js';
import type {Json} from '../../json/types.js';
import {compileQuery} from '../index.js';
import {createQueryEnv, type QueryEnvOptions} from './query-env.js';

/** Result of a query as canonical JSON text; data may be given as JSON text. */
export function query(text: string, data: Json = {}, options: QueryEnvOptions = {}): string {
  return stringifyJson(compileQuery(text).evaluate(data, createQueryEnv(options)), {sortKeys: true});
}

/** The text of what the query throws, `no error: RESULT` when it does not. */
export function fault(text: string, data: Json = {}, options: QueryEnvOptions = {}): string {
  try {
    return `no error: ${query(text, data, options)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function json(text: string): Json {
  return parseJson(text);
}
