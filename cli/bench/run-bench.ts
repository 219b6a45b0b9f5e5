import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {ruleLists} from '../../engine/compile/rule-lists.js';
import type {CompiledPolicy, CompiledRule} from '../../engine/compile/types.js';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import {compileException} from '../../engine/exception/compile-exception.js';
import type {Json} from '../../engine/json/types.js';
import {loadException} from '../../engine/policy/index.js';
import {createEngine} from '../../engine/run/create-engine.js';
import {PolicySnapshot} from '../../engine/snapshot/policy-snapshot.js';
import type {EngineRequest} from '../../engine/types.js';
import {createWorld} from '../apply/offline-world.js';
import {FileError} from '../files/file-error.js';
import {loadExceptionFiles, noExceptions} from '../files/load-exceptions.js';
import {loadPolicyPath, mergeLoads} from '../files/load-policies.js';
import {loadResourcePaths} from '../files/load-resources.js';
import {loadUserInfoFile} from '../files/user-info-file.js';
import {loadValuesFile} from '../files/values-file.js';
import type {OfflineWorld} from '../offline/evaluate.js';
import {withKindsOf} from '../offline/known-kinds.js';
import {preparePolicy} from '../offline/prepare-policies.js';
import {offlineRequest} from '../offline/request.js';
import {prettyJson} from '../output/json-text.js';
import type {Streams} from '../output/streams.js';
import {type BenchEntry, loadBaseline, saveBaseline} from './baseline.js';
import {benchTable} from './bench-table.js';
import {type Comparison, compareBenches} from './compare.js';
import {type MeasureOptions, measure} from './measure.js';

export interface BenchFlags {
  readonly resource?: readonly string[];
  readonly iterations: number;
  readonly warmup: number;
  readonly rounds: number;
  readonly operation?: string;
  readonly save?: string;
  readonly compare?: string;
  /** Percent. */
  readonly threshold: number;
  readonly userinfo?: string;
  readonly valuesFile?: string;
  readonly exception?: readonly string[];
  readonly json?: boolean;
}

/** `kyverno bench`: 1 when something is slower than the baseline beyond the threshold. */
export async function runBench(
  paths: readonly string[],
  flags: BenchFlags,
  {streams, now}: {readonly streams: Streams; readonly now: () => bigint},
): Promise<number> {
  const baseline = flags.compare === undefined ? undefined : await loadBaseline(flags.compare);
  const {world, requests} = await load(paths, flags, text => streams.err(`Warning: ${text}\n`));
  const options = {warmup: flags.warmup, iterations: flags.iterations, rounds: flags.rounds, now};
  const entries: BenchEntry[] = [];
  for (const {compiled, key} of world.policies) {
    if (compiled === undefined) continue;
    const bench = {world, requests, options};
    entries.push({policy: key, rule: '', ...(await benchPolicy(compiled, bench))});
    for (const rule of compiled.rules)
      entries.push({policy: key, rule: rule.name, ...(await benchPolicy(withRule(compiled, rule), bench))});
  }
  if (entries.length === 0) throw new FileError('no policy that can be measured');
  const comparisons = baseline === undefined ? undefined : compareBenches(baseline.entries, entries, flags.threshold);
  if (flags.json)
    streams.out(`${prettyJson({entries, ...(comparisons !== undefined && {comparisons})} as unknown as Json)}\n`);
  else streams.out(benchTable(entries, comparisons));
  if (flags.save !== undefined) await saveBaseline(flags.save, entries);
  return verdict(comparisons ?? [], flags.threshold, streams);
}

function verdict(comparisons: readonly Comparison[], threshold: number, streams: Streams): number {
  const slower = comparisons.filter(({change}) => change === 'slower');
  for (const {policy, rule, percent = 0} of slower) {
    streams.err(
      `${policy}${rule === '' ? '' : `/${rule}`} is ${Math.round(percent)}% slower than the baseline; ${threshold}% is allowed\n`,
    );
  }
  return slower.length > 0 ? 1 : 0;
}

interface Bench {
  readonly world: OfflineWorld;
  readonly requests: readonly EngineRequest[];
  readonly options: MeasureOptions;
}

/** One call is what admission asks of the policy about one object; objects take turns. */
async function benchPolicy(policy: CompiledPolicy, {world, requests, options}: Bench) {
  const exceptions = world.exceptions.flatMap(raw => {
    const {policy: source} = loadException(raw);
    return source === undefined
      ? []
      : [compileException(source, {enabled: true, operatorNamespace: 'kyverno', exceptionNamespace: '*'})];
  });
  const {loader, regex, resources, values} = world;
  const engine = createEngine({
    policies: {current: PolicySnapshot.of([policy], exceptions)},
    loader,
    regex,
    resources: () => resources,
    given: values,
  });
  const only = [policy.ref.key];
  const deadline = Number.POSITIVE_INFINITY;
  const phases: Array<(request: EngineRequest) => unknown> = [];
  if (policy.mutateRules.length > 0) phases.push(request => engine.mutate(request, {only, deadline}));
  if (policy.imageRules.length > 0) phases.push(request => engine.verifyAndPatchImages(request, {only, deadline}));
  if (policy.validateRules.length > 0)
    phases.push(request => engine.validate(request, {only, bucket: 'all', deadline}));
  if (policy.backgroundRules.length > 0) phases.push(request => engine.generate(request, {only, deadline}));
  let turn = 0;
  return measure(() => {
    const request = requests[turn++ % requests.length]!;
    let waiting: Promise<unknown> | undefined;
    for (const phase of phases) {
      const before: Promise<unknown> | undefined = waiting;
      const answer = before === undefined ? phase(request) : before.then(() => phase(request));
      if (answer instanceof Promise) waiting = answer;
    }
    return waiting;
  }, options);
}

function withRule(policy: CompiledPolicy, rule: CompiledRule): CompiledPolicy {
  return {
    ...policy,
    ...ruleLists([rule], policy.source),
    cleanups: [],
  };
}

async function load(paths: readonly string[], flags: BenchFlags, warn: (text: string) => void) {
  if (flags.resource === undefined || flags.resource.length === 0) throw new FileError('--resource is required');
  const loads = mergeLoads(await Promise.all(paths.map(path => loadPolicyPath(path, builtinResourceMap))));
  for (const {path, message} of loads.skipped) warn(`${path}: ${message}`);
  const objects = (await loadResourcePaths(flags.resource, {resources: builtinResourceMap})).map(({object}) => object);
  if (objects.length === 0) throw new FileError('no resource found');
  const documents = loads.documents.filter(({family}) => family === 'classic');
  const others = loads.documents.length - documents.length;
  if (others > 0) warn(`${others} documents are of kinds that are not measured`);
  const resources = withKindsOf(
    builtinResourceMap,
    objects,
    documents.map(({raw}) => raw),
  );
  const policies = documents.map(document => preparePolicy(document, resources));
  for (const {key, invalid, unserved} of policies) {
    if (invalid.length > 0)
      throw new FileError(`policy ${key} is invalid: ${invalid.map(formatDiagnostic).join('; ')}`);
    for (const rule of unserved) warn(`${key}/${rule.name} is not measured: ${rule.reason}`);
  }
  const user = flags.userinfo === undefined ? undefined : (await loadUserInfoFile(flags.userinfo)).user;
  const exceptions = flags.exception === undefined ? noExceptions : await loadExceptionFiles(flags.exception);
  const values = flags.valuesFile === undefined ? undefined : await loadValuesFile(flags.valuesFile);
  const world = createWorld({
    policies,
    exceptions: exceptions.classic,
    objects,
    resources,
    values,
    set: new Map(),
    user,
    registry: false,
    cluster: undefined,
  });
  const operation = flags.operation ?? 'CREATE';
  const requests = objects.map(object =>
    offlineRequest({object, operation, user, resources, subresources: values?.subresources}),
  );
  return {world, requests};
}
