import {type ClusterFlags, openClient} from '../files/open-client.js';
import {processStreams} from '../output/streams.js';
import {breakGlass} from './break-glass.js';

export interface BreakGlassOptions extends ClusterFlags {
  readonly ignore?: boolean;
  readonly dryRun?: boolean;
}

export async function runBreakGlass({ignore = false, dryRun = false, ...cluster}: BreakGlassOptions): Promise<void> {
  const client = openClient(cluster);
  try {
    await breakGlass(client, {ignore, dryRun, out: processStreams.out});
  } finally {
    client.close();
  }
}
