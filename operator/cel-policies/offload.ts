import type {Clock} from '../../adapters/clock.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import type {Environment} from '../../engine/cel/environment.js';
import {apiServerEnvironment} from '../../engine/cel-policies/environment/environments.js';
import type {NamedExpression} from '../../engine/cel-policies/model.js';
import type {CompiledCelPolicy} from '../../engine/cel-policies/types.js';
import type {RegexEngine} from '../../engine/regex/types.js';
import {createWorkQueue} from '../manager/work-queue.js';
import {triedConditions} from '../webhooks/cel-conditions.js';
import {tryExpressions} from '../webhooks/match-condition-trial.js';
import type {WebhookMatchCondition} from '../webhooks/types.js';

export interface OffloadOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly regex: RegexEngine;
  /** The API server took or refused conditions that were open before. */
  readonly onAnswer: () => void;
}

/** Which match conditions the API server judges in our place. */
export interface Offload {
  offloads(policy: CompiledCelPolicy): boolean;
  offloadsCondition(condition: NamedExpression): boolean;
  stop(): Promise<void>;
}

const trialMs = 5_000;
/** Of conditions that are no policy's any more some are remembered; the oldest go. */
const mostAnswers = 4_096;

/**
 * A condition is off-loaded where it means the same to the API server: it is valid there by itself, and neither a missing
 * object (null there, empty here) nor an error in it (a refusal there) would be judged otherwise. What the API server has
 * not confirmed yet is judged here; nothing waits for it.
 */
export function createOffload({client, clock, log, regex, onAnswer}: OffloadOptions): Offload {
  const environment = apiServerEnvironment(regex);
  const meanings = new WeakMap<CompiledCelPolicy, boolean>();
  /** By the conditions' text. */
  const answers = new Map<string, 'open' | 'taken' | 'refused'>();
  const queue = createWorkQueue({
    clock,
    concurrency: 4,
    firstRetryMs: 500,
    maxRetryMs: 30_000,
    async run(text) {
      const refusal = await tryExpressions(client, JSON.parse(text) as WebhookMatchCondition[], {timeoutMs: trialMs});
      answers.set(text, refusal === undefined ? 'taken' : 'refused');
      if (refusal !== undefined) log.warn(`match conditions are judged here: ${refusal}`);
      onAnswer();
    },
    onError: (_text, error) => log.v(2, 'the API server gave no answer on match conditions', {error: String(error)}),
  });

  function meansTheSame(policy: CompiledCelPolicy): boolean {
    let known = meanings.get(policy);
    if (known === undefined) meanings.set(policy, (known = isSame(policy, environment)));
    return known;
  }

  /** The API server has no Namespace for webhooks. */
  function offloadsCondition({expression}: NamedExpression): boolean {
    return environment.compile(expression).program?.variables.has('namespaceObject') === false;
  }

  return {
    offloads(policy) {
      if (!meansTheSame(policy)) return false;
      // As they will be written: names, number and what stands around the expressions are the API server's to refuse, too.
      const conditions = triedConditions(policy, offloadsCondition);
      if (conditions.length === 0) return true;
      const text = JSON.stringify(conditions);
      const answer = answers.get(text);
      if (answer === undefined) {
        for (const oldest of answers.keys()) {
          if (answers.size < mostAnswers) break;
          answers.delete(oldest);
        }
        answers.set(text, 'open');
        queue.add(text);
      }
      return answer === 'taken';
    },
    offloadsCondition,
    stop: () => queue.stop(),
  };
}

function isSame(policy: CompiledCelPolicy, environment: Environment): boolean {
  const {source, failurePolicy} = policy;
  if (source.type === 'deleting') return false;
  // An error there refuses the request; here it is a verdict of a policy that refuses nothing.
  if ('validationActions' in source.spec && failurePolicy === 'Fail' && !source.spec.validationActions.includes('Deny')) return false;
  const isGuarded = policy.variants.length > 1;
  return policy.variants.every(variant => {
    const {behaviour, constraints} = variant;
    if (behaviour.type === 'deleting') return false;
    const operations = new Set((constraints?.resourceRules ?? []).flatMap(rule => rule.operations));
    const withoutObject = ['*', 'DELETE', 'CONNECT'].some(operation => operations.has(operation));
    const withoutOld = ['*', 'CREATE', 'CONNECT'].some(operation => operations.has(operation));
    return behaviour.model.spec.matchConditions.every(({expression}) => {
      const {program} = environment.compile(expression);
      if (program === undefined || program.type.kind !== 'bool') return false;
      const {variables} = program;
      // A false condition that stays here would have hidden an error of one that went there.
      if (failurePolicy === 'Fail' && variables.has('namespaceObject')) return false;
      // What holds a condition to its kinds reads the object as well.
      return !(withoutObject && (isGuarded || variables.has('object'))) && !(withoutOld && variables.has('oldObject'));
    });
  });
}
