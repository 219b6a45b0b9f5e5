import {findVariables} from '../variables/scan.js';
import {quoted, Unconvertible} from './code.js';
import {outerCall, type QueryScope, queryValue} from './query.js';
import {literalValue, textOf, type Value, value} from './value.js';

/** A text that may hold variables: what it gives. A text that is one variable keeps the variable's type. */
export function templateValue(text: string, path: string, scope: QueryScope): Value {
  const spans = findVariables(text);
  const [only] = spans;
  if (only === undefined) return literalValue(text.replaceAll('\\{{', '{{'))!;
  if (spans.length === 1 && only.start === 0 && only.end === text.length) return queryValue(only.expression, path, scope);
  // A variable inside of a query's quotes is a text of that query.
  const outer = /^\{\{(.*)\}\}$/s.exec(text.trim());
  if (outer !== null && spans.some(span => span.start > 1)) return nested(outer[1]!.trim(), path, scope);
  return value(concatenation(text, path, scope), 'text');
}

/** `'{{ inner }}'` in a query is a text that the outer query sees. */
function nested(query: string, path: string, scope: QueryScope): Value {
  const outer: Value[] = [];
  const flat = query.replace(/'\{\{(.*?)\}\}'/gs, (_whole, inner: string) => {
    outer.push(queryValue(inner.trim(), path, scope));
    return outerCall(outer.length - 1);
  });
  if (findVariables(flat).length > 0) return value(concatenation(`{{${query}}}`, path, scope), 'text');
  return queryValue(flat, path, {root: name => scope.root(name), outer});
}

/** `'text ' + string(…)`. */
export function concatenation(text: string, path: string, scope: QueryScope): string {
  const parts: string[] = [];
  let from = 0;
  const add = (literal: string) => {
    if (/(?<!\\)\{\{/.test(literal)) throw new Unconvertible(path, 'a variable inside of another variable');
    if (literal !== '') parts.push(quoted(literal.replaceAll('\\{{', '{{')));
  };
  for (const {start, end, expression} of findVariables(text)) {
    add(text.slice(from, start));
    parts.push(textOf(queryValue(expression, path, scope)));
    from = end;
  }
  add(text.slice(from));
  return parts.length === 0 ? "''" : parts.join(' + ');
}
