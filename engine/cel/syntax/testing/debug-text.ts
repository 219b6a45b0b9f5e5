import {Float} from '../../../json/types.js';
import type {Uint} from '../../values/value.js';
import type {Expr, Literal, Loop} from '../ast.js';

/** Adds to the text of a node; `entry` for entries of maps and messages, `made` for nodes of unfolded macros. */
export type Adorn = (node: Expr | 'entry' | 'list' | 'call' | 'ident' | 'bool' | 'int') => string;

const kinds: Readonly<Record<string, string>> = {
  ident: 'Expr_IdentExpr',
  select: 'Expr_SelectExpr',
  call: 'Expr_CallExpr',
  list: 'Expr_ListExpr',
  map: 'Expr_StructExpr',
  message: 'Expr_StructExpr',
  loop: 'Expr_ComprehensionExpr',
  bind: 'Expr_ComprehensionExpr',
  entry: 'Expr_CreateStruct_Entry',
  null: 'Constant_NullValue',
  bool: 'Constant_BoolValue',
  int: 'Constant_Int64Value',
  uint: 'Constant_Uint64Value',
  double: 'Constant_DoubleValue',
  string: 'Constant_StringValue',
  bytes: 'Constant_BytesValue',
};

/** cel-go's marks of node kinds. */
export const adornKind: Adorn = node => {
  if (typeof node === 'string') return `^#*expr.${kinds[node]}#`;
  const kind = node.kind === 'literal' ? node.type : node.kind === 'select' && node.optional ? 'call' : node.kind;
  return `^#*expr.${kinds[kind]}#`;
};

/** What the text cannot show. */
export class NotShown {
  constructor(readonly reason: string) {}
}

/** A tree in the form of cel-go's `ToDebugString`, macros unfolded as cel-go does. Throws `NotShown`. */
export function debugText(expr: Expr, adorn: Adorn, indent = 0): string {
  return body(expr, adorn, indent) + adorn(expr);
}

function body(expr: Expr, adorn: Adorn, indent: number): string {
  const inner = (node: Expr): string => debugText(node, adorn, indent + 1);
  switch (expr.kind) {
    case 'literal':
      return literal(expr);
    case 'ident':
      return expr.name;
    case 'select': {
      if (expr.optional) {
        const field: Expr = {kind: 'literal', type: 'string', value: expr.field, at: 0};
        return `_?._(${lines([inner(expr.operand), inner(field)], indent)})`;
      }
      return `${debugText(expr.operand, adorn, indent)}.${expr.field}${expr.test ? '~test-only~' : ''}`;
    }
    case 'call': {
      if (expr.name.startsWith('math.@')) throw new NotShown('recorded without the macros of math');
      const target = expr.target === undefined ? '' : `${debugText(expr.target, adorn, indent)}.`;
      return `${target}${expr.name}(${lines(expr.args.map(inner), indent)})`;
    }
    case 'list':
      return `[${lines(
        expr.items.map(item => {
          if (item.optional) throw new NotShown('optional elements are not in the text');
          return inner(item.value);
        }),
        indent,
      )}]`;
    case 'map':
      return `{${lines(
        expr.entries.map(
          ({key, value, optional}) => `${optional ? '?' : ''}${inner(key)}:${inner(value)}${adorn('entry')}`,
        ),
        indent,
      )}}`;
    case 'message':
      return `${expr.name}{${lines(
        expr.fields.map(({name, value, optional}) => `${optional ? '?' : ''}${name}:${inner(value)}${adorn('entry')}`),
        indent,
      )}}`;
    case 'loop':
      return loop(expr, adorn, indent);
    case 'bind':
      throw new NotShown('bindings are not unfolded');
  }
}

function lines(parts: readonly string[], indent: number): string {
  if (parts.length === 0) return '';
  const gap = `\n${'  '.repeat(indent + 1)}`;
  return `${gap}${parts.join(`,${gap}`)}\n${'  '.repeat(indent)}`;
}

function loop(node: Loop, adorn: Adorn, indent: number): string {
  if (node.variables.length !== 1) throw new NotShown('loops over two variables are not unfolded');
  const result = `@result${adorn('ident')}`;
  const {init, condition, step, end} = unfold(node, adorn, {result, indent: indent + 1});
  const gap = `\n${'  '.repeat(indent + 1)}`;
  const parts: [string, string][] = [
    ['Variable', node.variables[0]!],
    ['Target', debugText(node.range, adorn, indent + 1)],
    ['Accumulator', '@result'],
    ['Init', init],
    ['LoopCondition', condition],
    ['LoopStep', step],
    ['Result', end],
  ];
  return `__comprehension__(${parts.map(([name, text]) => `${gap}// ${name}${gap}${text}`).join(',')})`;
}

interface Unfolded {
  readonly init: string;
  readonly condition: string;
  readonly step: string;
  readonly end: string;
}

function unfold(node: Loop, adorn: Adorn, {result, indent}: {result: string; indent: number}): Unfolded {
  const call = (name: string, parts: (depth: number) => string[], depth = indent): string =>
    `${name}(${lines(parts(depth + 1), depth)})${adorn('call')}`;
  const list = (part: (depth: number) => string, depth: number): string =>
    `[${lines([part(depth + 1)], depth)}]${adorn('list')}`;
  const part = (expr: Expr) => (depth: number) => debugText(expr, adorn, depth);
  const truth = (value: boolean): string => `${value}${adorn('bool')}`;
  const one = `1${adorn('int')}`;
  const add = (element: (depth: number) => string, depth: number): string =>
    call('_+_', inner => [result, list(element, inner)], depth);
  switch (node.name) {
    case 'all':
      return {
        init: truth(true),
        condition: call('@not_strictly_false', () => [result]),
        step: call('_&&_', depth => [result, part(node.body)(depth)]),
        end: result,
      };
    case 'exists':
      return {
        init: truth(false),
        condition: call('@not_strictly_false', depth => [call('!_', () => [result], depth)]),
        step: call('_||_', depth => [result, part(node.body)(depth)]),
        end: result,
      };
    case 'existsOne':
      return {
        init: `0${adorn('int')}`,
        condition: truth(true),
        step: call('_?_:_', depth => [part(node.body)(depth), call('_+_', () => [result, one], depth), result]),
        end: call('_==_', () => [result, one]),
      };
    case 'map':
    case 'filter': {
      const element = node.name === 'map' ? part(node.body) : () => `${node.variables[0]}${adorn('ident')}`;
      const filter = node.name === 'map' ? node.filter : node.body;
      const step =
        filter === undefined
          ? add(element, indent)
          : call('_?_:_', depth => [part(filter)(depth), add(element, depth), result]);
      return {init: `[]${adorn('list')}`, condition: truth(true), step, end: result};
    }
    default:
      throw new NotShown(`${node.name} is not unfolded`);
  }
}

function literal({type, value}: Literal): string {
  switch (type) {
    case 'string':
      if (/[^ !#-[\]-~]/.test(String(value))) throw new NotShown('quoting of special characters');
      return `"${value}"`;
    case 'bytes': {
      const text = String.fromCharCode(...(value as Uint8Array));
      if (/[^ !#-[\]-~]/.test(text)) throw new NotShown('quoting of special characters');
      return `b"${text}"`;
    }
    case 'uint':
      return `${(value as Uint).value}u`;
    case 'double': {
      const number = value instanceof Float ? value.value : (value as number);
      if (Math.abs(number) >= 1e6 || Object.is(number, -0) || (number !== 0 && Math.abs(number) < 1e-4)) {
        throw new NotShown('form of great doubles');
      }
      return String(number);
    }
    default:
      return String(value);
  }
}
