import type {Core, Feature} from '../feature.js';
import type {BackgroundFamily} from './background-policy.js';
import {celFamily} from './cel-family.js';
import {createChainLimit} from './chain-limit.js';
import {classicFamily} from './classic-family.js';
import {expectingCreator} from './expecting-creator.js';
import {createLimitsTold} from './limits-told.js';
import type {MemoryWork} from './memory-runs.js';
import {createRequestCreator} from './request-creator.js';
import {createRequestObserver} from './request-observer.js';
import {requestsKey, updateRequests} from './update-request.js';

/** Where background work is done, as admission sees it. */
export interface BackgroundLink {
  /** This replica does what update requests ask for. */
  works(): boolean;
  /** The report of an object is to wait for this work, whose findings go into the same write. */
  expect(uid: string, work: string): void;
  /** It is not to be waited for any longer. */
  over(work: string): void;
  /** To be done once, by this process. */
  remember(work: MemoryWork): void;
}

/** Update requests: what admission leaves to be done in the background, by whichever replica. */
export function createRequestsFeature(core: Core, link: BackgroundLink): Feature {
  const {clock, log, manager, environment} = core;
  const families: readonly BackgroundFamily[] = [classicFamily(core), celFamily(core)];
  const mirror = () => manager.lister(requestsKey);
  const serviceAccount = `system:serviceaccount:${environment.namespace}:${environment.serviceAccountName}`;
  const chains = createChainLimit(clock, log);
  const limits = createLimitsTold(core, () => mirror().size);
  return {
    name: 'update requests',
    registrations: [{key: requestsKey, ...updateRequests, namespaced: true, namespace: environment.namespace, optional: true}],
    observer: createRequestObserver({
      clock,
      families,
      creator: expectingCreator(createRequestCreator(core, mirror), link),
      remember: link.remember,
      namespace: environment.namespace,
      isBackground: request => request.user?.username === serviceAccount || core.cel.serving.isBackground(request),
      mayChain: (policy, rule, request) => chains(policy, rule, request),
    }),
    start: () => limits.start(),
    onPolicy: () => limits.onPolicy(),
  };
}
