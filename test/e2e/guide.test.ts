import {join} from 'node:path';
import {afterAll, beforeAll, describe, it} from 'vitest';
import {guideRoot} from '../guide/load.js';
import {guideSuite} from './support/guide-suite.js';
import {judgeSystemNamespaces} from './support/judge-system-namespaces.js';
import {createLogReader, type LogReader} from './support/log-reader.js';
import {type OperatorCluster, startOperatorCluster} from './support/operator-cluster.js';

let operator: OperatorCluster;
let log: LogReader;

beforeAll(async () => {
  operator = await startOperatorCluster({args: ['--loggingFormat=json', '--v=4']});
  log = createLogReader(operator.agent);
  await judgeSystemNamespaces(operator.cluster);
});
afterAll(() => operator?.stop());

guideSuite('own samples', join(import.meta.dirname, 'testdata/guide'), () => ({operator, log}));

const root = guideRoot();
if (root === undefined) {
  describe('the guide', () => {
    it.skip('is not here ($CONFORMANCE_DIR or the folder beside the repository): only own samples were tried', () => {});
  });
} else guideSuite('the guide', root, () => ({operator, log}));
