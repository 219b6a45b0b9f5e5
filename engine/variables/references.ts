import {CompileError} from '../diagnostic.js';
import {isObject, type Json, type JsonObject, own, setOwn, toDouble, isNumber} from '../json/types.js';

const wholeReference = /^\$\(([^ )]+)\)/;
const innerReference = /([^\\])\$\(([^ )]+)\)/;
const operators = ['>=', '<=', '>', '<', '!'];
const maxDepth = 32;

/**
 * Replaces `$(./../path)` references by the leaf they name in the same document; a comparison operator in front of the
 * path is kept. Static: both ends are in the policy. `\$(` is literal text.
 */
export function resolveReferences(value: Json, path: string): Json {
  return mentionsReference(value) ? new Resolver(value, path).resolve(value, []) : value;
}

function mentionsReference(value: Json): boolean {
  if (typeof value === 'string') return value.includes('$(');
  if (Array.isArray(value)) return value.some(mentionsReference);
  return isObject(value) && Object.values(value).some(mentionsReference);
}

class Resolver {
  constructor(
    readonly document: Json,
    readonly path: string,
  ) {}

  resolve(value: Json, at: readonly string[], depth = 0): Json {
    if (typeof value === 'string') return value.includes('$(') ? this.#text(value, at, depth) : value;
    if (Array.isArray(value)) return value.map((item, index) => this.resolve(item, [...at, String(index)], depth));
    if (!isObject(value)) return value;
    const result: JsonObject = {};
    for (const [key, item] of Object.entries(value)) setOwn(result, key, this.resolve(item, [...at, key], depth));
    return result;
  }

  #text(text: string, at: readonly string[], depth: number): Json {
    if (depth > maxDepth) throw this.#error(text, 'references form a circle');
    let current = text;
    for (let count = 0; count < maxDepth; count++) {
      const whole = wholeReference.exec(current);
      const inner = whole === null ? innerReference.exec(current) : null;
      const found = whole?.[1] ?? inner?.[2];
      if (found === undefined) return current.replaceAll('\\$(', '$(');
      const {operator, target} = splitOperator(found);
      const leaf = this.#leaf(target, at, depth);
      if (whole !== null && whole[0] === current && operator === '') return leaf;
      const replacement = operator + leafText(leaf);
      const start = whole === null ? (inner?.index ?? 0) + 1 : 0;
      current = current.slice(0, start) + replacement + current.slice(start + found.length + 3);
    }
    throw this.#error(text, 'too many references in one value');
  }

  #leaf(target: string, at: readonly string[], depth: number): Json {
    const segments = target.startsWith('/') ? [] : [...at];
    for (const segment of target.split('/')) {
      if (segment === '' || segment === '.') continue;
      if (segment === '..') segments.pop();
      else segments.push(segment);
    }
    let value: Json | undefined = this.document;
    for (const segment of segments) {
      if (Array.isArray(value)) value = value[Number(segment)];
      else if (isObject(value)) value = findKey(value, segment);
      else value = undefined;
    }
    if (value === undefined || value === null || typeof value === 'object') {
      throw this.#error(`$(${target})`, 'a reference must name a leaf that exists');
    }
    return this.resolve(value, segments, depth + 1);
  }

  #error(expression: string, message: string): CompileError {
    return new CompileError({
      code: 'reference',
      message: `invalid reference ${expression}: ${message}`,
      path: this.path,
      expression,
    });
  }
}

/** Anchors in keys do not count for references. */
function findKey(value: JsonObject, segment: string): Json | undefined {
  const direct = own(value, segment);
  if (direct !== undefined) return direct;
  for (const key of Object.keys(value)) {
    if (/^[+<=X^]?\((.*)\)$/.exec(key)?.[1] === segment) return own(value, key);
  }
  return undefined;
}

function splitOperator(text: string): {operator: string; target: string} {
  const operator = operators.find(candidate => text.startsWith(candidate)) ?? '';
  return {operator, target: text.slice(operator.length)};
}

function leafText(leaf: Json): string {
  if (isNumber(leaf)) return typeof leaf === 'bigint' ? String(leaf) : String(toDouble(leaf));
  return String(leaf);
}
