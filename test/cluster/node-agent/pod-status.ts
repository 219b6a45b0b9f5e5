import type {Addresses} from './environment.js';
import type {ContainerView} from './types.js';

export interface PodStatusInput {
  readonly startTime: string;
  /** Init containers are through. */
  readonly initialized: boolean;
  readonly initContainers: readonly ContainerView[];
  readonly containers: readonly ContainerView[];
  readonly addresses: Addresses;
}

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly lastTransitionTime: string;
  readonly reason?: string;
}

/** Whether the Pod takes traffic. */
export function isReady({containers, initialized}: Pick<PodStatusInput, 'containers' | 'initialized'>): boolean {
  return initialized && containers.every(({ready}) => ready);
}

/** Computes `status` of a Pod; keeps the transition times of conditions that did not change. */
export function createPodStatus(): (input: PodStatusInput, now: string) => Record<string, unknown> {
  const before = new Map<string, Condition>();
  const condition = (type: string, ok: boolean, now: string, reason?: string): Condition => {
    const status = ok ? 'True' : 'False';
    const last = before.get(type);
    const lastTransitionTime = last?.status === status ? last.lastTransitionTime : now;
    const next = {type, status, lastTransitionTime, ...(ok || reason === undefined ? {} : {reason})} as const;
    before.set(type, next);
    return next;
  };
  return (input, now) => {
    const {containers, initContainers, initialized, startTime, addresses: {podIP, hostIP}} = input;
    const ready = isReady(input);
    return {
      phase: phase(input),
      conditions: [
        condition('PodScheduled', true, now),
        condition('Initialized', initialized, now, 'ContainersNotInitialized'),
        condition('ContainersReady', ready, now, 'ContainersNotReady'),
        condition('Ready', ready, now, 'ContainersNotReady'),
      ],
      hostIP,
      hostIPs: [{ip: hostIP}],
      podIP,
      podIPs: [{ip: podIP}],
      startTime,
      initContainerStatuses: initContainers.map(containerStatus),
      containerStatuses: containers.map(containerStatus),
    };
  };
}

function phase({containers, initContainers, initialized}: PodStatusInput): string {
  const failed = (view: ContainerView) => 'terminated' in view.state && view.state.terminated.exitCode !== 0;
  if (initContainers.some(view => view.finished && failed(view))) return 'Failed';
  if (!initialized) return 'Pending';
  if (containers.every(({finished}) => finished)) return containers.some(failed) ? 'Failed' : 'Succeeded';
  const untouched = containers.some(({state, restartCount}) => 'waiting' in state && restartCount === 0);
  return untouched ? 'Pending' : 'Running';
}

function containerStatus({name, image, state, lastState, restartCount, started, ready, pid}: ContainerView) {
  const containerID = pid === undefined ? '' : `process://${pid}`;
  return {name, image, imageID: '', containerID, ready, started, restartCount, state, lastState};
}
