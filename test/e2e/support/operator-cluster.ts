import {createServer} from 'node:net';
import {setTimeout as delay} from 'node:timers/promises';
import {type Cluster, type ClusterOptions, startCluster} from '../../cluster/cluster.js';
import {addWitness} from '../../cluster/eventually.js';
import {type InstalledOperator, type InstallOperatorOptions, installOperator} from '../../cluster/install-operator.js';
import {type Barrier, createBarrier} from './barrier.js';
import {ensureBuilt} from './build.js';
import {operatorWitness} from './witness.js';

export interface OperatorCluster extends InstalledOperator {
  readonly cluster: Cluster;
  /** Waits until the API server acts on every webhook configuration written before. */
  readonly barrier: Barrier;
}

/** A control plane with the operator of this work tree, ready to admit. */
export async function startOperatorCluster(
  options: InstallOperatorOptions & {readonly cluster?: ClusterOptions} = {},
): Promise<OperatorCluster> {
  await ensureBuilt();
  if (options.sandboxes === undefined) await webhookPortFree();
  const cluster = await startCluster(options.cluster);
  try {
    const barrier = await createBarrier(cluster);
    const operator = await installOperator(cluster, options);
    const dismiss = addWitness(operatorWitness(cluster, operator.agent));
    return {
      ...operator,
      cluster,
      barrier,
      async stop() {
        dismiss();
        await operator.stop();
        await cluster.stop();
      },
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** There is one port 443: a test run beside ours has to end first. */
export async function webhookPortFree(): Promise<void> {
  for (let tries = 0; ; tries++) {
    const busy = await new Promise<Error | undefined>(resolve => {
      const server = createServer();
      server.once('error', resolve);
      server.listen(443, '127.0.0.1', () => server.close(() => resolve(undefined)));
    });
    if (busy === undefined) return;
    if (tries === 600) throw busy;
    await delay(1000);
  }
}
