import type {Clock} from '../../adapters/clock.js';
import {createLeaseElection, type LeaseElection, type LeaseElectionOptions} from '../../adapters/kube/lease.js';
import type {KubeClient} from '../../adapters/kube/types.js';
import type {Logger} from '../../adapters/log/logger.js';

/** What one replica does for all: webhooks, status and certificates; work left by requests; removal; reports. */
export type Duty = 'admission' | 'background' | 'cleanup' | 'reports';

export const allDuties: readonly Duty[] = ['admission', 'background', 'cleanup', 'reports'];

/** The Lease of each, by the names that other tools look for. */
export const leaseOfDuty: Readonly<Record<Duty, string>> = {
  admission: 'kyverno',
  background: 'kyverno-background-controller',
  cleanup: 'kyverno-cleanup-controller',
  reports: 'kyverno-reports-controller',
};

export interface DutiesOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Those that this process is a candidate for; `admission` is elected elsewhere. */
  readonly wanted: ReadonlySet<Duty>;
  readonly election: Pick<LeaseElectionOptions, 'namespace' | 'identity' | 'retryMs' | 'leaseMs' | 'renewDeadlineMs'>;
  readonly onChange: (duty: Duty, leading: boolean) => void;
  /** Who holds the Lease of a duty; empty when nobody. */
  readonly onHolder?: (lease: string, identity: string) => void;
}

export interface Duties {
  /** Whether this replica has the duty now. */
  has(duty: Duty): boolean;
  start(): void;
  /** Gives all Leases back. */
  resign(): Promise<void>;
}

/** One election per duty beside admission: who loses one goes on with the others. */
export function createDuties({client, clock, log, wanted, election, onChange, onHolder}: DutiesOptions): Duties {
  const elections = new Map<Duty, LeaseElection>();
  const held = new Set<Duty>();
  for (const duty of allDuties) {
    if (duty === 'admission' || !wanted.has(duty)) continue;
    const change = (leading: boolean) => {
      if (leading) held.add(duty);
      else held.delete(duty);
      log.info(leading ? `has the duty ${duty}` : `no longer has the duty ${duty}`, {identity: election.identity});
      onChange(duty, leading);
    };
    elections.set(
      duty,
      createLeaseElection({
        ...{client, clock, log, ...election, name: leaseOfDuty[duty]},
        onStartedLeading: () => change(true),
        onStoppedLeading: () => change(false),
        onNewLeader: identity => onHolder?.(leaseOfDuty[duty], identity),
      }),
    );
  }
  return {
    has: duty => held.has(duty),
    start() {
      for (const one of elections.values()) one.start();
    },
    async resign() {
      await Promise.all([...elections.values()].map(one => one.stop()));
    },
  };
}
