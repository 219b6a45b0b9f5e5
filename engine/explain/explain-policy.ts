import {type BudgetLimits, defaultLimits} from '../budget.js';
import type {CompiledPolicy, CompiledRule} from '../compile/types.js';
import type {GivenValues} from '../context/given-values.js';
import {RequestContext} from '../context/request-context.js';
import {RuleRun} from '../context/rule-run.js';
import {scopeLoader} from '../context/scoped-loader.js';
import type {ContextLoader} from '../context-loader.js';
import type {RegexEngine} from '../regex/types.js';
import type {ResourceMap} from '../resource-map.js';
import {backgroundRule} from '../run/background-rule.js';
import type {RuleCall} from '../run/guard-rule.js';
import {imagesRule} from '../run/images-rule.js';
import {mutateRule} from '../run/mutate-rule.js';
import {validateRule} from '../run/validate-rule.js';
import type {PolicySnapshot} from '../snapshot/policy-snapshot.js';
import type {EngineRequest, RuleResult} from '../types.js';
import {ImageRecord, recordKey} from '../verify-images/record.js';
import {explainRule, ruleTypes} from './explain-rule.js';
import {maskExplanation, SecretTexts} from './mask.js';
import type {PolicyExplanation, RuleExplanation, RuleOutcome} from './types.js';

export interface ExplainOptions {
  readonly policy: CompiledPolicy;
  readonly request: EngineRequest;
  /** Whose exceptions count. */
  readonly snapshot: PolicySnapshot;
  readonly loader: ContextLoader;
  readonly regex: RegexEngine;
  readonly resources: ResourceMap;
  readonly given?: GivenValues;
  readonly limits?: Partial<Omit<BudgetLimits, 'deadline'>>;
  readonly allowServiceCalls?: boolean;
  readonly operatorNamespace?: string;
}

/**
 * How one policy decides about one request, rule by rule, in the order of admission: its mutations first, each on what the
 * one before left, then images, validation and generation on the result. The final results are the engine's own; a walk beside
 * them, which serving never pays for, says what led there. Secrets are masked.
 */
export async function explainPolicy(options: ExplainOptions): Promise<PolicyExplanation> {
  const {policy, request} = options;
  const secrets = new SecretTexts();
  secrets.collect(request.object);
  secrets.collect(request.oldObject);
  const walk = new PolicyWalk(options);
  const mutated = await walk.mutate(new RequestContext(request));
  await walk.targets(new RequestContext(request));
  const verified = await walk.images(mutated);
  await walk.validate(verified);
  await walk.generate(mutated);
  const order = new Map(policy.rules.map((rule, index) => [rule.name, index]));
  const rules = [...walk.rules].sort((a, b) => (order.get(a.rule) ?? 0) - (order.get(b.rule) ?? 0));
  secrets.collect(verified.request.object);
  return maskExplanation({policy: policy.ref, rules, object: verified.request.object}, secrets);
}

type Answer = {readonly results: readonly RuleResult[]; readonly context?: RequestContext};

class PolicyWalk {
  readonly rules: RuleExplanation[] = [];
  readonly #options: ExplainOptions;
  readonly #run: RuleRun;
  #backgroundDone = false;

  constructor(options: ExplainOptions) {
    this.#options = options;
    const {policy, loader, regex, allowServiceCalls = false} = options;
    const {namespace} = policy.ref;
    this.#run = new RuleRun({
      loader: scopeLoader(loader, namespace === '' ? {kind: 'cluster'} : {kind: 'namespace', namespace}, {
        allowServiceCalls,
      }),
      regex,
      limits: {...defaultLimits, ...options.limits, deadline: Number.POSITIVE_INFINITY},
      given: options.given,
      resources: options.resources,
      operatorNamespace: options.operatorNamespace ?? 'kyverno',
      secretNamespace: namespace || undefined,
    });
  }

  get #policy(): CompiledPolicy {
    return this.#options.policy;
  }

  get #one(): boolean {
    return this.#policy.source.spec.applyRules === 'One';
  }

  /** A policy's patches count only when none of its rules failed. */
  async mutate(original: RequestContext): Promise<RequestContext> {
    if (original.request.object === undefined) {
      for (const rule of this.#policy.mutateRules) this.rules.push(unasked(rule, 'nothing-to-say'));
      return original;
    }
    let context = original;
    let failed = false;
    let done = false;
    for (const rule of this.#policy.mutateRules) {
      const before = context;
      const {results, context: after} = await this.#rule(rule, before, done, call => {
        const outcome = mutateRule({...call, rule});
        if (outcome === undefined) return {results: []};
        return {
          results: [outcome.result],
          ...(outcome.object !== undefined && {context: before.withObject(outcome.object)}),
        };
      });
      context = after ?? context;
      failed ||= results.some(({status}) => status === 'error' || status === 'fail');
      done ||= this.#one && results.some(({status}) => status === 'pass');
    }
    return failed ? original : context;
  }

  /** Images are verified on what mutation left; what was found is written down for validation to look at. */
  async images(original: RequestContext): Promise<RequestContext> {
    let context = original;
    let record = ImageRecord.empty;
    let done = false;
    for (const rule of this.#policy.imageRules) {
      const before = context;
      const {results, context: after} = await this.#rule(rule, before, done, call => {
        const outcome = imagesRule({...call, rule});
        if (outcome === undefined) return {results: []};
        record = record.with(recordKey(this.#policy.ref), rule.name, outcome.statuses);
        return {
          results: outcome.results,
          ...(outcome.object !== undefined && {context: before.withObject(outcome.object)}),
        };
      });
      context = after ?? context;
      done ||= this.#one && results.some(({status}) => status === 'pass' || status === 'fail');
    }
    const {object} = context.request;
    return object === undefined || this.#policy.imageRules.length === 0
      ? context
      : context.withObject(record.writeTo(object));
  }

  async validate(context: RequestContext): Promise<void> {
    let done = false;
    for (const rule of this.#policy.validateRules) {
      const {results} = await this.#rule(rule, context, done, call => {
        const result = validateRule({...call, rule, bucket: 'all'});
        return {results: result === undefined ? [] : [result]};
      });
      done ||= this.#one && results.some(({status}) => status === 'pass' || status === 'fail');
    }
  }

  targets(context: RequestContext): Promise<void> {
    return this.#background('mutateExisting', context);
  }

  generate(context: RequestContext): Promise<void> {
    return this.#background('generate', context);
  }

  async #background(type: 'mutateExisting' | 'generate', context: RequestContext): Promise<void> {
    for (const rule of this.#policy.backgroundRules) {
      if (rule.type !== type) continue;
      const {results} = await this.#rule(rule, context, this.#backgroundDone, call => ({
        results: backgroundRule({...call, rule}),
      }));
      this.#backgroundDone ||= this.#one && results.some(({status}) => status !== 'skip');
    }
  }

  async #rule(
    rule: CompiledRule,
    context: RequestContext,
    done: boolean,
    judge: (call: RuleCall<CompiledRule>) => Answer,
  ): Promise<Answer> {
    const {namespace} = this.#policy.ref;
    const inside = namespace === '' || (namespace === context.request.namespace && !context.isNamespace);
    if (done || !inside) {
      this.rules.push(unasked(rule, inside ? 'after-first-match' : 'other-namespace'));
      return {results: []};
    }
    const call = {rule, policy: this.#policy, context, run: this.#run, snapshot: this.#options.snapshot};
    this.#run.startRule();
    const answer = await this.#run.complete(() => judge(call));
    this.#run.startRule();
    this.rules.push(await this.#run.complete(() => explainRule(call, answer.results)));
    return answer;
  }
}

function unasked(rule: CompiledRule, outcome: RuleOutcome): RuleExplanation {
  return {
    rule: rule.name,
    type: rule.type === 'validate' && rule.isImageCheck === true ? 'ImageVerify' : ruleTypes[rule.type],
    path: rule.source.path,
    outcome,
    variables: [],
    exceptions: [],
    results: [],
  };
}
