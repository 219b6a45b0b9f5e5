import {isNamespaceObject} from '../cel-policies/match/match-constraints.js';
import {conditionsHold} from '../cel-policies/run/conditions.js';
import {PolicyScope} from '../cel-policies/run/scope.js';
import {namespaceOf, nativeData} from '../cel-policies/run/scope-data.js';
import type {RuleRun} from '../context/rule-run.js';
import {BudgetError, EvalError} from '../diagnostic.js';
import type {Json, JsonObject} from '../json/types.js';
import type {EngineRequest} from '../types.js';
import {authorizerFor} from './authorizer.js';
import type {NativeRules} from './compile-rules.js';

export type NativeDecision =
  | {readonly type: 'not-matched'}
  | {readonly type: 'admit'}
  | {readonly type: 'deny'; readonly message: string; readonly index: number}
  /** An expression that cannot be evaluated; the failure policy says what it means. */
  | {readonly type: 'error'; readonly message: string; readonly index: number | undefined};

export interface Decided {
  readonly request: EngineRequest;
  readonly host: RuleRun;
  /** Sees the whole cluster. */
  readonly cluster: RuleRun;
  readonly params: Json;
  /** `failurePolicy: Ignore`: what cannot be evaluated keeps no other validation from denying. */
  readonly lenient?: boolean;
}

/** Judges a request as the API server does. Throws EvalError where the namespace cannot be had, or to wait. */
export function decide(rules: NativeRules, about: Decided): NativeDecision {
  const scope = nativeScope(rules, about);
  try {
    if (!conditionsHold(rules.conditions, scope)) return {type: 'not-matched'};
  } catch (thrown) {
    if (!(thrown instanceof EvalError)) throw thrown;
    return {type: 'error', message: thrown.message, index: undefined};
  }
  let failure: NativeDecision | undefined;
  for (const [index, {program, message, messageProgram}] of rules.validations.programs.entries()) {
    try {
      if (program.evaluate(scope.bindings, scope.host) === true) continue;
    } catch (thrown) {
      if (!(thrown instanceof EvalError)) throw thrown;
      failure ??= {
        type: 'error',
        message: `expression '${program.source.trim()}' resulted in error: ${thrown.message}`,
        index,
      };
      if (about.lenient === true && !(thrown instanceof BudgetError)) continue;
      return failure;
    }
    const text = produced(messageProgram, scope) ?? message?.trim();
    return {type: 'deny', message: text || `failed expression: ${program.source.trim()}`, index};
  }
  return failure ?? {type: 'admit'};
}

export function nativeScope(rules: NativeRules, {request, host, cluster, params}: Decided): PolicyScope {
  const namespaceObject = rules.readsNamespace ? homeOf(request, cluster) : null;
  const authorizer = rules.readsAuthorizer ? authorizerFor(request, host.loader) : undefined;
  return new PolicyScope(rules.plan, {...nativeData(request, namespaceObject), params, authorizer}, {host, request});
}

/** A namespace that is not known has its name at least. */
function homeOf(request: EngineRequest, cluster: RuleRun): JsonObject | null {
  const {namespace: name} = request;
  if (name === '' || isNamespaceObject(request)) return null;
  return namespaceOf(request, cluster) ?? {apiVersion: 'v1', kind: 'Namespace', metadata: {name}};
}

const longestMessage = 5 * 1024;

/** What cannot be shown on one line is not shown. */
function produced(
  program: NativeRules['validations']['programs'][number]['messageProgram'],
  scope: PolicyScope,
): string | undefined {
  if (program === undefined) return undefined;
  try {
    const value = program.evaluate(scope.bindings, scope.host);
    const text = typeof value === 'string' ? value.trim() : '';
    return text === '' || text.length > longestMessage || text.includes('\n') ? undefined : text;
  } catch (thrown) {
    if (thrown instanceof EvalError) return undefined;
    throw thrown;
  }
}
