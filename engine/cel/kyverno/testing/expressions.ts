import {createRegexEngine} from '../../../../adapters/regex/regex-engine.js';
import {Budget, type BudgetLimits, defaultLimits} from '../../../budget.js';
import type {ContextLoader} from '../../../context-loader.js';
import {EvalError} from '../../../diagnostic.js';
import {recordingLoader} from '../../../testing/recording-loader.js';
import {createEnvironment} from '../../compile/environment.js';
import type {Environment} from '../../environment.js';
import type {CelHost, Library} from '../../library/library.js';
import {dynType} from '../../types/type.js';
import {valueText} from '../../values/index.js';
import type {Value} from '../../values/value.js';
import {GeneratorContext} from '../generator.js';
import {type KyvernoLibraryOptions, kyvernoContexts, kyvernoLibraries} from '../libraries.js';

export const regex = createRegexEngine();

export interface ExpressionOptions {
  readonly type?: KyvernoLibraryOptions['type'];
  /** Of a Namespaced kind, in this namespace. */
  readonly namespace?: string;
  readonly loader?: ContextLoader;
  readonly limits?: Partial<BudgetLimits>;
  readonly object?: Value;
  readonly generator?: GeneratorContext;
  readonly libraries?: readonly Library[];
}

export function environmentOf({type = 'validating', namespace, libraries = []}: ExpressionOptions): Environment {
  return createEnvironment({
    libraries: [...libraries, ...kyvernoLibraries({type, namespaced: namespace !== undefined})],
    variables: {object: dynType},
    twoVariableMacros: true,
    homogeneousLiterals: false,
    literalValidators: true,
    lenientOrValue: true,
    regex,
  });
}

/** A host whose loader answers at once, or whose answers `settled` holds. */
export function hostOf({loader = recordingLoader(), limits}: ExpressionOptions): CelHost {
  const budget = new Budget({...defaultLimits, ...limits}, () => 0);
  return {
    budget,
    regex,
    loader,
    settle(_key, load) {
      const value = load({deadline: Number.POSITIVE_INFINITY});
      if (value instanceof Promise) throw new Error('the test loader answers at once');
      return value;
    },
  };
}

/** The value of an expression with Kyverno's functions. Throws EvalError; a fault of the text is an Error. */
export function evaluate(source: string, options: ExpressionOptions = {}): Value {
  const environment = environmentOf(options);
  const outcome = environment.compile(source);
  if (outcome.program === undefined) throw new Error(outcome.text);
  const {program} = outcome;
  const generator = options.generator ?? new GeneratorContext(options.namespace);
  const contexts = kyvernoContexts({namespace: options.namespace, generator});
  const bindings: Array<Value | undefined> = [];
  bindings[environment.slot('object')] = options.object === undefined ? {} : options.object;
  for (const [name, value] of Object.entries(contexts)) {
    if (program.variables.has(name)) bindings[environment.slot(name)] = value;
  }
  return program.evaluate(bindings, hostOf(options));
}

/** The same as text in CEL's notation. */
export function shown(source: string, options?: ExpressionOptions): string {
  return valueText(evaluate(source, options));
}

/** The message with which an evaluation fails. */
export function fault(source: string, options?: ExpressionOptions): string {
  try {
    evaluate(source, options);
  } catch (error) {
    if (error instanceof EvalError) return error.message;
    throw error;
  }
  throw new Error(`${source} does not fail`);
}

/** What is wrong with a text; empty when nothing is. */
export function issuesOf(source: string, options: ExpressionOptions = {}): string {
  const outcome = environmentOf(options).compile(source);
  return outcome.program === undefined ? outcome.text : '';
}
