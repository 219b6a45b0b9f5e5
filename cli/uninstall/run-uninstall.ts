import {systemClock} from '../../adapters/clock.js';
import {type ClusterFlags, openClient} from '../files/open-client.js';
import {processStreams} from '../output/streams.js';
import {uninstall} from './uninstall.js';

export interface UninstallOptions extends ClusterFlags {
  readonly namespace: string;
  readonly deployment: string;
  readonly dryRun?: boolean;
}

export async function runUninstall({namespace, deployment, dryRun = false, ...cluster}: UninstallOptions): Promise<void> {
  const client = openClient(cluster);
  try {
    await uninstall(client, {namespace, deployment, dryRun, clock: systemClock, out: processStreams.out});
  } finally {
    client.close();
  }
}
