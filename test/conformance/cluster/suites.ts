import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';

/** One suite that runs against a cluster, as the index describes it. */
export interface ClusterSuite {
  readonly id: string;
  /** Top folder below the root: `chainsaw` or `policies-chainsaw`. */
  readonly kind: string;
  /** Folder of the suite, relative to the root. */
  readonly folder: string;
  readonly family: string;
  readonly policyKinds: readonly string[];
  readonly features: readonly string[];
  readonly tags: readonly string[];
  readonly operatorConfig: string;
  readonly needsNetwork: boolean;
  readonly needsPods: boolean;
  /** The suite itself asks to be left out. */
  readonly skips: boolean;
  /** What Kyverno's own operator gives: `pass`, `fail`, `timeout`, or `skipped` when it was not tried. */
  readonly recorded: string;
}

type IndexEntry = Omit<ClusterSuite, 'folder' | 'recorded' | 'skips'> & {readonly path: string};

/** All suites of the folder that need a cluster, in the order of its index. */
export function readClusterSuites(root: string): readonly ClusterSuite[] {
  const index = JSON.parse(readFileSync(join(root, 'index.json'), 'utf8')) as readonly IndexEntry[];
  const oracle = JSON.parse(readFileSync(join(root, 'oracle-chainsaw.json'), 'utf8')) as {
    readonly suites: readonly {readonly id: string; readonly status: string}[];
  };
  const recorded = new Map(oracle.suites.map(({id, status}) => [id, status]));
  return index
    .filter(({kind}) => kind === 'chainsaw' || kind === 'policies-chainsaw')
    .map(({path, ...entry}) => {
      const status = recorded.get(entry.id) ?? 'skipped';
      const skips = status === 'skipped' && /^ {2}skip: true$/m.test(readFileSync(join(root, path), 'utf8'));
      return {...entry, folder: dirname(path), skips, recorded: status};
    });
}

/**
 * Whether the suite counts: Kyverno's own operator passes it, or was not tried on it and it needs neither a network nor
 * running Pods, unless it asks to be left out.
 */
export function counts({recorded, skips, needsNetwork, needsPods}: ClusterSuite): boolean {
  return recorded === 'pass' || (recorded === 'skipped' && !skips && !needsNetwork && !needsPods);
}
