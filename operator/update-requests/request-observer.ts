import type {EngineRequest} from '../../engine/types.js';
import type {AdmissionObserver} from '../../webhook/types.js';
import type {BackgroundFamily, BackgroundPolicy, BackgroundRule} from './background-policy.js';
import type {RequestCreator} from './request-creator.js';
import {keptParts} from './rule-reads.js';
import {triggerOf} from './trigger.js';

export interface RequestObserverOptions {
  readonly families: readonly BackgroundFamily[];
  readonly creator: RequestCreator;
  readonly namespace: string;
  /** The operator's own requests trigger only rules that say so. */
  readonly isBackground: (request: EngineRequest) => boolean;
  /** Our own work led to this again: false when that went on for too long. */
  readonly mayChain: (policy: BackgroundPolicy, rule: BackgroundRule, request: EngineRequest) => boolean;
}

/** Turns what was admitted into update requests, before the answer leaves. */
export function createRequestObserver({families, creator, namespace, isBackground, mayChain}: RequestObserverOptions): AdmissionObserver {
  return {
    concerns: (request, route) => families.some(family => family.concerns(request, route)),
    async admitted(request, route, deadline) {
      const background = isBackground(request);
      await Promise.all(families.map(family => admit(family, background)));

      async function admit(family: BackgroundFamily, fromUs: boolean): Promise<void> {
        if (!family.concerns(request, route)) return;
        const triggered = await family.triggered(request, route, deadline);
        const works = triggered.flatMap(({policy, rules}) => {
          const wanted = rules.filter(rule => needsRequest(rule, request) && !(fromUs && (rule.skipBackgroundRequests || !mayChain(policy, rule, request))));
          return worksOf(family, policy, wanted);
        });
        await Promise.all(works.map(work => creator.create(work, deadline)));
      }

      function worksOf(family: BackgroundFamily, policy: BackgroundPolicy, rules: readonly BackgroundRule[]) {
        const generating = rules.filter(rule => rule.type === 'generate');
        const groups = [...(generating.length > 0 ? [generating] : []), ...rules.filter(rule => rule.type === 'mutate').map(rule => [rule])];
        return groups.map(group => {
          const [first] = group as [BackgroundRule, ...BackgroundRule[]];
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
