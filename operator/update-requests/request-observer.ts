import type {Clock} from '../../adapters/clock.js';
import type {EngineRequest} from '../../engine/types.js';
import type {AdmissionObserver} from '../../webhook/types.js';
import type {BackgroundFamily, BackgroundPolicy, BackgroundRule, Triggered} from './background-policy.js';
import type {RequestCreator} from './request-creator.js';
import type {MemoryWork} from './memory-runs.js';
import {keptParts, readsSecretData} from './rule-reads.js';
import {triggerOf} from './trigger.js';
import {replacedVersion} from './update-request.js';

export interface RequestObserverOptions {
  readonly clock: Pick<Clock, 'now'>;
  readonly families: readonly BackgroundFamily[];
  readonly creator: RequestCreator;
  /** For work that reads what may be stored nowhere. */
  readonly remember: (work: MemoryWork) => void;
  readonly namespace: string;
  /** The operator's own requests trigger only rules that say so. */
  readonly isBackground: (request: EngineRequest) => boolean;
  /** Our own work led to this again: false when that went on for too long. */
  readonly mayChain: (policy: BackgroundPolicy, rule: BackgroundRule, request: EngineRequest) => boolean;
}

/** Of the time that is left, what storing the work needs: no policy's lookups may use it up. */
const storingMs = 300;

/** Turns what was admitted into update requests, before the answer leaves. */
export function createRequestObserver({clock, families, creator, remember, namespace, isBackground, mayChain}: RequestObserverOptions): AdmissionObserver {
  return {
    concerns: (request, route) => families.some(family => family.concerns(request, route)),
    async admitted(request, route, deadline) {
      const background = isBackground(request);
      const judgeBy = deadline - Math.min(storingMs, Math.max(0, deadline - clock.now()) / 2);
      await Promise.all(families.map(family => admit(family, background)));

      async function admit(family: BackgroundFamily, fromUs: boolean): Promise<void> {
        if (!family.concerns(request, route)) return;
        // Each is stored as soon as it is known.
        await Promise.all(family.triggered(request, route, judgeBy).map(async told => Promise.all((await told).map(item => store(family, fromUs, item)))));
      }

      async function store(family: BackgroundFamily, fromUs: boolean, {policy, rules}: Triggered): Promise<void> {
        const wanted = rules.filter(rule => needsRequest(rule, request) && !(fromUs && (rule.skipBackgroundRequests || !mayChain(policy, rule, request))));
        const unstored = wanted.filter(rule => readsUnstored(rule, request));
        for (const work of memoryWorks(family, policy, unstored)) remember(work);
        const works = worksOf(family, policy, wanted.filter(rule => !unstored.includes(rule)));
        await Promise.all(works.map(work => creator.create(work, {deadline})));
      }

      function memoryWorks(family: BackgroundFamily, policy: BackgroundPolicy, rules: readonly BackgroundRule[]): MemoryWork[] {
        return groupsOf(rules).map(group => {
          const trigger = triggerOf(request);
          const contexts = group.map(({name}) => ({rule: name, trigger, deleteDownstream: false}));
          const {operation, raw, user} = request;
          return {policyId: policy.id, trigger, request: {type: family.requestType(group[0]), policy: policy.ref.key, contexts, operation, request: raw, user, replaces: replacedVersion(request)}};
        });
      }

      function worksOf(family: BackgroundFamily, policy: BackgroundPolicy, rules: readonly BackgroundRule[]) {
        return groupsOf(rules).map(group => {
          const [first] = group;
          return {
            namespace,
            type: family.requestType(first),
            policy: policy.ref.key,
            rules: group.map(rule => rule.name),
            trigger: triggerOf(request),
            deleteDownstream: false,
            synchronize: first.type === 'generate' && group.some(rule => rule.synchronize),
            request,
            kept: keptOf(request, group),
            repeats: request.operation === 'CONNECT' || request.subResource !== '' || group.some(rule => rule.repeats),
          };
        });
      }
    },
  };
}

type Group = readonly [BackgroundRule, ...BackgroundRule[]];

/** What is one piece of work: all that generate, each that mutates. */
function groupsOf(rules: readonly BackgroundRule[]): Group[] {
  const [first, ...more] = rules.filter(rule => rule.type === 'generate');
  const mutating = rules.filter(rule => rule.type === 'mutate').map((rule): Group => [rule]);
  return first === undefined ? mutating : [[first, ...more], ...mutating];
}

/** Whether the rule reads the data of a Secret that cannot be read back: no update request may hold it. */
function readsUnstored({reads, readsOld}: BackgroundRule, {object, oldObject, operation, subResource}: EngineRequest): boolean {
  if (subResource !== '' || !(operation === 'DELETE' || readsOld)) return false;
  return readsSecretData(oldObject ?? object, reads);
}

/** Whether nothing but the request tells of the work. */
function needsRequest(rule: BackgroundRule, request: EngineRequest): boolean {
  const {operation} = request;
  // A deletion triggers only what asks for it.
  if (operation === 'DELETE') return rule.operations?.has('DELETE') === true;
  if (rule.type === 'mutate' || operation === 'CONNECT' || request.subResource !== '') return true;
  return !rule.existing || rule.needsRequest || rule.readsOld || rule.repeats || rule.operations !== undefined;
}

function keptOf(request: EngineRequest, rules: readonly BackgroundRule[]): {object?: EngineRequest['object'] & object; oldObject?: EngineRequest['object'] & object} {
  const {object, oldObject, operation, subResource} = request;
  const reads = rules.flatMap(rule => rule.reads);
  const cannotBeRead = operation === 'DELETE' || operation === 'CONNECT' || subResource !== '';
  return {
    ...(cannotBeRead && object !== undefined && {object: keptParts(object, reads)}),
    ...((cannotBeRead || rules.some(rule => rule.readsOld)) && oldObject !== undefined && {oldObject: keptParts(oldObject, reads)}),
  };
}
