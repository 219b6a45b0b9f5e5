import {enclosed} from '../../engine/cel-policies/autogen/rewrite-expression.js';
import {scanTokens} from '../../engine/cel-policies/autogen/scan-tokens.js';
import type {CelException, NamedExpression} from '../../engine/cel-policies/model.js';
import type {PolicyException} from '../../engine/cel-policies/run/exceptions.js';

/** What exceptions of a policy are to the API server. */
export interface ExceptionParts {
  /** Requests that an exception frees wholly do not match. */
  readonly conditions: readonly NamedExpression[];
  /** What the others allow, for the policy's expressions; only those that are read. */
  readonly variables: readonly NamedExpression[];
  /** The expression with `exceptions.…` read from those variables. */
  readonly rewrite: (expression: string) => string;
  /** When the first of them ends. */
  readonly until: number | undefined;
}

export interface ExceptionUse {
  readonly exceptions: readonly PolicyException[];
  /** The policy's own. */
  readonly conditions: readonly NamedExpression[];
  readonly variables: readonly NamedExpression[];
  /** Every expression that may read `exceptions`. */
  readonly expressions: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const fields = ['allowedImages', 'allowedValues'] as const;
type Field = (typeof fields)[number];

export function exceptionParts(use: ExceptionUse): ExceptionParts {
  const live = use.exceptions.filter(({source}) => source.expiresAt === undefined || source.expiresAt > use.now);
  const isFull = ({source}: PolicyException) => source.images.length === 0 && source.allowedValues.length === 0;
  const full = live.filter(isFull);
  const parts = live.filter(exception => !isFull(exception));
  const names = new Set(use.conditions.map(({name}) => name));
  const conditions = full.map(exception => ({name: freeName(conditionName(exception.source), names, '-'), expression: negated(exception)}));
  const variableNames = new Set(use.variables.map(({name}) => name));
  const renamed = new Map<string, string>();
  const variables = fields.flatMap((field): NamedExpression[] => {
    if (!use.expressions.some(expression => readsOf(expression).has(field))) return [];
    const name = freeName(field, variableNames, '_');
    renamed.set(field, name);
    return [{name, expression: allowed(parts, field)}];
  });
  const ends = live.flatMap(({source}) => (source.expiresAt === undefined ? [] : [source.expiresAt]));
  return {
    conditions,
    variables,
    rewrite: expression => rewriteReads(expression, renamed),
    until: ends.length === 0 ? undefined : Math.min(...ends),
  };
}

/** The condition's own name where there is just one, as users look for it; else the exception's. */
function conditionName({matchConditions, name}: CelException): string {
  const [only] = matchConditions;
  return matchConditions.length === 1 && only !== undefined ? only.name : name;
}

function freeName(wanted: string, taken: Set<string>, joint: string): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number += 1) name = `${wanted}${joint}${number}`;
  taken.add(name);
  return name;
}

function negated(exception: PolicyException): string {
  const applies = appliesWhen(exception);
  return applies === undefined ? 'false' : `!${enclosed(applies)}`;
}

/** `undefined` = always. All its conditions have to hold. */
function appliesWhen({source, confined}: PolicyException): string | undefined {
  const expressions = source.matchConditions.map(({expression}) => expression.trim());
  if (confined) expressions.unshift(insideOf(source.namespace));
  if (expressions.length < 2) return expressions[0];
  return expressions.map(enclosed).join(' && ');
}

/** The Namespace object itself is not in its namespace. */
function insideOf(namespace: string): string {
  return `has(request.namespace) && request.namespace == ${quoted(namespace)} && !(request.kind.group == "" && request.kind.kind == "Namespace")`;
}

function allowed(parts: readonly PolicyException[], field: Field): string {
  const lists = parts.flatMap(exception => {
    const values = field === 'allowedImages' ? exception.source.images : exception.source.allowedValues;
    if (values.length === 0) return [];
    const list = `[${values.map(quoted).join(', ')}]`;
    const applies = appliesWhen(exception);
    return [applies === undefined ? list : `(${enclosed(applies)} ? ${list} : [])`];
  });
  return lists.length === 0 ? '[]' : lists.join(' + ');
}

/** A CEL literal in single quotes. */
export function quoted(text: string): string {
  const escaped = text.replace(/[\\']/g, character => `\\${character}`).replace(/\p{Cc}/gu, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `'${escaped}'`;
}

interface Read {
  readonly field: string;
  readonly start: number;
  readonly end: number;
}

function reads(expression: string): Read[] {
  const tokens = scanTokens(expression);
  return tokens.flatMap((token, index): Read[] => {
    const [before, dot, field] = [tokens[index - 1], tokens[index + 1], tokens[index + 2]];
    if (token.kind !== 'name' || token.text !== 'exceptions' || before?.text === '.') return [];
    if (dot?.text !== '.' || field?.kind !== 'name') return [];
    return [{field: field.text, start: token.start, end: field.end}];
  });
}

function readsOf(expression: string): Set<string> {
  return new Set(expression.includes('exceptions') ? reads(expression).map(({field}) => field) : []);
}

function rewriteReads(expression: string, names: ReadonlyMap<string, string>): string {
  if (names.size === 0) return expression;
  let out = '';
  let at = 0;
  for (const {field, start, end} of reads(expression)) {
    const name = names.get(field);
    if (name === undefined) continue;
    out += `${expression.slice(at, start)}variables.${name}`;
    at = end;
  }
  return out + expression.slice(at);
}
