import type {BudgetLimits} from '../budget.js';
import {defaultLimits} from '../budget.js';
import {builtinResourceMap} from '../builtin-resources.js';
import type {ContextLoader} from '../context-loader.js';
import {compileEntries} from '../context/compile-entry.js';
import {RequestContext} from '../context/request-context.js';
import {RuleRun} from '../context/rule-run.js';
import {RuleScope} from '../context/rule-scope.js';
import type {JsonObject} from '../json/types.js';
import {buildContext} from '../policy/build-context.js';
import type {EngineRequest} from '../types.js';
import {regex} from './engines.js';
import {recordingLoader} from './recording-loader.js';
import {pod, requestOf} from './requests.js';

export function runOf(loader: ContextLoader = recordingLoader(), limits: Partial<BudgetLimits> = {}): RuleRun {
  return new RuleRun({
    loader,
    regex,
    limits: {...defaultLimits, ...limits},
    resources: builtinResourceMap,
    operatorNamespace: 'kyverno',
  });
}

export interface TestScope {
  /** Context entries as users write them. */
  readonly context?: readonly JsonObject[];
  readonly request?: EngineRequest;
  readonly run?: RuleRun;
}

/** The variable context of a rule on a Pod. */
export function scopeOf(options: TestScope = {}): RuleScope {
  const request = options.request ?? requestOf({object: pod('p')});
  return new RuleScope({
    env: options.run ?? runOf(),
    context: new RequestContext(request),
    entries: compileEntries(buildContext(options.context ?? []), 'spec.rules[0].context'),
  });
}
