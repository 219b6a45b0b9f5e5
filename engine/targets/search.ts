import {Budget} from '../budget.js';
import type {RuleRun} from '../context/rule-run.js';
import type {MaybePromise, ObjectSearch} from '../context-loader.js';
import {EvalError} from '../diagnostic.js';
import {isPromise} from '../context/suspend.js';
import {jsonSize} from '../json/size.js';
import {isObject, type Json, type JsonObject, own} from '../json/types.js';

/** Which objects of a collection are meant. */
export interface Wanted {
  /** Tells apart what is wanted of one collection: equal keys want the same. */
  readonly key: string;
  /** As the API server takes them; `test` judges all the same. */
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** Pure: it is asked more than once. */
  readonly test: (object: JsonObject) => boolean;
}

export const everyObject: Wanted = {key: '', test: () => true};

/**
 * Bytes of objects that the rules of one request may find, as JSON text. What a rule is to change may well be every object
 * of a kind, and does not count as context that its author loads; the memory of whoever works in the background bounds it.
 */
const maxFoundBytes = 96 * 1024 * 1024;
const foundBytes = new WeakMap<RuleRun, number>();
const unlimited = {steps: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY, deadline: Number.POSITIVE_INFINITY};

/** What the loader is asked for. It counts what is kept: to be made anew for each list. `what` is named in errors. */
export function searchOf(run: RuleRun, what: string, {labelSelector, fieldSelector, test}: Wanted): ObjectSearch {
  return {
    ...(labelSelector !== undefined && {labelSelector}),
    ...(fieldSelector !== undefined && {fieldSelector}),
    keep(object) {
      if (!test(object)) return false;
      const sum = (foundBytes.get(run) ?? 0) + jsonSize(object, new Budget(unlimited, () => 0));
      if (sum > maxFoundBytes) throw new EvalError(tooMuch(what), 'too-many-objects');
      foundBytes.set(run, sum);
      return true;
    },
  };
}

/** The wanted items of a list's answer, behind a function: `RuleRun` counts what it is given by the limit for context. */
export function foundIn(answer: MaybePromise<Json>, {test}: Wanted): MaybePromise<() => readonly JsonObject[]> {
  const choose = (list: Json) => {
    const items = isObject(list) ? own(list, 'items') : undefined;
    // Who answers from tables gives all there is.
    const found = Array.isArray(items) ? items.filter(isObject).filter(test) : [];
    return () => found;
  };
  return isPromise(answer) ? answer.then(choose) : choose(answer);
}

function tooMuch(what: string): string {
  return `the objects of ${what} that the rule means take more than ${maxFoundBytes / 1024 / 1024} MiB: narrow them by name, namespace or selector, or split the rule by namespaces`;
}
