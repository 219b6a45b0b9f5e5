import type {RuleRun} from '../context/rule-run.js';
import {EvalError} from '../diagnostic.js';

const none: Readonly<Record<string, string>> = Object.freeze({});

/** Labels of a namespace, none for one that does not exist. A look-up that fails is an error, never "no labels". */
export function namespaceLabels(namespace: string, run: RuleRun): Readonly<Record<string, string>> {
  try {
    return run.settle(`namespace:${namespace}`, options => run.loader.namespaceLabels(namespace, options)) ?? none;
  } catch (error) {
    if (!(error instanceof EvalError) || error.code === 'budget') throw error;
    throw new EvalError(`failed to get labels of namespace ${namespace}: ${error.message}`, 'namespace-labels');
  }
}
