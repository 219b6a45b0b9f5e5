import type {Expr, ListExpr, MapExpr, MessageExpr} from './ast.js';
import type {ParseOptions} from './parse.js';
import {type Reader, startsOperand} from './reader.js';
import * as T from './tokens.js';

/** What the rules of the grammar share. */
export interface Grammar {
  readonly reader: Reader;
  readonly options: ParseOptions;
  expression(): Expr;
}

/** `[a, ?b, …]`. */
export function list(grammar: Grammar): ListExpr {
  const {reader} = grammar;
  const at = reader.at;
  const items: {value: Expr; optional: boolean}[] = [];
  elements(reader, listShape, optional => {
    items.push({value: grammar.expression(), optional});
  });
  return {kind: 'list', items, at};
}

/** `{k: v, ?k: v, …}`. */
export function map(grammar: Grammar): MapExpr {
  const {reader} = grammar;
  const at = reader.at;
  const entries: MapExpr['entries'][number][] = [];
  elements(reader, mapShape, optional => {
    const key = grammar.expression();
    const height = reader.height;
    const place = reader.at;
    reader.colon();
    const value = grammar.expression();
    reader.height = Math.max(height, reader.height);
    entries.push({key, value, optional, at: place});
  });
  return {kind: 'map', entries, at};
}

/** `Name{field: v, ?field: v, …}` from its brace on. */
export function message(grammar: Grammar, name: string): MessageExpr {
  const {reader} = grammar;
  const at = reader.at;
  const fields: MessageExpr['fields'][number][] = [];
  elements(reader, messageShape, optional => {
    const field = reader.fieldName();
    if (field === undefined) {
      reader.unexpected(T.expecting.fieldName, false);
      return;
    }
    const place = reader.at;
    reader.colon();
    fields.push({name: field, value: grammar.expression(), optional, at: place});
  });
  return {kind: 'message', name, fields, at};
}

interface Shape {
  readonly closing: number;
  readonly begins: (kind: number) => boolean;
  /** Told where neither an element nor the end stands, and where an element is not followed by a comma or the end. */
  readonly element: string;
  readonly end: string;
}

const listShape: Shape = {
  closing: T.RBRACKET,
  begins: startsOperand,
  element: T.expecting.listItem,
  end: T.expecting.listEnd,
};
const mapShape: Shape = {...listShape, closing: T.RBRACE, element: T.expecting.mapEntry, end: T.expecting.mapEnd};
const messageShape: Shape = {
  closing: T.RBRACE,
  begins: kind => kind === T.IDENT || kind === T.QUOTED_IDENT,
  element: T.expecting.field,
  end: T.expecting.mapEnd,
};

/** Reads from bracket to bracket. One comma may stand before the end, even alone. */
function elements(reader: Reader, {closing, begins, element, end}: Shape, read: (optional: boolean) => void): void {
  let height = 0;
  reader.begin();
  if (reader.kind === T.COMMA && reader.ahead(1) === closing) reader.advance();
  while (reader.kind !== closing) {
    const optional = reader.kind === T.QUESTION;
    if (optional) reader.advance();
    if (!begins(reader.kind)) reader.unexpected(element, begins(reader.ahead(1)) || reader.ahead(1) === closing);
    if (reader.kind === closing) break;
    read(optional);
    height = Math.max(height, reader.height);
    if (reader.kind !== T.COMMA) break;
    reader.advance();
  }
  reader.close(closing, end);
  reader.grow(height);
}
