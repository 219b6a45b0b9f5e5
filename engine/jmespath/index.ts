import type {Json} from '../json/types.js';
import {LruCache} from './cache.js';
import {compileAst} from './compile.js';
import {functionTable} from './functions/table.js';
import {parseQuery} from './parser.js';
import type {CompiledQuery, FunctionEnv, LazyRoot} from './types.js';

export {QueryError, UnknownKeyError} from './errors.js';
export type {CompiledQuery, FunctionEnv} from './types.js';
export {LazyRoot} from './types.js';

/** Queries made at run time carry data in their text, so the text counts too. */
const cache = new LruCache<CompiledQuery>({entries: 4096, characters: 512 * 1024});

/**
 * Compiles a query, or takes it from the cache. Results share structure with the data and with literals: never mutate
 * them. Throws `CompileError`: `jmespath-syntax`, or `jmespath-function` for an unknown name or wrong arguments.
 */
export function compileQuery(text: string): CompiledQuery {
  return cache.getOrMake(text, () => {
    const {run, roots, functions} = compileAst(parseQuery(text), text, functionTable);
    const evaluate = (root: Json | LazyRoot, env: FunctionEnv): Json => {
      env.budget.step();
      return run(root, env);
    };
    return {text, roots, functions, evaluate};
  });
}
