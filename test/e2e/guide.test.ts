import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {guideRoot} from '../guide/load.js';
import {guideSuite} from './support/guide-suite.js';
import {createLogReader, type LogReader} from './support/log-reader.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';

let operator: OperatorCluster;
let log: LogReader;

beforeAll(async () => {
  operator = await startOperatorCluster({args: ['--loggingFormat=json', '--v=4']});
  log = createLogReader(operator.agent);
  await judgeSystemNamespaces();
});
afterAll(() => operator?.stop());

/** Some rows are about objects of kube-system, which the installation leaves alone until its ConfigMap says otherwise. */
async function judgeSystemNamespaces(): Promise<void> {
  const own = {key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kyverno']};
  const webhooks = JSON.stringify({namespaceSelector: {matchExpressions: [own]}});
  const data = {webhooks, resourceFilters: '[*/*,kyverno,*] [Event,*,*] [ReplicaSet,*,*]'};
  await operator.cluster.kubectl([
    'patch',
    'configmap',
    'kyverno',
    '-n',
    'kyverno',
    '--type=merge',
    '-p',
    JSON.stringify({data}),
  ]);
}

guideSuite('own samples', join(import.meta.dirname, 'testdata/guide'), () => ({operator, log}));

const root = guideRoot();
if (root === undefined) {
  describe('the guide', () => {
    it.skip('is not here ($CONFORMANCE_DIR or the folder beside the repository): only own samples were tried', () => {});
  });
} else guideSuite('the guide', root, () => ({operator, log}));
