import type {Expr} from './ast.js';

/** Parts of an expression, in the order they are written. */
export function children(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [expr.operand];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.items.map(item => item.value);
    case 'map':
      return expr.entries.flatMap(entry => [entry.key, entry.value]);
    case 'message':
      return expr.fields.map(field => field.value);
    case 'loop':
      return expr.filter === undefined ? [expr.range, expr.body] : [expr.range, expr.filter, expr.body];
    case 'bind':
      return [expr.init, expr.body];
  }
}
