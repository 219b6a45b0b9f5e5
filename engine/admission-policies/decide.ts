import {conditionsHold} from '../cel-policies/run/conditions.js';
import {PolicyScope} from '../cel-policies/run/scope.js';
import {namespaceOf, nativeData} from '../cel-policies/run/scope-data.js';
import type {RuleRun} from '../context/rule-run.js';
import {EvalError} from '../diagnostic.js';
import type {Json} from '../json/types.js';
import type {EngineRequest} from '../types.js';
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
        message: `expression '${program.source}' resulted in error: ${thrown.message}`,
        index,
      };
      continue;
    }
    const text = produced(messageProgram, scope) ?? message?.trim();
    return {type: 'deny', message: text || `failed expression: ${program.source.trim()}`, index};
  }
  return failure ?? {type: 'admit'};
}

export function nativeScope(rules: NativeRules, {request, host, cluster, params}: Decided): PolicyScope {
  const namespaceObject = rules.readsNamespace ? namespaceOf(request, cluster) : null;
  return new PolicyScope(rules.plan, {...nativeData(request, namespaceObject), params}, {host, request});
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
