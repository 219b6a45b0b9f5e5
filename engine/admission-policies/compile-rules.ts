import type {Program} from '../cel/environment.js';
import type {Library} from '../cel/library/library.js';
import {ExpressionCompiler} from '../cel-policies/compile/expression-compiler.js';
import {compileConditions, compileValidations} from '../cel-policies/compile/lists.js';
import {compileVariables} from '../cel-policies/compile/variables.js';
import {nativeEnvironment} from '../cel-policies/environment/environments.js';
import {slotsOf, templateOf} from '../cel-policies/environment/kind-environment.js';
import {VariableTypes} from '../cel-policies/environment/variables-object.js';
import type {NamedExpression, Validation} from '../cel-policies/model.js';
import type {ScopePlan} from '../cel-policies/run/scope.js';
import type {CompiledValidations, CompileTools, ConditionList} from '../cel-policies/types.js';
import type {Diagnostic} from '../diagnostic.js';
import type {RegexEngine} from '../regex/types.js';

/** Expressions that are judged as the API server judges those of its own policies. */
export interface NativeSource {
  readonly variables: readonly NamedExpression[];
  readonly conditions: readonly NamedExpression[];
  readonly validations: readonly Validation[];
  /** Whether there is a `params`. */
  readonly params: boolean;
  /** Where each list stands, for faults. */
  readonly paths: {readonly variables: string; readonly conditions: string; readonly validations: string};
  /** Compiles more with the same variables (mutations). */
  readonly more?: (tools: CompileTools) => void;
  /** Changes an expression before it is compiled for good; what it is changed from is what faults speak of. */
  readonly rewrite?: ((expression: string) => string) | undefined;
  /** What changed expressions call. */
  readonly libraries?: readonly Library[];
}

export interface NativeRules {
  readonly plan: ScopePlan;
  readonly conditions: ConditionList;
  readonly validations: CompiledValidations;
  readonly readsNamespace: boolean;
  readonly readsAuthorizer: boolean;
  /** The expressions take `params` for a list of all objects that a selector finds, which only offline runs offer. */
  readonly readsParamItems: boolean;
}

export type NativeOutcome =
  | {readonly rules: NativeRules; readonly warnings: readonly Diagnostic[]; readonly problems: readonly []}
  | {readonly rules: undefined; readonly warnings: readonly Diagnostic[]; readonly problems: readonly Diagnostic[]};

export function compileNativeRules(
  source: NativeSource,
  {regex, mutating}: {readonly regex: RegexEngine; readonly mutating: boolean},
): NativeOutcome {
  const types = new VariableTypes();
  const kind = nativeEnvironment({params: source.params, mutating, regex});
  const environment = kind.environment.extend({
    libraries: [...(source.libraries ?? []), {name: 'kubernetes.policy.variables', objects: [types]}],
  });
  const compiler = new ExpressionCompiler(environment, source.rewrite);
  const {paths} = source;
  // The API server asks conditions before there are variables.
  const conditions = compileConditions(source.conditions, paths.conditions, compiler);
  const variables: ReadonlyMap<string, Program> = compileVariables(source.variables, types, compiler, paths.variables);
  const validations = compileValidations(source.validations, paths.validations, compiler);
  source.more?.(compiler);
  const {problems, warnings} = compiler;
  if (problems.length > 0) return {rules: undefined, warnings, problems};
  return {
    problems: [],
    warnings,
    rules: {
      plan: {
        slots: slotsOf(environment, kind.has),
        template: templateOf(environment, kind.contexts),
        variables,
        namespace: undefined,
      },
      conditions,
      validations,
      readsNamespace: compiler.programs.some(({program}) => program.variables.has('namespaceObject')),
      readsAuthorizer: compiler.programs.some(({program}) =>
        [...program.variables].some(name => name.startsWith('authorizer')),
      ),
      readsParamItems: compiler.programs.some(({program}) => readsItems(program)),
    },
  };
}

function readsItems({paths}: Program): boolean {
  return [...(paths.get('params') ?? [])].some(path => path === 'items' || path.startsWith('items.'));
}
