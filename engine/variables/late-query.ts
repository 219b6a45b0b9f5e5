import {CompileError, EvalError} from '../diagnostic.js';
import {compileQuery} from '../jmespath/index.js';
import type {CompiledQuery} from '../jmespath/types.js';

/** An expression that only exists at run time: a fault in it is the evaluation's, not the policy's. */
export function compileLateQuery(text: string): CompiledQuery {
  try {
    return compileQuery(text);
  } catch (error) {
    if (error instanceof CompileError) throw new EvalError(`JMESPath query failed: ${error.message}`);
    throw error;
  }
}
