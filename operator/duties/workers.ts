import type {KubeClient} from '../../adapters/kube/types.js';
import type {Flags} from '../config/flags.js';
import type {Duty} from './duties.js';

export interface Workers {
  /** Who acts for a duty. */
  readonly of: (duty: Duty) => KubeClient;
  close(): void;
}

export interface WorkersOptions {
  readonly flags: Pick<Flags, 'backgroundServiceAccountName' | 'cleanupServiceAccountName' | 'reportsServiceAccountName'>;
  readonly own: KubeClient;
  /** Whom `own` acts as: `system:serviceaccount:NAMESPACE:NAME`. */
  readonly ownUser: string;
  /** A client that acts as `user`. */
  readonly create: (user: string) => KubeClient;
}

/** One client per service account that is named; the process's own where none is. */
export function createWorkers({flags, own, ownUser, create}: WorkersOptions): Workers {
  const users: Readonly<Record<Duty, string>> = {
    admission: '',
    background: flags.backgroundServiceAccountName,
    cleanup: flags.cleanupServiceAccountName,
    reports: flags.reportsServiceAccountName,
  };
  const clients = new Map<string, KubeClient>();
  return {
    of(duty) {
      const user = users[duty];
      if (user === '' || user === ownUser) return own;
      let client = clients.get(user);
      if (client === undefined) clients.set(user, (client = create(user)));
      return client;
    },
    close() {
      for (const client of clients.values()) client.close();
    },
  };
}
