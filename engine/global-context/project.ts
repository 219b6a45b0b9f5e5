import {defaultLimits} from '../budget.js';
import type {ContextLoader} from '../context-loader.js';
import {RuleRun} from '../context/rule-run.js';
import {EvalError} from '../diagnostic.js';
import type {Json} from '../json/types.js';
import type {RegexEngine} from '../regex/types.js';
import type {ResourceMap} from '../resource-map.js';
import type {Projection} from './load-entry.js';

export type Projected = {readonly value: Json} | {readonly error: string};

export interface ProjectOptions {
  readonly loader: ContextLoader;
  readonly regex: RegexEngine;
  readonly resources: ResourceMap;
}

/** What each projection makes of the value; one that fails leaves the others. */
export function projectAll(value: Json, projections: readonly Projection[], options: ProjectOptions): Map<string, Projected> {
  const run = new RuleRun({...options, limits: {...defaultLimits, steps: 50_000_000, bytes: 64 * 1024 * 1024}, operatorNamespace: ''});
  return new Map(
    projections.map(({name, query}): [string, Projected] => {
      run.startRule();
      try {
        return [name, {value: query.evaluate(value, run)}];
      } catch (error) {
        if (error instanceof EvalError) return [name, {error: error.message}];
        return [name, {error: 'a projection cannot wait for what it looks up'}];
      }
    }),
  );
}
