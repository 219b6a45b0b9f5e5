import {describe, expect, test} from 'vitest';
import {issuesText} from '../errors.js';
import type {Library} from '../library/library.js';
import {standardLibrary} from '../standard/index.js';
import type {Expr} from '../syntax/ast.js';
import {parse} from '../syntax/parse.js';
import {allCases, type SpecCase} from '../syntax/testing/cel-spec.js';
import {type Adorn, debugText, NotShown} from '../syntax/testing/debug-text.js';
import {boolType, bytesType, doubleType, intType, nullType, stringType, typeText, uintType} from '../types/type.js';
import {check} from './check.js';
import type {Checked} from './checked.js';
import {createScope, extendScope, type Scope} from './scope.js';
import {NoCounterpart, protoLibrary, readDeclarations, type WrittenDeclaration} from './testing/proto-types.js';

/** The declarations of cel-go's own checker tests. */
const checkerVariables = {
  is: stringType,
  ii: intType,
  iu: uintType,
  iz: boolType,
  ib: bytesType,
  id: doubleType,
  ix: nullType,
};

/** Most cases were recorded without comparisons of ints with doubles, which only add overloads. */
const sameTypeComparisons: Library = {
  ...standardLibrary,
  functions: (standardLibrary.functions ?? []).map(({name, overloads}) => ({
    name,
    overloads: overloads.filter(({params: [left, right]}) => !/^_[<>]=?_$/.test(name) || left?.kind === right?.kind),
  })),
};

const scopeOf = (standard: Library): Scope =>
  createScope({
    libraries: [standard, protoLibrary()],
    variables: {},
    options: {homogeneousLiterals: false, literalValidators: false, lenientOrValue: false},
    // Literals are not looked at here.
    regex: {compile: () => Promise.reject(new Error('not used')) as never},
  });

const checkerScope = scopeOf(standardLibrary);
const otherScope = scopeOf(sameTypeComparisons);

/** Why a case cannot be compared; the recorded outcome has other settings or types that Kubernetes does not have. */
const otherSettings: ReadonlyArray<
  readonly [where: 'expr' | 'error' | 'suite' | 'checkedAst', pattern: RegExp, reason: string]
> = [
  [
    'suite',
    /conformance\/(proto2_ext|math_ext|string_ext|encoders_ext|block_ext|optionals|enums)/,
    'a library that is recorded as absent or not the standard one',
  ],
  ['suite', /^comprehensions/, 'two-variable macros and strings'],
  [
    'error',
    /unsupported syntax|recursion (limit|depth)/,
    'without optionals and backquotes, or with a limit of 32 levels',
  ],
  ['error', /expecting IDENTIFIER\n/, 'without backquotes'],
  [
    'error',
    /'_[<>]=?_' applied to '\((int|uint|double), (int|uint|double)\)'/,
    'without comparisons of ints with doubles',
  ],
  ['error', /wrapper\(|unexpected failed resolution/, 'wrappers'],
  ['expr', /(fg_s|fi_s_s)\(/, 'functions of the checker tests alone'],
  ['expr', /nestedgroup/, 'a message that has other fields now'],
  ['expr', /existsOne\((v|__result__), /, 'with existsOne over one variable'],
  [
    'expr',
    /(Value|Struct|Any|Duration|Timestamp)\{|Enum|cel\.iterVar/,
    'messages for values that have literals, and enums',
  ],
];

const comparable = (one: SpecCase): boolean =>
  (one.original.container ?? '') === '' && otherSettings.every(([where, pattern]) => !pattern.test(one[where] ?? ''));

const scopeFor = (one: SpecCase): Scope =>
  extendScope(one.suite === 'checking' ? checkerScope : otherScope, {
    libraries: [readDeclarations((one.original.typeEnv ?? []) as WrittenDeclaration[])],
    variables: one.suite === 'checking' ? checkerVariables : {},
  });

interface Outcome {
  readonly one: SpecCase;
  readonly expr: Expr;
  readonly checked: Checked;
}

async function outcomes(): Promise<Outcome[]> {
  const all: Outcome[] = [];
  for (const one of await allCases()) {
    if (!comparable(one)) continue;
    const {expr} = parse(one.expr, {twoVariableMacros: false});
    if (expr === undefined) continue;
    try {
      all.push({one, expr, checked: check(expr, scopeFor(one))});
    } catch (error) {
      if (!(error instanceof NoCounterpart)) throw error;
    }
  }
  return all;
}

/** Of functions that are checked without overloads. */
const builtIn: Readonly<Record<string, readonly string[]>> = {
  '_&&_': ['logical_and'],
  '_||_': ['logical_or'],
  '_?_:_': ['conditional'],
};

/** cel-go's marks of types, variables and overloads. */
const adornTypes =
  ({types, calls, idents}: Checked): Adorn =>
  node => {
    if (typeof node === 'string') return '';
    const type = types.get(node);
    const call = calls.get(node);
    const overloads = builtIn[call?.name ?? ''] ?? call?.overloads.map(overload => overload.id) ?? [];
    const name = node.kind === 'message' ? node.name : idents.get(node)?.name;
    const reference =
      node.kind === 'select' && node.optional ? 'select_optional_field' : (name ?? [...overloads].sort().join('|'));
    return `${type === undefined ? '' : `~${typeText(type)}`}${reference === '' ? '' : `^${reference}`}`;
  };

const all = await outcomes();

describe('public checker cases of CEL', () => {
  test('type or faults are the same as cel-go finds', () => {
    const wrong: [string, string, string][] = [];
    for (const {one, checked} of all) {
      const own = checked.issues.length > 0 ? issuesText(one.expr, checked.issues) : typeText(checked.type);
      const recorded = one.error ?? one.type!;
      if (own !== recorded) wrong.push([one.expr, own, recorded]);
    }
    expect(wrong).toEqual([]);
    expect(all.length).toBeGreaterThan(1_000);
  });

  test('every part has the type and the overloads that cel-go finds', () => {
    const wrong: [string, string, string][] = [];
    let compared = 0;
    for (const {one, expr, checked} of all) {
      if (one.checkedAst === undefined || one.error !== undefined) continue;
      try {
        const own = debugText(expr, adornTypes(checked));
        // Types of what loops are unfolded to; and names are recorded without their leading dot.
        if (own.includes('__comprehension__') || /(^|\s|\[)\.\s*\w/.test(one.expr)) continue;
        compared++;
        if (own !== one.checkedAst) wrong.push([one.expr, own, one.checkedAst]);
      } catch (error) {
        if (!(error instanceof NotShown)) throw error;
      }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(800);
  });
});
