import type {Environment, Program} from '../../cel/environment.js';
import {boolType, dynType, nullType, stringType, typeText} from '../../cel/types/type.js';
import type {Diagnostic} from '../../diagnostic.js';
import {Faults} from '../../policy/faults.js';
import type {CompileTools, ExpectedType} from '../types.js';

export const boolOutput: ExpectedType = {types: [boolType], message: 'output is expected to be of type bool'};
export const stringOutput: ExpectedType = {types: [stringType], message: 'output is expected to be of type string'};
export const annotationOutput: ExpectedType = {
  types: [stringType, nullType],
  message: 'output is expected to be either of type string or null_type',
};

export const untypedAnnotation: ExpectedType = {
  types: [...annotationOutput.types, dynType],
  message: annotationOutput.message,
};

/** Compiles the expressions of one policy and keeps what is wrong with them. */
export class ExpressionCompiler implements CompileTools {
  readonly environment: Environment;
  readonly problems: Diagnostic[] = [];
  #faults = new Faults();
  /** Everything that compiled, for estimates and for what it reads. */
  readonly programs: Array<{readonly path: string; readonly program: Program}> = [];

  readonly #rewrite: ((expression: string) => string) | undefined;

  /** `rewrite` changes what is evaluated; faults speak of what was written. */
  constructor(environment: Environment, rewrite?: (expression: string) => string) {
    this.environment = environment;
    this.#rewrite = rewrite;
  }

  /** One that compiles in another environment; what is found is this one's. */
  within(environment: Environment): ExpressionCompiler {
    const inner = new ExpressionCompiler(environment, this.#rewrite);
    inner.#faults = this.#faults;
    return Object.assign(inner, {problems: this.problems, programs: this.programs});
  }

  compile(expression: string, path: string, expected?: ExpectedType): Program | undefined {
    const {program, issues, text} = outcomeOf(this.environment, expression);
    if (program === undefined) {
      const hint = issues.find(issue => issue.hint !== undefined)?.hint;
      this.problems.push({
        code: 'cel-compile',
        path,
        message: `Invalid value: ${JSON.stringify(expression)}: ${text}`,
        expression,
        ...(hint !== undefined && {hint}),
      });
      return undefined;
    }
    if (expected !== undefined && !isOneOf(program, expected)) {
      this.problems.push({
        code: 'cel-type',
        path,
        message: `Invalid value: ${JSON.stringify(expression)}: ${expected.message}`,
        expression,
        ...typeHint(program, expected),
      });
      return undefined;
    }
    const final = this.#rewritten(program);
    this.programs.push({path, program: final});
    return final;
  }

  #rewritten(program: Program): Program {
    const text = this.#rewrite?.(program.source) ?? program.source;
    if (text === program.source) return program;
    const {program: changed} = this.environment.compile(text);
    return changed === undefined ? program : withSource(changed, program.source);
  }

  get warnings(): readonly Diagnostic[] {
    return this.#faults.warnings;
  }

  fault(path: string, message: string, expression?: string): void {
    this.problems.push({code: 'cel-policy', path, message, ...(expression !== undefined && {expression})});
  }

  unserved(path: string, message: string): void {
    this.problems.push({code: 'not-served', path, message});
  }

  warn(path: string, message: string, expression?: string): void {
    this.#faults.warn('cel-warning', path, message, expression === undefined ? {} : {expression});
  }
}

/** Messages quote what was written. */
function withSource(program: Program, source: string): Program {
  const {type, variables, paths, functions, costEstimate} = program;
  return {
    source,
    type,
    variables,
    paths,
    functions,
    costEstimate,
    evaluate: (bindings, host) => program.evaluate(bindings, host),
  };
}

function outcomeOf(environment: Environment, expression: string) {
  const outcome = environment.compile(expression);
  return outcome.program === undefined
    ? {program: undefined, issues: outcome.issues, text: outcome.text}
    : {program: outcome.program, issues: [], text: ''};
}

function isOneOf(program: Program, {types}: ExpectedType): boolean {
  const actual = typeText(program.type);
  return types.some(type => typeText(type) === actual);
}

/** The commonest surprise: what is read from an object has no static type. */
function typeHint(program: Program, {types}: ExpectedType): {hint?: string} {
  if (program.type.kind !== 'dyn' && program.type.kind !== 'any') return {};
  if (types.some(type => type.kind === 'bool')) return {hint: 'compare it (`… == true`), so that its type is known'};
  if (types.some(type => type.kind === 'string')) return {hint: 'wrap it in `string(…)`, so that its type is known'};
  return {};
}
