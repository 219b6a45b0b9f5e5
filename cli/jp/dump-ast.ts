import {goTypeName, Float, isInteger, isNumber, type Json} from '../../engine/json/types.js';
import type {Ast, ComparatorOperator} from '../../engine/jmespath/ast.js';

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
}

const comparators: Readonly<Record<ComparatorOperator, string>> = {
  '==': 'tEQ',
  '!=': 'tNE',
  '<': 'tLT',
  '<=': 'tLTE',
  '>': 'tGT',
  '>=': 'tGTE',
};

/** The tree of a query as indented text, two blanks a level. `text` tells a written `@` from an implied one. */
export function dumpAst(ast: Ast, text: string): string {
  return print(toNode(ast, text), '');
}

/** The brace that closes the node closes its children, too: scripts know this form. */
function print(node: Node, indent: string): string {
  const inner = `${indent}  `;
  const value = node.value === undefined ? '' : `${inner}value: ${node.value}\n`;
  const children = node.children ?? [];
  const list =
    children.length === 0 ? '' : `${inner}children: {\n${children.map(child => print(child, `${inner}  `)).join('')}`;
  return `${indent}${node.type} {\n${value}${list}${indent}}\n`;
}

function toNode(ast: Ast, text: string): Node {
  const node = (inner: Ast) => toNode(inner, text);
  switch (ast.kind) {
    case 'current':
      return {type: text[ast.position] === '@' ? 'ASTCurrentNode' : 'ASTIdentity'};
    case 'literal':
      return {type: 'ASTLiteral', ...(ast.value !== null && {value: goLiteral(ast.value)})};
    case 'field':
      return {type: 'ASTField', value: goString(ast.name)};
    case 'index':
      return {type: 'ASTIndex', value: String(ast.index)};
    case 'slice':
      return {type: 'ASTSlice', value: `[${ast.start ?? ''}:${ast.stop ?? ''}:${ast.step}]`};
    case 'sub': {
      const type = ast.right.kind === 'index' || ast.right.kind === 'slice' ? 'ASTIndexExpression' : 'ASTSubexpression';
      return {type, children: [node(ast.left), node(ast.right)]};
    }
    case 'pipe':
      return {type: 'ASTPipe', children: [node(ast.left), node(ast.right)]};
    case 'or':
      return {type: 'ASTOrExpression', children: [node(ast.left), node(ast.right)]};
    case 'and':
      return {type: 'ASTAndExpression', children: [node(ast.left), node(ast.right)]};
    case 'not':
      return {type: 'ASTNotExpression', children: [node(ast.operand)]};
    case 'compare':
      return {type: 'ASTComparator', value: comparators[ast.operator], children: [node(ast.left), node(ast.right)]};
    case 'list':
      return {type: 'ASTMultiSelectList', children: ast.items.map(node)};
    case 'hash':
      return {
        type: 'ASTMultiSelectHash',
        children: ast.entries.map(([key, value]) => ({
          type: 'ASTKeyValPair',
          value: goString(key),
          children: [node(value)],
        })),
      };
    case 'call':
      return {type: 'ASTFunctionExpression', value: goString(ast.name), children: ast.args.map(node)};
    case 'reference':
      return {type: 'ASTExpRef', children: [node(ast.operand)]};
    case 'flatten':
      return {type: 'ASTFlatten', children: [node(ast.source)]};
    case 'project':
      return {type: 'ASTProjection', children: [node(ast.source), node(ast.item)]};
    case 'values':
      return {type: 'ASTValueProjection', children: [node(ast.source), node(ast.item)]};
    case 'filter':
      return {type: 'ASTFilterProjection', children: [node(ast.source), node(ast.item), node(ast.condition)]};
  }
}

/** A value in Go's own syntax. */
function goLiteral(value: Json): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return goString(value);
  if (isNumber(value)) return goNumber(value);
  if (typeof value !== 'object') return String(value);
  const type = goTypeName(value);
  if (Array.isArray(value)) return `${type}{${value.map(goLiteral).join(', ')}}`;
  if (value instanceof Float) return String(value.value);
  const members = Object.keys(value)
    .sort()
    .map(key => `${goString(key)}:${goLiteral(value[key]!)}`);
  return `${type}{${members.join(', ')}}`;
}

function goNumber(value: number | bigint | Float): string {
  if (value instanceof Float) return String(value.value);
  return isInteger(value) ? value.toString() : String(value);
}

function goString(text: string): string {
  return JSON.stringify(text);
}
