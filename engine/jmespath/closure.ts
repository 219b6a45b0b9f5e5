import type {Json} from '../json/types.js';
import type {FunctionEnv, LazyRoot} from './types.js';

export type Current = Json | LazyRoot;
/** One node of a query. Only closures compiled for the root are ever given a `LazyRoot`. */
export type Closure = (current: Current, env: FunctionEnv) => Json;
