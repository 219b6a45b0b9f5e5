/** A case of the public data in @bufbuild/cel-spec, with what cel-go made of it. */
export interface SpecCase {
  readonly suite: string;
  readonly expr: string;
  /** `ToDebugString` of the parsed tree, with kinds. */
  readonly ast?: string;
  /** The same of the checked tree, with types and references. */
  readonly checkedAst?: string;
  readonly type?: string;
  /** cel-go's text of all its issues; the parser's begin `ERROR: :`, the checker's `ERROR: <input>:`. */
  readonly error?: string;
  readonly original: {
    readonly container?: string;
    readonly typeEnv?: readonly unknown[];
    readonly disableCheck?: boolean;
  };
}

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly (Omit<SpecCase, 'suite' | 'expr'> & {original: {expr: string}})[];
}

/** Modules of the package, which have no types of their own. */
const suites = {
  parsing: '@bufbuild/cel-spec/testdata/parsing.js',
  checking: '@bufbuild/cel-spec/testdata/checking.js',
  comprehension: '@bufbuild/cel-spec/testdata/comprehension.js',
  conformance: '@bufbuild/cel-spec/testdata/conformance.js',
} as const;

export async function allCases(): Promise<SpecCase[]> {
  const cases: SpecCase[] = [];
  for (const suite of Object.keys(suites)) cases.push(...(await casesOf(suite as keyof typeof suites)));
  return cases;
}

export async function casesOf(name: keyof typeof suites): Promise<SpecCase[]> {
  const module = (await import(/* @vite-ignore */ suites[name])) as {tests: Suite};
  const cases: SpecCase[] = [];
  const walk = (suite: Suite, path: string): void => {
    for (const one of suite.tests ?? []) cases.push({...one, suite: path, expr: one.original.expr});
    for (const inner of suite.suites ?? []) walk(inner, `${path}/${inner.name}`);
  };
  walk(module.tests, module.tests.name);
  return cases;
}
