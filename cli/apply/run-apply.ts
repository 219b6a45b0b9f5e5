import {basename, extname} from 'node:path';
import {formatDiagnostic} from '../../engine/diagnostic.js';
import {emptyContext, loadContextFile} from '../files/context-file.js';
import {FileError, messageOf} from '../files/file-error.js';
import {loadDefinitions} from '../files/load-crds.js';
import {
  type Exceptions,
  isValidException,
  loadExceptionFiles,
  noExceptions,
  sortExceptions,
} from '../files/load-exceptions.js';
import {nameOf, type PolicyLoad} from '../files/load-policies.js';
import type {LoadedResource} from '../files/load-resources.js';
import {policyFamily} from '../files/policy-kinds.js';
import {loadUserInfoFile} from '../files/user-info-file.js';
import {loadValuesFile, type ValuesSpec} from '../files/values-file.js';
import {Evaluator} from '../offline/evaluate.js';
import {withKindsOf} from '../offline/known-kinds.js';
import {keyServicesOf} from '../offline/key-services.js';
import {type PreparedPolicy, preparePolicies} from '../offline/prepare-policies.js';
import type {Streams} from '../output/streams.js';
import type {Cluster, ClusterOptions} from './cluster/open-cluster.js';
import {countResponse, noCounts} from './counters.js';
import {type ApplyFlags, checkFlags, crdPathsOf, parseSet, ttlOf} from './flags.js';
import type {JudgedResource} from './judged.js';
import {loadPayloads, loadPolicies, loadResources, objectsOf} from './load-inputs.js';
import {createMutationOutput} from './mutation-output.js';
import {createWorld, isGlobalEntry} from './offline-world.js';
import {isQuiet, outputMode, writeResults} from './write-results.js';

export interface ApplyEnvironment {
  readonly streams: Streams;
  /** Handed in by the part that carries the Kubernetes client, which most runs do without. */
  readonly openCluster?: OpenCluster;
}

type OpenCluster = (options: ClusterOptions) => Promise<Cluster>;

/** `kyverno apply`: the exit status. Throws `FileError` for what ends the command. */
export async function runApply(
  policyPaths: readonly string[],
  flags: ApplyFlags,
  {streams, openCluster}: ApplyEnvironment,
): Promise<number> {
  checkFlags(policyPaths, flags);
  const cluster = flags.cluster && openCluster !== undefined ? await connect(flags, openCluster) : undefined;
  try {
    return await applyIn(cluster, policyPaths, flags, streams);
  } finally {
    cluster?.close();
  }
}

async function connect({kubeconfig, context}: ApplyFlags, openCluster: OpenCluster): Promise<Cluster> {
  try {
    return await openCluster({kubeconfig, context});
  } catch (error) {
    throw new FileError(`failed to connect to the cluster (${messageOf(error)})`);
  }
}

async function applyIn(
  cluster: Cluster | undefined,
  policyPaths: readonly string[],
  flags: ApplyFlags,
  streams: Streams,
): Promise<number> {
  const mode = outputMode(flags);
  const note = (text: string) => (mode === 'text' || mode === 'table' ? streams.out(text) : streams.err(text));
  const mutations = await createMutationOutput({
    output: flags.output || undefined,
    bare: flags.stdin === true,
    quiet: isQuiet(mode) && !flags.output,
    out: isQuiet(mode) ? streams.err : streams.out,
  });
  const user = flags.userinfo ? await loadUser(flags.userinfo, streams) : undefined;
  const values = flags.valuesFile ? await loadValuesFile(flags.valuesFile) : undefined;
  checkOperation(values);
  const context = flags.contextFile ? await loadContextFile(flags.contextFile) : emptyContext;

  const {resources: described, definitions} = await loadDefinitions(crdPathsOf(flags));
  const base = cluster?.resources ?? described;
  const warn = (text: string) => streams.err(`Warning: ${text}\n`);
  const load = await loadPolicies(policyPaths, {flags, resources: base, warn, progress: note});
  for (const {path, message} of load.skipped) warn(`${path}: ${message}`);
  const onUnreadable = (path: string, why: string) => streams.err(`failed to load resources: ${path}: ${why}\n`);
  const targets = objectsOf(await loadResources(flags.targetResource ?? [], {resources: base, onUnreadable, warn}));
  const params = objectsOf(await loadResources(flags.parameterResource ?? [], {resources: base, onUnreadable, warn}));
  const payloads = [
    {mode: 'JSON', sources: await loadPayloads(flags.json ?? [])},
    {mode: 'HTTP', sources: await loadPayloads(flags.httpPayload ?? [])},
    {mode: 'Envoy', sources: await loadPayloads(flags.envoyPayload ?? [])},
  ] as const;
  const payloadCount = payloads.reduce((sum, {sources}) => sum + sources.length, 0);
  const offline =
    cluster === undefined ? await loadResources(flags.resource ?? [], {resources: base, onUnreadable, warn}) : [];

  const raws = load.documents.map(document => document.raw);
  const resources =
    cluster?.resources ?? withKindsOf(base, [...objectsOf(offline), ...targets, ...params, ...context.resources], raws);
  const keyServices = keyServicesOf(flags, warn);
  const policies = preparePolicies(load.documents, resources, {keyServiceLack: keyServices.lackOf});
  const listed = cluster === undefined ? offline : await fromCluster(cluster, policies, flags, streams);
  const exceptions = await loadExceptions(flags, load, listed);
  const triggers = listed.filter(({object}) => !isGlobalEntry(object));
  const warnings = policies.flatMap(policy =>
    policy.warnings.map(warning => `${policy.key}: ${formatDiagnostic(warning)}`),
  );
  for (const warning of [...load.warnings, ...warnings]) warn(warning);
  if (flags.warningsAsErrors && warnings.length + load.warnings.length > 0) {
    throw new FileError(
      `found ${warnings.length + load.warnings.length} deprecation warning(s) and --warnings-as-errors is set`,
    );
  }

  if ((mode === 'text' || mode === 'table') && !flags.stdin)
    streams.out(banner(policies, triggers.length + payloadCount, exceptions));
  const world = createWorld({
    policies,
    exceptions: exceptions.classic,
    celExceptions: exceptions.cel,
    objects: [...objectsOf(listed), ...targets, ...params],
    visible: [...targets, ...params, ...context.resources],
    definitions,
    images: context.images,
    resources,
    values,
    set: parseSet(flags.set ?? []),
    user,
    registry: flags.registry === true,
    keyServices,
    cluster: cluster?.loader,
  });
  const evaluator = new Evaluator(world);
  const counts = noCounts();
  counts.error += policies.filter(policy => policy.invalid.length > 0).length;
  const judged: JudgedResource[] = [];
  for (const source of triggers) {
    const responses = await evaluator.evaluate(source.object);
    await mutations.write(responses);
    for (const response of responses) countResponse(counts, response, flags.auditWarn === true);
    judged.push({source, responses});
  }
  const cleanups = [];
  for (const source of triggers) {
    const responses = [...(await evaluator.deletions(source.object)), ...(await evaluator.cleanups(source.object))];
    for (const response of responses) countResponse(counts, response, flags.auditWarn === true);
    if (responses.length > 0) cleanups.push({source, responses});
  }
  judged.push(...cleanups);
  for (const {mode, sources} of payloads) {
    for (const source of sources) {
      const responses = [...(await evaluator.payload(source.object, mode)), ...evaluator.refusals(source.object)];
      for (const response of responses) countResponse(counts, response, flags.auditWarn === true);
      judged.push({source, responses});
    }
  }
  writeResults({mode, flags, streams, policies, judged, counts, ttl: ttlOf(flags) ?? 0n});
  return exitCode(counts, flags, streams);
}

async function loadUser(path: string, streams: Streams) {
  const {user, deprecated} = await loadUserInfoFile(path);
  if (deprecated) streams.err(`Warning: ${path}: deprecated form: apiVersion and kind are missing\n`);
  return user;
}

function checkOperation(values: ValuesSpec | undefined): void {
  const operation = values?.globalValues?.['request.operation'];
  if (operation === undefined) return;
  if (typeof operation !== 'string' || !['CREATE', 'UPDATE', 'DELETE', 'CONNECT'].includes(operation)) {
    throw new FileError(
      `invalid global value request.operation ${JSON.stringify(operation)}, expected CREATE, UPDATE, DELETE or CONNECT`,
    );
  }
}

async function loadExceptions(
  flags: ApplyFlags,
  load: PolicyLoad,
  resources: readonly LoadedResource[],
): Promise<Exceptions> {
  const found = flags.exceptionsWithinResources
    ? sortExceptions(
        objectsOf(resources).filter(object => policyFamily(object) === 'exception' && isValidException(object)),
      )
    : (flags.exception ?? []).length > 0
      ? await loadExceptionFiles(flags.exception ?? [])
      : noExceptions;
  if (!flags.exceptionsWithinPolicies) return found;
  const within = sortExceptions(load.documents.map(document => document.raw));
  return {classic: [...found.classic, ...within.classic], cel: [...found.cel, ...within.cel]};
}

/** Objects of the cluster; resource arguments choose among them by name. */
async function fromCluster(
  cluster: Cluster,
  policies: readonly PreparedPolicy[],
  flags: ApplyFlags,
  streams: Streams,
): Promise<readonly LoadedResource[]> {
  const {listResources} = await import('./cluster/list-resources.js');
  const {createProgressBar} = await import('../output/progress-bar.js');
  const bar = createProgressBar('Reading the cluster', {terminal: process.stderr.isTTY === true, write: streams.err});
  const started = performance.now();
  const listed = await listResources(cluster, policies, {
    namespace: flags.namespace ?? '',
    clusterWide: flags.clusterWideResources === true,
    concurrent: flags.concurrent ?? 1,
    pageSize: flags.batchSize ?? 100,
    stopOnError: flags.continueOnError === false,
    onProgress: (done, total) => bar.show(done, total),
    onError: (what, error) => streams.err(`Warning: failed to list ${what}: ${messageOf(error)}\n`),
  }).finally(() => bar.end());
  if (flags.showPerformance)
    streams.err(`read ${listed.length} objects in ${Math.round(performance.now() - started)} ms\n`);
  const names = flags.resource ?? [];
  if (names.length === 0) return listed;
  const missing: string[] = [];
  const chosen = new Set<LoadedResource>();
  for (const name of names) {
    const found = listed.filter(({object}) => namesOf(name).includes(nameOf(object)));
    if (found.length === 0) missing.push(name);
    for (const item of found) chosen.add(item);
  }
  if (missing.length > 0)
    throw new FileError(`failed to load resources: ${missing.join(', ')}: no such object in the cluster`);
  return listed.filter(item => chosen.has(item));
}

function namesOf(argument: string): readonly string[] {
  const base = basename(argument);
  return [argument, base, base.slice(0, base.length - extname(base).length)];
}

function banner(policies: readonly PreparedPolicy[], resources: number, exceptions: Exceptions): string {
  const rules = policies
    .filter(policy => policy.invalid.length === 0)
    .reduce((sum, policy) => sum + policy.ruleCount, 0);
  const count = exceptions.classic.length + exceptions.cel.length;
  return `\nApplying ${rules} policy rule(s) to ${resources} resource(s)${count > 0 ? ` with ${count} exception(s)` : ''}...\n`;
}

function exitCode(counts: ReturnType<typeof noCounts>, flags: ApplyFlags, streams: Streams): number {
  if (counts.fail > 0 || counts.error > 0) return 1;
  const code = flags.warnExitCode ?? 0;
  if (counts.warn > 0 && code !== 0) {
    streams.out(`exit as warnExitCode is ${code}`);
    return code;
  }
  if (counts.pass === 0 && flags.warnNoPass) {
    streams.out('exit as no objects satisfied policy');
    return code;
  }
  return 0;
}
