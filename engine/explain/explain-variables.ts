import type {CompiledEntry} from '../context/compile-entry.js';
import type {RuleScope} from '../context/rule-scope.js';
import {BudgetError, EvalError} from '../diagnostic.js';
import {isObject, type Json} from '../json/types.js';
import {findVariables} from '../variables/scan.js';
import {compileTemplate, type DocumentPath} from '../variables/template.js';
import type {VariableValue} from './types.js';

const deepest = 400;
/** A rule that holds more distinct expressions is explained by these. */
const maxExpressions = 200;

/** Collects what context entries and expressions came to while a rule is walked. */
export class VariableLog {
  readonly #found = new Map<string, VariableValue>();

  get values(): readonly VariableValue[] {
    return [...this.#found.values()];
  }

  /** The same entries, noting each value when it is first asked for. */
  watch(entries: readonly CompiledEntry[], path: string): readonly CompiledEntry[] {
    return entries.map((entry, index) => {
      const at = `${path}[${index}]`;
      this.#note({name: entry.name, source: 'context', path: at, unused: true});
      return {
        ...entry,
        evaluate: scope => {
          try {
            const value = entry.evaluate(scope);
            this.#note({name: entry.name, source: 'context', path: at, value: below(value, entry.name)});
            return value;
          } catch (error) {
            if (error instanceof EvalError)
              this.#note({name: entry.name, source: 'context', path: at, error: error.message});
            throw error;
          }
        },
      };
    });
  }

  /** Evaluates each expression of a part of the rule that has been evaluated as a whole before. */
  expressions(part: Json | undefined, path: string, scope: RuleScope, document?: DocumentPath): void {
    for (const expression of expressionsOf(part, 0)) {
      const key = `${path}\n${expression}`;
      if (this.#found.has(key) || this.#found.size >= maxExpressions) continue;
      try {
        const value = compileTemplate(`{{ ${expression} }}`, path, document === undefined ? {} : {document}).evaluate(
          scope,
        );
        this.#found.set(key, {name: expression, source: 'expression', path, value});
      } catch (error) {
        if (!(error instanceof EvalError) || error instanceof BudgetError) throw error;
        this.#found.set(key, {name: expression, source: 'expression', path, error: error.message});
      }
    }
  }

  #note(value: VariableValue): void {
    this.#found.set(`${value.path}\n${value.name}`, value);
  }
}

/** An entry `a.b` evaluates to `{b: …}`: what is shown is what the name stands for. */
function below(value: Json, name: string): Json {
  let current = value;
  for (const key of name.split('.').slice(1)) {
    if (!isObject(current) || !Object.hasOwn(current, key)) return value;
    current = current[key]!;
  }
  return current;
}

function* expressionsOf(part: Json | undefined, depth: number): Generator<string> {
  if (part === undefined || depth > deepest) return;
  if (typeof part === 'string') {
    // `{{@}}` depends on its place; the node that holds it shows its value.
    for (const {expression} of findVariables(part))
      if (!expression.includes('@') || expression.includes('[')) yield expression;
  } else if (Array.isArray(part)) {
    for (const item of part) yield* expressionsOf(item, depth + 1);
  } else if (isObject(part)) {
    for (const key of Object.keys(part)) {
      yield* expressionsOf(key, depth + 1);
      yield* expressionsOf(part[key], depth + 1);
    }
  }
}
