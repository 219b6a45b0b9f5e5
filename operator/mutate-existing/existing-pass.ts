import type {Clock} from '../../adapters/clock.js';
import {isObject} from '../../engine/json/types.js';
import {apiVersionOf} from '../../engine/resource-map.js';
import type {Core} from '../feature.js';
import {relationOf} from '../generate/relation.js';
import type {BackgroundFamily, BackgroundPolicy, BackgroundRule} from '../update-requests/background-policy.js';
import {type NamedObject, namedObject} from '../update-requests/trigger.js';

/** Has rules that change existing objects look at all their triggers: when their policy comes or changes, and at an interval. */
export interface ExistingPass {
  touch(): void;
  start(): void;
  stop(): void;
}

export interface ExistingPassOptions {
  readonly core: Pick<Core, 'client' | 'log' | 'flags'> & {readonly clock: Clock};
  readonly families: readonly BackgroundFamily[];
  readonly enqueue: (policyId: string, trigger: NamedObject) => void;
}

const settleMs = 500;

export function createExistingPass({core, families, enqueue}: ExistingPassOptions): ExistingPass {
  const {client, clock, log, flags} = core;
  const passed = new Map<string, string>();
  let timer: (() => void) | undefined;
  let interval: (() => void) | undefined;
  let running = false;
  let working: Promise<void> = Promise.resolve();

  function look(): void {
    timer = undefined;
    if (!running) return;
    const served = new Set<string>();
    for (const family of families) {
      for (const policy of family.policies()) {
        const rules = policy.rules.filter(rule => rule.type === 'mutate' && rule.existing);
        if (rules.length === 0) continue;
        served.add(policy.id);
        const version = `${policy.uid} ${policy.version}`;
        if (passed.get(policy.id) === version) continue;
        passed.set(policy.id, version);
        working = working.then(() => passPolicy(policy, rules));
      }
    }
    for (const id of passed.keys()) if (!served.has(id)) passed.delete(id);
  }

  async function passPolicy(policy: BackgroundPolicy, rules: readonly BackgroundRule[]): Promise<void> {
    for (const rule of rules) {
      for (const kind of rule.triggers()) {
        if (!running) return;
        const {group, version, resource, namespaced} = kind;
        let first = true;
        const {namespace} = policy.ref;
        if (namespace !== '' && !namespaced) continue;
        try {
          await client.list(
            {group, version, resource, ...(namespace !== '' && {namespace})},
            {
              onPage(items) {
                for (const item of items.filter(isObject)) {
                  // Where every trigger leads to the same targets, one is enough.
                  if (!rule.targetsByTrigger && !first) return;
                  if (rule.skipBackgroundRequests && relationOf(item) !== undefined) continue;
                  first = false;
                  enqueue(policy.id, namedObject({...item, apiVersion: apiVersionOf(kind), kind: kind.kind}));
                }
              },
            },
          );
        } catch (error) {
          log.error(`background: triggers of policy ${policy.ref.key} rule ${rule.name} could not be listed`, {kind: kind.kind, error: String(error)});
          passed.delete(policy.id);
        }
      }
    }
  }

  function everyInterval(): void {
    interval = clock.schedule(flags.backgroundScanInterval, () => {
      passed.clear();
      touch();
      everyInterval();
    });
  }

  function touch(): void {
    if (running) timer ??= clock.schedule(settleMs, look);
  }

  return {
    touch,
    start() {
      running = true;
      touch();
      everyInterval();
    },
    stop() {
      running = false;
      timer?.();
      interval?.();
      passed.clear();
    },
  };
}
