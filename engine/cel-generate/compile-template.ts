import type {Program} from '../cel/environment.js';
import {toJson, valueText} from '../cel/values/index.js';
import type {Value} from '../cel/values/value.js';
import type {CelScope, CompileTools} from '../cel-policies/types.js';
import {EvalError} from '../diagnostic.js';
import {isNumber, isObject, type Json, type JsonObject, setOwn} from '../json/types.js';
import {parseYamlDocuments} from '../yaml/index.js';
import {splitPlaceholders} from './placeholders.js';

/** A template with everything known beforehand done: documents → objects. */
export type CompiledTemplate = (scope: CelScope) => JsonObject[];

type Node = (scope: CelScope) => Json;

interface Place {
  readonly tools: CompileTools;
  /** Of the template in the policy. */
  readonly path: string;
  readonly document: number;
}

/** Reads a template's YAML and compiles its placeholders; faults are told, and the rest is still looked at. */
export function compileTemplate(
  {value, interpolate}: {readonly value: string; readonly interpolate: 'none' | 'cel'},
  tools: CompileTools,
  path: string,
): CompiledTemplate {
  const documents = parseYamlDocuments(value);
  const renders: Array<{readonly number: number; readonly render: Node}> = [];
  documents.forEach(({value: content, error}, index) => {
    const number = index + 1;
    if (error !== undefined) {
      tools.fault(path, `document ${number}: line ${error.line}: ${error.message}`);
      return;
    }
    if (content === null) return;
    if (!isObject(content)) {
      tools.fault(path, `document ${number} must be a mapping`);
      return;
    }
    const place: Place = {tools, path, document: number};
    renders.push({number, render: interpolate === 'cel' ? compileNode(content, '', place) : () => content});
  });
  if (renders.length === 0) tools.fault(path, 'the template holds no document');
  return scope => renders.map(({render}) => render(scope) as JsonObject);
}

function compileNode(value: Json, field: string, place: Place): Node {
  if (typeof value === 'string') return compileScalar(value, field, place);
  if (Array.isArray(value)) {
    const items = value.map((item, index) => compileNode(item, `${field}[${index}]`, place));
    return scope => items.map(item => item(scope));
  }
  if (!isObject(value)) return () => value;
  const entries = Object.entries(value).map(([key, item]): [string, Node] => {
    const below = field === '' ? key : `${field}.${key}`;
    if (key.includes('((') && !key.includes('\\((')) {
      place.tools.fault(place.path, `document ${place.document}: field ${JSON.stringify(below)}: placeholders are not allowed in keys`);
    }
    return [key, compileNode(item, below, place)];
  });
  return scope => {
    const object: JsonObject = {};
    for (const [key, item] of entries) setOwn(object, key, item(scope));
    return object;
  };
}

function compileScalar(text: string, field: string, {tools, path, document}: Place): Node {
  if (!text.includes('((')) return () => text;
  const where = `document ${document}: field ${JSON.stringify(field)}`;
  const split = splitPlaceholders(text);
  if ('error' in split) {
    tools.fault(path, `${where}: ${split.error}`);
    return () => text;
  }
  const parts = split.parts.map(part => {
    if (typeof part === 'string') return part;
    const program = tools.compile(part.expression, path);
    return program === undefined ? '' : {expression: part.expression, program};
  });
  const [only] = parts;
  const evaluate = (program: Program, scope: CelScope): Value => within(where, () => program.evaluate(scope.bindings, scope.host));
  // A scalar that is one placeholder takes whatever comes out.
  if (parts.length === 1 && only !== undefined && typeof only !== 'string') return scope => within(where, () => toJson(evaluate(only.program, scope)));
  return scope => {
    let out = '';
    for (const part of parts) {
      const piece = typeof part === 'string' ? part : scalarText(part.expression, evaluate(part.program, scope), where);
      scope.host.budget.bytes(piece.length);
      out += piece;
    }
    return out;
  };
}

function scalarText(expression: string, value: Value, where: string): string {
  const json = within(where, () => toJson(value));
  if (typeof json === 'string') return json;
  if (typeof json === 'boolean' || isNumber(json)) return valueText(value);
  const what = json === null ? 'null' : Array.isArray(json) ? 'list' : 'map';
  throw new EvalError(
    `failed to render generation template: ${where}: placeholder ${JSON.stringify(expression)} embedded in a string must evaluate to a scalar, got ${what}; use a whole-value placeholder for structured results`,
  );
}

function within<T>(where: string, body: () => T): T {
  try {
    return body();
  } catch (thrown) {
    if (thrown instanceof EvalError && thrown.code !== 'budget' && !thrown.message.startsWith('failed to render')) {
      throw new EvalError(`failed to render generation template: ${where}: ${thrown.message}`, thrown.code);
    }
    throw thrown;
  }
}
