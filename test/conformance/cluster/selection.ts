import {parseArgs} from 'node:util';
import {type ClusterSuite, counts} from './suites.js';

/** What the command line asks for. */
export interface Selection {
  readonly kinds: readonly string[];
  /** Families by name; `validate` takes `validate/clusterpolicy` too. */
  readonly families: readonly string[];
  /** Parts of suite ids. */
  readonly suites: readonly string[];
  /** Parts of ids of suites that are left out. */
  readonly without: readonly string[];
  /** Only suites that count for the figure (see `counts`). */
  readonly onlyPassing: boolean;
  /** Only the listed sample. */
  readonly sample: boolean;
  /** Leave out suites that have a result already. */
  readonly resume: boolean;
  /** Only suites whose last result is no pass. */
  readonly failed: boolean;
  /** Suites that need running Pods and those that need a network, which are left out unless named. */
  readonly pods: boolean;
  readonly network: boolean;
  /** Every nth suite, counted from `index`. */
  readonly shard: {readonly index: number; readonly count: number};
  readonly list: boolean;
  readonly report: boolean;
  /** Seconds that an assertion of the first attempt may take at most. */
  readonly patience: number;
  readonly retry: boolean;
  /** Where results and logs go, instead of the usual folder. */
  readonly output: string | undefined;
  /** Leave the control plane running after the last suite, until Ctrl-C. */
  readonly hold: boolean;
}

export const usage = `npm run conformance:cluster -- [options]

  --kind NAME        chainsaw (default), policies-chainsaw or all
  --family NAME      one family; may be repeated
  --suite TEXT       suites whose id contains the text; may be repeated
  --without TEXT     not those whose id contains the text; may be repeated
  --only-passing     only suites that count: Kyverno's operator passes them
  --sample           only the sample that CI runs
  --resume           leave out suites that have a result
  --failed           only suites whose last result is no pass
  --pods, --network  take suites that need running Pods, or a network, too
  --shard 1/2        one part of several
  --patience 40      longest assertion of a first attempt, in seconds
  --no-retry         no second attempt with the suite's own timeouts
  --output FOLDER    results and logs go there
  --list             say what would run
  --report           only write docs/compatibility.md from the results
  --hold             leave the last control plane running until Ctrl-C
`;

/** Flags that are not known or make no sense. */
export class UsageError extends Error {}

/** Throws a UsageError on flags that are not known or make no sense. */
export function parseSelection(args: readonly string[]): Selection {
  try {
    return parse(args);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function parse(args: readonly string[]): Selection {
  const many = {type: 'string', multiple: true, default: [] as string[]} as const;
  const off = {type: 'boolean', default: false} as const;
  const {values} = parseArgs({
    args: [...args],
    options: {
      kind: {type: 'string', default: 'chainsaw'},
      family: many,
      suite: many,
      without: many,
      'only-passing': off,
      sample: off,
      resume: off,
      failed: off,
      pods: off,
      network: off,
      shard: {type: 'string', default: '1/1'},
      patience: {type: 'string', default: '40'},
      'no-retry': off,
      output: {type: 'string'},
      list: off,
      report: off,
      hold: off,
    },
  });
  const kinds = values.kind === 'all' ? ['chainsaw', 'policies-chainsaw'] : [values.kind];
  if (kinds.some(kind => !['chainsaw', 'policies-chainsaw'].includes(kind))) throw new Error(`no kind ${values.kind}`);
  const patience = Number(values.patience);
  if (!(patience > 0)) throw new Error('--patience wants seconds');
  return {
    kinds,
    families: values.family,
    suites: values.suite,
    without: values.without,
    onlyPassing: values['only-passing'],
    sample: values.sample,
    resume: values.resume,
    failed: values.failed,
    pods: values.pods,
    network: values.network,
    shard: parseShard(values.shard),
    list: values.list,
    report: values.report,
    patience,
    retry: !values['no-retry'],
    output: values.output,
    hold: values.hold,
  };
}

function parseShard(text: string): Selection['shard'] {
  const [index = 0, count = 0] = text.split('/').map(Number);
  if (!(Number.isInteger(index) && Number.isInteger(count) && index >= 1 && index <= count)) {
    throw new Error('--shard wants two numbers such as 1/2');
  }
  return {index: index - 1, count};
}

export interface Known {
  /** Suites of the sample. */
  readonly sample: ReadonlySet<string>;
  /** Last status by suite. */
  readonly results: ReadonlyMap<string, string>;
}

/** The suites to run, in their order. */
export function select(suites: readonly ClusterSuite[], selection: Selection, known: Known): readonly ClusterSuite[] {
  const named = selection.suites.length > 0;
  const chosen = suites.filter(suite => {
    const {id, kind, family} = suite;
    if (!selection.kinds.includes(kind)) return false;
    const inFamily = (name: string) => family === name || family.startsWith(`${name}/`);
    if (selection.families.length > 0 && !selection.families.some(inFamily)) return false;
    if (named && !selection.suites.some(text => id.includes(text))) return false;
    if (selection.without.some(text => id.includes(text))) return false;
    if (selection.onlyPassing && !counts(suite)) return false;
    if (selection.sample && !known.sample.has(id)) return false;
    if (!(named || selection.pods || suite.recorded === 'pass') && suite.needsPods) return false;
    if (!(named || selection.network || suite.recorded === 'pass') && suite.needsNetwork) return false;
    const last = known.results.get(id);
    if (selection.resume && last !== undefined) return false;
    return !(selection.failed && (last === undefined || last === 'pass'));
  });
  const {index, count} = selection.shard;
  return chosen.filter((_, position) => position % count === index);
}
