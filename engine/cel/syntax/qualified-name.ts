import type {Expr} from './ast.js';

/** `a.b.c` of plain selections on a name, with its leading dot; `undefined` for everything else. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.kind === 'ident') return expr.name;
  if (expr.kind !== 'select' || expr.test || expr.optional) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}

/** The name that a chain of plain selections begins with. */
export function rootName(expr: Expr): string | undefined {
  let current = expr;
  while (current.kind === 'select' && !current.test && !current.optional) current = current.operand;
  return current.kind === 'ident' ? current.name : undefined;
}

/** Names with a leading dot are those without it, looked for among what is declared alone. */
export const withoutDot = (name: string): string => (name.startsWith('.') ? name.slice(1) : name);
