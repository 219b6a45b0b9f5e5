/** What a key or a text of an assertion tree says, apart from its place. */
export interface Statement {
  /** Each element of what the key selects, instead of the whole. */
  readonly each: boolean;
  /** Name that the element's index (or key) is bound to. */
  readonly indexName: string | undefined;
  /** Name that the selected value is bound to below. */
  readonly binding: string | undefined;
  /** Another expression language than the default: `(cel; …)`. */
  readonly language: string | undefined;
  /** An expression, or a name (a value) as it is. */
  readonly kind: 'expression' | 'literal';
  readonly text: string;
}

const escaped = /^\\(.+)\\$/s;
const forEach = /^~(\w*)\.(.+)$/s;
const forward = /^(.+?)\s*->\s*(\w+)$/s;
const parenthesised = /^\((.+)\)$/s;
const language = /^(\w+);(.+)$/s;

/** `name`, `(expr)`, `~.name`, `~i.(expr)`, `(expr)->x`; `\…\` around a text takes it as it is. */
export function parseKey(key: string): Statement {
  const whole = escaped.exec(key);
  if (whole !== null) return literal(whole[1]!);
  const each = forEach.exec(key);
  const rest = each === null ? key : each[2]!;
  const bound = forward.exec(rest);
  return {
    ...parseText(bound === null ? rest : bound[1]!),
    each: each !== null,
    indexName: each?.[1] || undefined,
    binding: bound?.[2],
  };
}

/** A text as a value: `(expr)` or itself. */
export function parseText(text: string): Statement {
  const whole = escaped.exec(text);
  if (whole !== null) return literal(whole[1]!);
  const expression = parenthesised.exec(text);
  if (expression === null) return literal(text);
  const named = language.exec(expression[1]!);
  return {...literal(named === null ? expression[1]! : named[2]!), kind: 'expression', language: named?.[1]};
}

function literal(text: string): Statement {
  return {each: false, indexName: undefined, binding: undefined, language: undefined, kind: 'literal', text};
}
