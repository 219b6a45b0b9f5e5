import {celEnv, isCelError, parse as parseBufbuild, plan} from '@bufbuild/cel';
import * as strings from '@bufbuild/cel/ext';
import {Environment as MarcEnvironment} from '@marcbachmann/cel-js';
import {evaluate as evaluateCelJs, parse as parseCelJs} from 'cel-js';
import {parse} from '../../engine/cel/syntax/parse.js';
import {dynType} from '../../engine/cel/types/type.js';
import type {Value} from '../../engine/cel/values/value.js';
import type {JsonObject} from '../../engine/json/types.js';
import {bindingsOf, celEnvironment, celHost, programOf} from './environment.js';

/** An evaluator of CEL as the figures know it. */
export interface Rival {
  readonly name: string;
  /** Throws when the text is refused. */
  readonly parse: (expression: string) => unknown;
  /** Throws when the text is refused; what comes back throws on an error of the expression. Variables are bound once, as for a request. */
  readonly compile: (expression: string, variables: JsonObject) => () => unknown;
}

/** This project's: with budget, exact integers and checks of types. */
export const own: Rival = {
  name: 'own',
  parse(expression) {
    const {expr, issues} = parse(expression, {twoVariableMacros: true});
    if (expr === undefined) throw new Error(issues[0]?.message);
    return expr;
  },
  compile(expression, variables) {
    const environment = environmentFor(Object.keys(variables));
    const program = programOf(environment, expression);
    const host = celHost({steps: Number.MAX_SAFE_INTEGER, bytes: Number.MAX_SAFE_INTEGER});
    const bindings = bindingsOf(environment, variables as Readonly<Record<string, Value>>);
    return () => program.evaluate(bindings, host);
  },
};

const environments = new Map<string, ReturnType<typeof celEnvironment>>();

function environmentFor(variables: readonly string[]): ReturnType<typeof celEnvironment> {
  const key = variables.join(' ');
  const known = environments.get(key);
  if (known) return known;
  const made = celEnvironment({
    variables: Object.fromEntries(variables.map(name => [name, dynType])),
    homogeneousLiterals: false,
    costLimit: 1_000_000_000,
  });
  environments.set(key, made);
  return made;
}

const marcOptions = {unlistedVariablesAreDyn: true, enableOptionalTypes: true, homogeneousAggregateLiterals: false};
const marc = new MarcEnvironment(marcOptions);

export const marcbachmann: Rival = {
  name: '@marcbachmann/cel-js',
  parse: expression => marc.parse(expression),
  compile(expression, variables) {
    const run = marc.parse(expression) as (variables: JsonObject) => unknown;
    return () => run(variables);
  },
};

const bufbuildEnvironment = celEnv({funcs: strings.strings});

export const bufbuild: Rival = {
  name: '@bufbuild/cel',
  parse: expression => parseBufbuild(expression),
  compile(expression, variables) {
    const run = plan(bufbuildEnvironment, parseBufbuild(expression));
    return () => {
      const value = run(variables as never);
      if (isCelError(value)) throw new Error(value.message);
      return value;
    };
  },
};

export const celJs: Rival = {
  name: 'cel-js',
  parse(expression) {
    const parsed = parseCelJs(expression);
    if (!parsed.isSuccess) throw new Error(parsed.errors.join('\n'));
    return parsed;
  },
  compile(expression, variables) {
    const parsed = parseCelJs(expression);
    if (!parsed.isSuccess) throw new Error(parsed.errors.join('\n'));
    return () => evaluateCelJs(parsed.cst, variables as never);
  },
};

export const rivals: readonly Rival[] = [marcbachmann, bufbuild, celJs];
