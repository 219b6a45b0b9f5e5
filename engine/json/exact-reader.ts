import {numberFromToken} from './number.js';
import {maxDepth, stringEnd} from './scan.js';
import {type Json, type JsonObject, setOwn} from './types.js';

const numberToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON strings may not hold
const needsDecoding = /[\\\u0000-\u001f]/;
const blank = /[ \t\n\r]*/y;
const literals: readonly (readonly [string, Json])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

interface Frame {
  readonly list: Json[] | undefined;
  readonly object: JsonObject | undefined;
  key: string;
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function skipBlank(text: string, at: number): number {
  blank.lastIndex = at;
  blank.exec(text);
  return blank.lastIndex;
}

/** `SyntaxError` that names line and column (1-based) and what stands there. */
export function jsonError(text: string, at: number, problem: string): SyntaxError {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  return new SyntaxError(`invalid JSON at line ${line}, column ${column}: ${problem}`);
}

function unexpected(text: string, at: number, wanted: string): SyntaxError {
  const found = at >= text.length ? 'end of text' : JSON.stringify(String.fromCodePoint(text.codePointAt(at)!));
  return jsonError(text, at, `expected ${wanted}, found ${found}`);
}

/** Reads JSON token by token, without recursion, every number exact. Strict RFC 8259; of equal keys the last wins. */
export function readExact(text: string): Json {
  let at = skipBlank(text, 0);
  const stack: Frame[] = [];

  function readString(wanted: string): string {
    if (text[at] !== '"') throw unexpected(text, at, wanted);
    const end = stringEnd(text, at);
    const body = text.slice(at + 1, end);
    if (!needsDecoding.test(body) && end < text.length) {
      at = end + 1;
      return body;
    }
    try {
      const value = JSON.parse(text.slice(at, end + 1)) as string;
      at = end + 1;
      return value;
    } catch {
      throw jsonError(text, at, 'string with a bad escape, a control character or no end');
    }
  }

  function readKey(frame: Frame): void {
    frame.key = readString('an object key');
    at = skipBlank(text, at);
    if (text[at] !== ':') throw unexpected(text, at, '":"');
    at = skipBlank(text, at + 1);
  }

  function readScalar(): Json {
    const char = text[at];
    if (char === '"') return readString('a value');
    for (const [word, value] of literals) {
      if (text.startsWith(word, at)) {
        at += word.length;
        return value;
      }
    }
    const token = matchAt(numberToken, text, at);
    if (token === undefined) throw unexpected(text, at, 'a value');
    const value = numberFromToken(token);
    if (value === undefined) throw jsonError(text, at, 'number beyond the range of a double');
    at += token.length;
    return value;
  }

  for (;;) {
    let value: Json;
    const char = text[at];
    if (char === '{' || char === '[') {
      if (stack.length >= maxDepth) throw jsonError(text, at, `nested deeper than ${maxDepth} levels`);
      const frame: Frame =
        char === '[' ? {list: [], object: undefined, key: ''} : {list: undefined, object: {}, key: ''};
      at = skipBlank(text, at + 1);
      if (text[at] === (frame.list ? ']' : '}')) {
        at = skipBlank(text, at + 1);
        value = frame.list ?? frame.object!;
      } else {
        if (frame.object) readKey(frame);
        stack.push(frame);
        continue;
      }
    } else {
      value = readScalar();
      at = skipBlank(text, at);
    }
    // Hand the finished value to its parent; a parent that closes here is itself a finished value.
    for (;;) {
      const parent = stack.at(-1);
      if (!parent) {
        if (at < text.length) throw unexpected(text, at, 'end of text');
        return value;
      }
      if (parent.list) parent.list.push(value);
      else setOwn(parent.object!, parent.key, value);
      const closer = parent.list ? ']' : '}';
      if (text[at] === ',') {
        at = skipBlank(text, at + 1);
        if (parent.object) readKey(parent);
        break;
      }
      if (text[at] !== closer) throw unexpected(text, at, `"," or "${closer}"`);
      at = skipBlank(text, at + 1);
      stack.pop();
      value = parent.list ?? parent.object!;
    }
  }
}
