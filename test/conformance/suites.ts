import {existsSync, readFileSync} from 'node:fs';
import {join, resolve} from 'node:path';

/** One CLI suite with what the recorded run of it gave. */
export interface Suite {
  readonly id: string;
  /** The test file, relative to the folder of suites. */
  readonly path: string;
  readonly family: string;
  readonly features: readonly string[];
  readonly policyKinds: readonly string[];
  readonly flags: readonly string[];
  readonly recorded: {readonly status: string; readonly exit: number; readonly rows: number; readonly why?: string};
  /** What a suite needs that this release does not have; `undefined` when it is served. */
  readonly waitsFor: string | undefined;
}

interface IndexEntry {
  readonly id: string;
  readonly kind: string;
  readonly path: string;
  readonly family: string;
  readonly policyKinds: readonly string[];
  readonly features: readonly string[];
}

interface OracleEntry {
  readonly id: string;
  readonly status: string;
  readonly exit: number;
  readonly rows?: number;
  readonly flags?: readonly string[];
  readonly why?: string;
}

/** Folder of external suites: $CONFORMANCE_DIR, else beside the repository; `undefined` when there is none. */
export function conformanceRoot(): string | undefined {
  const given = process.env['CONFORMANCE_DIR'];
  const candidates = [
    ...(given ? [given] : []),
    resolve(import.meta.dirname, '..', '..', '..', 'shared', 'conformance'),
  ];
  return candidates.find(path => existsSync(join(path, 'oracle-cli.json')));
}

/** All CLI suites of the folder, in the order of its index. */
export function readSuites(root: string): readonly Suite[] {
  const index = JSON.parse(readFileSync(join(root, 'index.json'), 'utf8')) as readonly IndexEntry[];
  const {suites} = JSON.parse(readFileSync(join(root, 'oracle-cli.json'), 'utf8')) as {
    readonly suites: readonly OracleEntry[];
  };
  const recorded = new Map(suites.map(entry => [entry.id, entry]));
  return index
    .filter(entry => entry.kind === 'cli' || entry.kind === 'policies-cli')
    .map(entry => {
      const known = recorded.get(entry.id);
      if (known === undefined) throw new Error(`${entry.id} has no recorded result`);
      const {status, exit, rows = 0, flags = [], why} = known;
      return {
        id: entry.id,
        path: entry.path,
        family: entry.family,
        features: entry.features,
        policyKinds: entry.policyKinds,
        flags,
        recorded: {status, exit, rows, ...(why !== undefined && {why})},
        waitsFor: waitsFor(status),
      };
    });
}

function waitsFor(status: string): string | undefined {
  return status === 'needs-network' ? 'a network' : undefined;
}
