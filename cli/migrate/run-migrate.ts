import {type ClusterFlags, openClient} from '../files/open-client.js';
import {processStreams} from '../output/streams.js';
import {migrateResource, ownDefinitions} from './migrate.js';

export interface MigrateOptions extends ClusterFlags {
  readonly resource: readonly string[];
  readonly all?: boolean;
}

/** `kyverno migrate` with the Kubernetes client at hand; bundled apart for its size. Stops at the first failure. */
export async function runMigrate({resource, all, ...cluster}: MigrateOptions): Promise<void> {
  const client = openClient(cluster);
  try {
    for (const name of all === true ? await ownDefinitions(client) : resource) await migrateResource(client, name, processStreams);
  } finally {
    client.close();
  }
}
