import {BudgetError, EvalError} from '../../diagnostic.js';
import type {CelException} from '../model.js';
import type {ConditionList} from '../types.js';
import {conditionsHold} from './conditions.js';
import type {CelVerdict} from './results.js';
import type {PolicyScope} from './scope.js';

/** An exception with its conditions compiled for one policy. */
export interface PolicyException {
  readonly source: CelException;
  readonly conditions: ConditionList;
  /** Of its namespace it sees nothing else; `false` when it may free objects anywhere. */
  readonly confined: boolean;
  /** Its conditions read nothing outside of its namespace. */
  readonly readsHome: boolean;
}

export type Exemption =
  /** The policy says nothing about the request but that. */
  | {readonly type: 'full'; readonly verdict: CelVerdict}
  /** Its expressions are told what is allowed. */
  | {readonly type: 'parts'; readonly matched: readonly string[]; readonly allowedImages: readonly string[]; readonly allowedValues: readonly string[]};

const nothingAllowed: Exemption = Object.freeze({type: 'parts', matched: [], allowedImages: [], allowedValues: []});

/**
 * What exceptions make of a request. Those without images and values free it wholly; the parts of others add up. An
 * exception that cannot be judged is an error, unless another one frees the request anyway. `whole`: which of them, images
 * and values or not, free it wholly. Throws EvalError.
 */
export function exemptionFor(exceptions: readonly PolicyException[], scope: PolicyScope, whole: boolean | ((source: CelException) => boolean)): Exemption {
  if (exceptions.length === 0) return nothingAllowed;
  const now = scope.host.loader.now();
  const full: CelException[] = [];
  const parts: CelException[] = [];
  let failure: EvalError | undefined;
  for (const exception of exceptions) {
    const {source} = exception;
    if (source.expiresAt !== undefined && source.expiresAt <= now) continue;
    try {
      if (!applies(exception, scope)) continue;
    } catch (thrown) {
      if (!(thrown instanceof EvalError) || thrown instanceof BudgetError) throw thrown;
      failure ??= new EvalError(`failed to evaluate exception ${source.key}: ${thrown.message}`);
      continue;
    }
    const isWhole = typeof whole === 'function' ? whole(source) : whole;
    if (isWhole || (source.images.length === 0 && source.allowedValues.length === 0)) full.push(source);
    else parts.push(source);
  }
  if (full.length > 0) return {type: 'full', verdict: exceptionVerdict([...full, ...parts])};
  if (failure !== undefined) throw failure;
  if (parts.length === 0) return nothingAllowed;
  return {
    type: 'parts',
    matched: parts.map(({key}) => key),
    allowedImages: parts.flatMap(({images}) => images),
    allowedValues: parts.flatMap(({allowedValues}) => allowedValues),
  };
}

function applies({source, conditions, confined, readsHome}: PolicyException, scope: PolicyScope): boolean {
  if (!confined) return conditionsHold(conditions, readsHome ? scope.confinedTo(source.namespace) : scope);
  const {request} = scope;
  const isNamespace = request.kind.group === '' && request.kind.kind === 'Namespace';
  if (request.namespace !== source.namespace || isNamespace) return false;
  return conditionsHold(conditions, scope.confinedTo(source.namespace));
}

/** The exception of the highest priority decides what is reported; the first of several. */
function exceptionVerdict(matched: readonly CelException[]): CelVerdict {
  const keys = matched.map(({key}) => key);
  let decisive = matched[0];
  for (const exception of matched) if (exception.priority > Math.max(0, decisive?.priority ?? 0)) decisive = exception;
  const passes = decisive?.reportResult === 'pass';
  return {
    rule: 'exception',
    status: passes ? 'pass' : 'skip',
    message: `rule is ${passes ? 'passed' : 'skipped'} due to policy exception: ${keys.join(', ')}`,
    exceptions: keys,
  };
}
