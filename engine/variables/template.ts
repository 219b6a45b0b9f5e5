import {CompileError, EvalError} from '../diagnostic.js';
import {isObject, type Json, type JsonObject, setOwn} from '../json/types.js';
import {stringifyJson} from '../json/stringify.js';
import {compileQuery, UnknownKeyError} from '../jmespath/index.js';
import type {CompiledQuery, FunctionEnv, LazyRoot} from '../jmespath/types.js';
import {findVariables, type VariableSpan} from './scan.js';
import {selfExpression} from './self-reference.js';
import {resolveReferences} from './references.js';
import type {Template} from './types.js';

/** What a template is evaluated in: the variable context of a rule. */
export interface TemplateScope {
  readonly root: LazyRoot;
  readonly env: FunctionEnv;
  /** On DELETE `request.object` in expressions stands for `request.oldObject`. */
  readonly deleting: boolean;
}

/** A place in a rule document, e.g. `['mutate', 'patchStrategicMerge', 'spec']`; the base of `{{@}}`. */
export type DocumentPath = ReadonlyArray<string | number>;

export interface TemplateOptions {
  /** Where the value stands in its rule; needed by `{{@}}`. */
  readonly document?: DocumentPath;
  /** `target` when the rule changes existing objects. */
  readonly self?: 'request.object' | 'target';
}

type Node = (scope: TemplateScope, at: string) => Json;

/** Compiles every string leaf and map key of a value; values without variables become one constant. */
export function compileTemplate(value: Json, path: string, options: TemplateOptions = {}): Template<TemplateScope> {
  const compiler = new TemplateCompiler(path, options);
  // A text on its own (a message, a URL) has no siblings that a reference could name.
  const resolved = typeof value === 'string' ? value : resolveReferences(value, path);
  const node = compiler.compile(resolved, options.document ?? []);
  if (node === undefined) return {isStatic: true, evaluate: () => resolved};
  return {isStatic: false, evaluate: scope => node(scope, '')};
}

class TemplateCompiler {
  constructor(
    readonly path: string,
    readonly options: TemplateOptions,
  ) {}

  /** `undefined` = static. */
  compile(value: Json, document: DocumentPath): Node | undefined {
    if (typeof value === 'string') return this.#text(value, document);
    if (Array.isArray(value)) return this.#list(value, document);
    return isObject(value) ? this.#map(value, document) : undefined;
  }

  #list(value: Json[], document: DocumentPath): Node | undefined {
    const nodes = value.map((item, index) => this.compile(item, [...document, index]));
    if (nodes.every(node => node === undefined)) return undefined;
    return (scope, at) => {
      scope.env.budget.step(value.length);
      return nodes.map((node, index) => (node === undefined ? (value[index] as Json) : node(scope, `${at}/${index}`)));
    };
  }

  #map(value: JsonObject, document: DocumentPath): Node | undefined {
    const entries = Object.entries(value).map(([key, item]) => ({
      key,
      keyNode: this.#text(key, document),
      item,
      node: this.compile(item, [...document, key]),
    }));
    if (entries.every(entry => entry.node === undefined && entry.keyNode === undefined)) return undefined;
    return (scope, at) => {
      scope.env.budget.step(entries.length);
      const result: JsonObject = {};
      for (const {key, keyNode, item, node} of entries) {
        const name = keyNode === undefined ? key : substitutedKey(key, keyNode(scope, at));
        setOwn(result, name, node === undefined ? item : node(scope, `${at}/${key}`));
      }
      return result;
    };
  }

  #text(text: string, document: DocumentPath): Node | undefined {
    if (!text.includes('{{')) return undefined;
    const spans = findVariables(text);
    if (spans.length === 0) {
      const literal = unescape(text);
      return literal === text ? undefined : () => literal;
    }
    const pieces = spans.map(span => this.#expression(span.expression, span.shallow, document));
    const [only] = pieces;
    if (pieces.length === 1 && only !== undefined && spans[0]?.start === 0 && spans[0].end === text.length) {
      return (scope, at) => only.evaluate(scope, at);
    }
    const literals = [text.slice(0, spans[0]?.start)];
    spans.forEach((span, index) => {
      literals.push(text.slice(span.end, spans[index + 1]?.start ?? text.length));
    });
    return (scope, at) => {
      let result = literals[0] ?? '';
      pieces.forEach((piece, index) => {
        const inserted = insertion(piece.evaluate(scope, at), piece.shallow);
        // Piece by piece: many references to one large value must not be put together before they are counted.
        scope.env.budget.bytes(inserted.length);
        result += inserted + (literals[index + 1] ?? '');
      });
      return result.includes('{{') ? this.#again(result, scope, at, document) : result;
    };
  }

  /** Values that came in may hold variables themselves: substitution repeats until none is left. */
  #again(text: string, scope: TemplateScope, at: string, document: DocumentPath): Json {
    let current = text;
    for (;;) {
      scope.env.budget.step(1 + current.length);
      const span = findVariables(current)[0];
      if (span === undefined) return unescape(current);
      const value = this.#late(span, document).evaluate(scope, at);
      if (span.start === 0 && span.end === current.length) return value;
      current = current.slice(0, span.start) + insertion(value, span.shallow) + current.slice(span.end);
      scope.env.budget.bytes(current.length);
    }
  }

  /** An expression that only exists at run time: a fault in it is the evaluation's, not the policy's. */
  #late(span: VariableSpan, document: DocumentPath): Expression {
    try {
      return this.#expression(span.expression, span.shallow, document);
    } catch (error) {
      if (error instanceof CompileError) throw new EvalError(`JMESPath query failed: ${error.message}`);
      throw error;
    }
  }

  #expression(expression: string, shallow: boolean, document: DocumentPath): Expression {
    const text = expression === '@' ? selfExpression(document, this.options.self ?? 'request.object') : expression;
    try {
      return new Expression(text, shallow);
    } catch (error) {
      if (!(error instanceof CompileError)) throw error;
      throw new CompileError({...error.diagnostic, path: this.path, expression: text});
    }
  }
}

/** One `{{ … }}`: its query, and the query that DELETE requests use. */
class Expression {
  readonly #query: CompiledQuery;
  #onDelete: CompiledQuery | undefined;

  constructor(
    readonly text: string,
    readonly shallow: boolean,
  ) {
    this.#query = compileQuery(text);
  }

  evaluate(scope: TemplateScope, at: string): Json {
    try {
      return this.#for(scope.deleting).evaluate(scope.root, scope.env);
    } catch (error) {
      if (error instanceof EvalError && error.code !== 'budget') throw new UnresolvedVariable(this.text, at, error);
      throw error;
    }
  }

  #for(deleting: boolean): CompiledQuery {
    if (!deleting || !this.text.includes('request.object')) return this.#query;
    const query = this.#onDelete ?? compileQuery(this.text.replaceAll('request.object', 'request.oldObject'));
    this.#onDelete = query;
    return query;
  }
}

/** An expression that could not be evaluated, with its place in the substituted value. */
export class UnresolvedVariable extends EvalError {
  readonly unknownKey: boolean;

  constructor(expression: string, at: string, cause: EvalError) {
    const text = cause instanceof UnresolvedVariable ? cause.message : `JMESPath query failed: ${cause.message}`;
    super(`failed to resolve ${expression} at path ${at}: ${text}`, 'variable-unresolved');
    this.unknownKey = cause instanceof UnknownKeyError || (cause instanceof UnresolvedVariable && cause.unknownKey);
  }
}

function substitutedKey(key: string, value: Json): string {
  if (typeof value === 'string') return value;
  if (value === null) return key;
  throw new EvalError(`expected string after substituting variables in key "${key}"`);
}

function insertion(value: Json, shallow: boolean): string {
  const text = typeof value === 'string' ? value : stringifyJson(value);
  return shallow ? text.replaceAll('{{', '\\{{') : text;
}

function unescape(text: string): string {
  return text.replaceAll('\\{{', '{{');
}
