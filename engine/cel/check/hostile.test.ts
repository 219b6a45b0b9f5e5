import {expect, test} from 'vitest';
import {createRegexEngine} from '../../../adapters/regex/regex-engine.js';
import {issuesText} from '../errors.js';
import {extensionLibraries} from '../extensions/index.js';
import {kubernetesLibraries} from '../kubernetes/index.js';
import {standardLibrary} from '../standard/index.js';
import type {Expr} from '../syntax/ast.js';
import {children} from '../syntax/children.js';
import {parse} from '../syntax/parse.js';
import {tokenSoup} from '../syntax/testing/token-soup.js';
import {hasParameters} from '../types/same.js';
import {dynType, intType, listOf, mapOf, stringType} from '../types/type.js';
import {check} from './check.js';
import {createScope} from './scope.js';

const scope = createScope({
  libraries: [standardLibrary, ...extensionLibraries, ...kubernetesLibraries],
  variables: {a: dynType, b: mapOf(stringType, listOf(intType)), x: listOf(stringType)},
  options: {homogeneousLiterals: true, literalValidators: true, lenientOrValue: false},
  regex: createRegexEngine(),
});

const nodes = (expr: Expr): Expr[] => [expr, ...children(expr).flatMap(nodes)];

test('random expressions are checked, never thrown on; what has no fault has types everywhere', () => {
  let sound = 0;
  for (const source of tokenSoup({seed: 7, texts: 30_000})) {
    const {expr} = parse(source, {twoVariableMacros: true});
    if (expr === undefined) continue;
    const {issues, types} = check(expr, scope);
    if (issues.length > 0) {
      issuesText(source, issues, {hints: true});
      continue;
    }
    sound++;
    if ([...types.values()].some(hasParameters)) throw new Error(`type parameters are left: ${source}`);
    if (!types.has(expr)) throw new Error(`no type: ${source}`);
  }
  expect(sound).toBeGreaterThan(100);
});

test('calls and names of a sound expression are all resolved', () => {
  const source =
    'x.all(i, v, size(v) > i) && b.k[0] == 1 && cel.bind(n, a.b, has(n.c) || n.d.orValue(true)) && math.greatest(1, 2) == 2';
  const {expr} = parse(source, {twoVariableMacros: true});
  const {issues, calls, idents} = check(expr!, scope);
  expect(issues).toEqual([]);
  for (const node of nodes(expr!)) {
    if (node.kind === 'call') expect(calls.has(node), node.name).toBe(true);
    if (node.kind === 'ident') expect(idents.has(node), node.name).toBe(true);
  }
});

test('expressions up to the limit of size are checked', () => {
  for (const text of ['size([1])', '[]', '{"a": [a]}', 'x[0] + "b"', 'a.?b.orValue(1)']) {
    const source = `[${Array(Math.floor(90_000 / (text.length + 1)))
      .fill(text)
      .join(',')}]`;
    expect(check(parse(source, {twoVariableMacros: true}).expr!, scope).issues, text).toEqual([]);
  }
});
