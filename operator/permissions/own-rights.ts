import type {Clock} from '../../adapters/clock.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';
import {isObject, type Json, type JsonObject, own, ownPath} from '../../engine/json/types.js';

/** What this process may do in the whole cluster, as the API server last said. */
export interface OwnRights {
  /** `undefined` while nothing is known, or where the API server knows of rights that it cannot list. */
  can(verb: string, group: string, resource: string): boolean | undefined;
  /** Asks the API server, at most once in a while; resolves true when the answer is another one than before. */
  refresh(): Promise<boolean>;
}

export interface OwnRightsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Least time between two questions. Default 30 s. */
  readonly pauseMs?: number;
}

interface Rule {
  readonly verbs: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  readonly named: boolean;
}

/** One SelfSubjectRulesReview stands for all questions: policies may name a hundred kinds. */
export function createOwnRights({client, clock, log, pauseMs = 30_000}: OwnRightsOptions): OwnRights {
  let rules: readonly Rule[] | undefined;
  let isComplete = true;
  let text = '';
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<boolean> | undefined;

  async function ask(): Promise<boolean> {
    askedAt = clock.monotonic();
    const review = {apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectRulesReview', spec: {namespace: 'default'}};
    try {
      const answer = await client.create({group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectrulesreviews'}, review);
      const found = ownPath(answer, 'status', 'resourceRules');
      isComplete = ownPath(answer, 'status', 'incomplete') !== true;
      // Who does not say has not said that there are none.
      if (!Array.isArray(found)) return false;
      const next = JSON.stringify(found);
      if (next === text) return false;
      text = next;
      rules = found.filter(isObject).map(readRule);
      return true;
    } catch (error) {
      log.warn('the API server does not say what we may do', {error: String(error)});
      return false;
    }
  }

  return {
    can(verb, group, resource) {
      const granted = rules?.some(rule => !rule.named && has(rule.verbs, verb) && has(rule.groups, group) && has(rule.resources, resource));
      return granted === false && !isComplete ? undefined : granted;
    },
    refresh() {
      if (asking !== undefined) return asking;
      if (clock.monotonic() - askedAt < pauseMs) return Promise.resolve(false);
      asking = ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
  };
}

function readRule(rule: JsonObject): Rule {
  const names = own(rule, 'resourceNames');
  return {
    verbs: texts(own(rule, 'verbs')),
    groups: texts(own(rule, 'apiGroups')),
    resources: texts(own(rule, 'resources')),
    named: Array.isArray(names) && names.length > 0,
  };
}

function texts(value: Json | undefined): ReadonlySet<string> {
  return new Set((Array.isArray(value) ? value : []).filter(item => typeof item === 'string'));
}

function has(set: ReadonlySet<string>, value: string): boolean {
  return set.has('*') || set.has(value);
}
