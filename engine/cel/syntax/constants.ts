import type {Literal} from './ast.js';
import {bytesValue, doubleValue, intValue, stringValue, uintValue} from './literals.js';
import type {Reader} from './reader.js';
import * as T from './tokens.js';

/** Stands for a literal that has an issue. */
const faulty = (at: number): Literal => ({kind: 'literal', type: 'null', value: null, at});

/** An int or double without its sign, which stands at `at` where there is one. */
export function number(reader: Reader, at: number, negative: boolean): Literal {
  const text = reader.text();
  const type = reader.kind === T.INT ? 'int' : 'double';
  const value = type === 'int' ? intValue(text, negative) : doubleValue(text, negative);
  reader.advance();
  if (value !== undefined) return {kind: 'literal', type, value, at};
  const hint = type === 'int' ? 'int has 64 bits; write 1e20 for a double, or "…" for text' : undefined;
  reader.fault(`invalid ${type} literal`, at, hint);
  return faulty(at);
}

/** Any other literal; the token at hand begins an operand that is no name and no bracket. */
export function constant(reader: Reader): Literal {
  const {at, kind} = reader;
  if (kind === T.INT || kind === T.DOUBLE) return number(reader, at, false);
  const text = reader.text();
  reader.advance();
  switch (kind) {
    case T.TRUE:
      return {kind: 'literal', type: 'bool', value: true, at};
    case T.FALSE:
      return {kind: 'literal', type: 'bool', value: false, at};
    case T.NULL:
      return {kind: 'literal', type: 'null', value: null, at};
    case T.UINT: {
      const value = uintValue(text.slice(0, -1));
      if (value !== undefined) return {kind: 'literal', type: 'uint', value, at};
      reader.fault('invalid uint literal', at);
      return faulty(at);
    }
    case T.STRING: {
      const value = stringValue(text);
      if (value !== undefined) return {kind: 'literal', type: 'string', value, at};
      reader.fault('invalid unicode code point', at);
      return faulty(at);
    }
    case T.BYTES: {
      const value = bytesValue(text);
      if (value !== undefined) return {kind: 'literal', type: 'bytes', value, at};
      reader.fault('unable to unescape string', at, '\\u and \\U belong to strings; write \\x.. in bytes');
      return faulty(at);
    }
    default:
      // A token that was left out uncovered one that begins no operand either.
      return reader.stop(`Syntax error: mismatched input '${text}' expecting ${T.expecting.operand}`, at);
  }
}
