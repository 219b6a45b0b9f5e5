import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import {systemClock} from '../../adapters/clock.js';
import {readManifests} from '../../adapters/files/manifests.js';
import {readTree} from '../../adapters/files/read-tree.js';
import {watchTree} from '../../adapters/files/watch-tree.js';
import {growHeapSlowly} from '../../adapters/heap-growth.js';
import {createLogger, type Logger} from '../../adapters/log/logger.js';
import {createOfflineContextLoader} from '../../adapters/offline-context-loader.js';
import {createRegexEngine} from '../../adapters/regex/regex-engine.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {createCelEngine} from '../../engine/cel-policies/run/create-cel-engine.js';
import {CelPolicyCache} from '../../engine/cel-policies/snapshot/cel-policy-cache.js';
import {createEngine} from '../../engine/run/create-engine.js';
import {PolicyCache} from '../../engine/snapshot/policy-cache.js';
import {celServing} from '../../operator/cel-policies/serving.js';
import packageJson from '../../package.json' with {type: 'json'};
import {noFilters, noRoles} from '../../webhook/defaults.js';
import {logSink} from '../../webhook/audit/log-sink.js';
import {createMetricsServer} from '../../webhook/metrics/metrics-server.js';
import {createMetrics} from '../../webhook/metrics/metrics.js';
import {createPolicyReview} from '../../webhook/policy-review/review-object.js';
import {createAdmissionServer} from '../../webhook/server.js';
import {celPaths, curlLines} from './curl-lines.js';
import {fileCertificates} from './file-certificates.js';
import {type FolderCaches, type FolderReport, loadFolder} from './load-folder.js';

export interface ServeOptions {
  readonly policies: string;
  readonly resources?: readonly string[];
  readonly host: string;
  readonly port: string;
  readonly metricsPort: string;
  readonly tlsDir?: string;
  readonly loggingFormat: string;
  readonly v: string;
}

/** Exceptions free objects of their own namespace, wherever they are kept; there is no operator's namespace here. */
const exceptions = {enabled: true, operatorNamespace: '', exceptionNamespace: ''} as const;
const regex = createRegexEngine();
const compile = {matchConditions: 'not-available', regex} as const;

/** The admission server off a folder of policies; runs until a signal ends it. Returns the exit code. */
export async function serve(options: ServeOptions): Promise<number> {
  const settings = readSettings(options);
  if ('error' in settings) {
    process.stderr.write(`${settings.error}\n`);
    return 2;
  }
  const missing = [options.policies, ...(options.resources ?? [])].find(path => !existsSync(path));
  if (missing !== undefined) {
    process.stderr.write(`${missing}: no such file or folder\n`);
    return 1;
  }
  growHeapSlowly();
  const log = createLogger({format: settings.format, verbosity: settings.verbosity});
  const resources = () => builtinResourceMap;
  const cache = new PolicyCache({resources, compile, exceptions});
  const cel = new CelPolicyCache({resources, compile: {regex}, exceptions});
  const caches: FolderCaches = {classic: cache, cel};
  const {policies} = options;
  const [certificates, report, loader] = await Promise.all([
    fileCertificates(options.tlsDir, options.host, Date.now()),
    loadFolder(policies, caches),
    contextLoader(options.resources ?? [], log),
  ]);
  const metrics = createMetrics({version: packageJson.version});
  const server = createAdmissionServer({
    engine: createEngine({policies: cache, loader, regex}),
    resources,
    roles: noRoles,
    filters: () => noFilters,
    policyReview: createPolicyReview({resources, compile, exceptions, unknownKinds: 'warn', cel: {regex}}),
    cel: celServing({cache: cel, engine: createCelEngine({policies: cel, loader, regex}), forceIgnore: () => false, backgroundUsers: new Set()}),
    policies: {has: key => cache.policy(key)?.status === 'served'},
    audit: logSink(log),
    certificates,
    readiness: () => ({ready: true, reasons: []}),
    metrics,
    log,
    clock: systemClock,
  });
  try {
    await server.listen(settings.port, options.host);
  } catch (error) {
    log.error(`cannot listen on ${options.host}:${settings.port}`, {error});
    return 1;
  }
  const metricsServer = settings.metricsPort === 0 ? undefined : createMetricsServer({metrics, log});
  await metricsServer?.listen(settings.metricsPort, options.host).catch((error: unknown) => {
    log.warn(`metrics are not served: cannot listen on ${options.host}:${settings.metricsPort}`, {error});
  });
  const url = `https://${options.host === '0.0.0.0' ? '127.0.0.1' : options.host}:${server.address()?.port}`;
  logReport(log, report);
  process.stdout.write(
    [`kyverno ${packageJson.version} serves admission on ${url}, policies of ${resolve(policies)}`, ...curlLines({url, caFile: certificates.caFile, celPaths: celPaths(cel)}), ''].join('\n'),
  );
  const stopWatching = watchTree(policies, () => void reload(policies, caches, log), log);
  await untilSignal();
  stopWatching();
  await server.drain({maxWaitMs: 0, silentMs: 100});
  await metricsServer?.close();
  return 0;
}

let reloading: Promise<void> = Promise.resolve();

/** One after another: two reads at once could publish the older one last. */
function reload(policies: string, caches: FolderCaches, log: Logger): Promise<void> {
  reloading = reloading.then(async () => {
    try {
      logReport(log, await loadFolder(policies, caches));
    } catch (error) {
      log.error('reloading policies failed; the former ones stay', {error});
    }
  });
  return reloading;
}

function logReport(log: Logger, report: FolderReport): void {
  for (const line of report.warnings) log.warn(line);
  for (const line of report.refused) log.error(`refused: ${line}`);
  for (const line of report.loaded) log.info(`loaded ${line}`);
  log.info(`${report.loaded.length} loaded, ${report.refused.length} refused`);
}

async function contextLoader(paths: readonly string[], log: Logger) {
  const objects = [];
  for (const path of paths) {
    const tree = await readTree(path);
    const {manifests, errors} = readManifests(tree.files);
    for (const line of [...tree.problems, ...errors]) log.error(`refused: ${line}`);
    objects.push(...manifests.map(manifest => manifest.object));
  }
  return createOfflineContextLoader({resources: objects, resourceMap: builtinResourceMap, now: systemClock.now});
}

type Settings = {
  readonly port: number;
  readonly metricsPort: number;
  readonly format: 'text' | 'json';
  readonly verbosity: number;
};

function readSettings(options: ServeOptions): Settings | {readonly error: string} {
  const port = readNumber(options.port, 65_535);
  const metricsPort = readNumber(options.metricsPort, 65_535);
  const verbosity = readNumber(options.v, 9);
  if (port === undefined) return {error: `--port ${options.port}: a number from 0 to 65535 is wanted`};
  if (metricsPort === undefined) return {error: `--metrics-port ${options.metricsPort}: a number from 0 to 65535 is wanted`};
  if (verbosity === undefined) return {error: `--v ${options.v}: a number from 0 to 9 is wanted`};
  if (options.loggingFormat !== 'text' && options.loggingFormat !== 'json') {
    return {error: `--loggingFormat ${options.loggingFormat}: text or json is wanted`};
  }
  return {port, metricsPort, verbosity, format: options.loggingFormat};
}

function readNumber(text: string, max: number): number | undefined {
  const value = Number(text);
  return /^\d+$/.test(text) && value <= max ? value : undefined;
}

function untilSignal(): Promise<void> {
  return new Promise(done => {
    process.once('SIGTERM', () => done());
    process.once('SIGINT', () => done());
  });
}
