import type {GuideRow} from '../../guide/load.js';
import type {LogReader} from './log-reader.js';
import type {OperatorCluster} from './operator-cluster.js';
import type {Standalone} from './standalone.js';

/** The operator that the rows are tried on, logging JSON at verbosity 4. */
export interface GuideRun {
  readonly operator: OperatorCluster;
  readonly log: LogReader;
}

/** What the tests of one guide share; parts that are started before the tests are asked for when they run. */
export interface GuideContext {
  readonly root: string;
  readonly run: () => GuideRun;
  readonly standalone: () => Standalone;
  /** Registers a test that counts as execution of the row. */
  readonly check: (row: GuideRow, title: string, body: () => Promise<void>) => void;
  /** Rows whose object never reaches a webhook as it is written. */
  readonly completed: string[];
}
