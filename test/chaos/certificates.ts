import {setTimeout as delay} from 'node:timers/promises';
import {connect} from 'node:tls';
import {expect, it} from 'vitest';
import {eventually} from '../cluster/eventually.js';
import type {ChaosCluster} from './support/chaos-cluster.js';
import {startLoad} from './support/load.js';
import {namespace} from './support/policies.js';
import {expectNothingWrong, print} from './support/report.js';

const secrets = '/api/v1/namespaces/kyverno/secrets/kyverno-svc.kyverno.svc.kyverno-tls';

/** The Secrets are lost while requests run: the leader makes new ones that overlap with the old. */
export function certificateSuite(get: () => ChaosCluster): void {
  it.each([
    ['the serving pair', ['pair']],
    ['the CA and the serving pair', ['ca', 'pair']],
  ])('are made anew when %s is deleted, and no call is refused', async (title, names) => {
    const chaos = get();
    await chaos.whole();
    const before = await served(chaos);
    const load = startLoad({cluster: chaos.cluster, namespace});
    await load.calm();
    await load.burst(12);
    const begun = performance.now();
    for (const name of names) {
      const {status} = await chaos.cluster.request('DELETE', `${secrets}-${name}`);
      expect(status).toBe(200);
    }
    await eventually(
      async () => {
        // New connections all the while: those that are open have no certificate to check.
        await load.burst(12);
        const now = await served(chaos);
        return now.length === 2 && now.every(fingerprint => !before.includes(fingerprint));
      },
      {what: 'new certificates served', everyMs: 200},
    );
    const took = performance.now() - begun;
    for (let round = 0; round < 5; round++) {
      await load.burst(12);
      await delay(200);
    }
    const outcomes = await load.stop();
    print(`${title} deleted`, outcomes, {'served anew after ms': took});
    expectNothingWrong(outcomes);
    expect(outcomes.filter(({verdict}) => verdict === 'refused').map(({text}) => text)).toEqual([]);
    const {body} = await chaos.cluster.request<{data: Record<string, string>}>('GET', `${secrets}-ca`);
    const bundle = Buffer.from(body.data['tls.crt']!, 'base64').toString('utf8');
    expect(bundle.match(/BEGIN CERTIFICATE/g)).toHaveLength(names.includes('ca') ? 2 : 1);
  });
}

/** Fingerprints of the certificates that the replicas serve with. */
async function served({agent}: ChaosCluster): Promise<string[]> {
  return Promise.all(agent.replicas().map(({webhookPort}) => fingerprintOf(webhookPort)));
}

function fingerprintOf(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    // Which certificate it is, is the question here; the API server checks the chain.
    const socket = connect({host: '127.0.0.1', port, rejectUnauthorized: false}, () => {
      resolve(socket.getPeerCertificate().fingerprint256);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}
