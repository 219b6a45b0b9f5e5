import {allDuties, createDuties, type Duty, leaseOfDuty} from '../duties/duties.js';
import type {LiveReplicas} from '../leases/live-replicas.js';
import {writePeerCondition} from '../takeover/deployment-condition.js';
import {createPeerWatch} from '../takeover/peer-watch.js';
import type {Foundations} from './foundations.js';

export interface LeadershipOptions {
  readonly replicas: () => LiveReplicas;
  readonly isReady: () => boolean;
  /** This replica leads, or does no more. */
  readonly onLead: (now: boolean) => void;
  readonly onDuty: (duty: Duty, now: boolean) => void;
}

export type Leadership = ReturnType<typeof createLeadership>;

/** Whether this replica leads: it holds the Lease, and no other installation works beside ours. */
export function createLeadership({flags, environment, log, clock, metrics, client, manager, events}: Foundations, {replicas, isReady, onLead, onDuty}: LeadershipOptions) {
  const {namespace, podName} = environment;
  /** Holds the Lease; whether anything may be written is another question. */
  let holding = false;
  let leading = false;

  const election = {
    namespace,
    identity: podName,
    // As client-go has it: six and five tries.
    retryMs: flags.leaderElectionRetryPeriod,
    leaseMs: 6 * flags.leaderElectionRetryPeriod,
    renewDeadlineMs: 5 * flags.leaderElectionRetryPeriod,
  };

  const peer = createPeerWatch({
    clock,
    log,
    registry: metrics.registry,
    deployments: () => manager.lister('peer-deployments'),
    ownDeployment: environment.deployment,
    replicas: () => [podName, ...replicas().list().map(({identity}) => identity)],
    leaseMs: election.leaseMs,
    onChange: onPeer,
  });

  const wanted = new Set<Duty>(flags.roles as readonly Duty[]);
  const duties = createDuties({
    client,
    clock,
    log,
    wanted,
    election,
    onChange: applyDuty,
    onHolder: (lease, identity) => peer.held(lease, identity),
  });

  const has = (duty: Duty) => (duty === 'admission' ? leading : duties.has(duty) && !peer.isActive);

  function applyDuty(duty: Duty): void {
    const now = has(duty);
    manager.setLeading(now, duty);
    onDuty(duty, now);
  }

  /** A leader with a peer beside it keeps the Lease, so that the other one does not lead, and does nothing. */
  function apply(): void {
    leading = holding && !peer.isActive;
    manager.setLeading(leading);
    onLead(leading);
  }

  function onPeer(): void {
    const {message} = peer;
    if (leading !== (holding && !peer.isActive)) apply();
    if (isReady()) for (const duty of allDuties) if (duty !== 'admission') applyDuty(duty);
    if (message !== undefined) {
      events.emit({
        regarding: {apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: environment.deployment},
        reason: 'PeerActive',
        action: 'None',
        note: message,
        source: 'kyverno-admission',
      });
    }
    void writePeerCondition({client, clock, log, namespace, deployment: environment.deployment}, message);
  }

  return {
    duties,
    has,
    get leading() {
      return leading;
    },
    election: {...election, name: leaseOfDuty.admission, onNewLeader: (identity: string) => peer.held(leaseOfDuty.admission, identity)},
    candidate: wanted.has('admission'),
    hold(now: boolean) {
      holding = now;
      log.info(now ? 'leading' : 'no longer leading', {identity: podName});
      apply();
    },
    touchPeer: () => peer.touch(),
    stop: () => peer.stop(),
  };
}
