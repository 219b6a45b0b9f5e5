import {systemClock} from '../../adapters/clock.js';
import {growHeapSlowly} from '../../adapters/heap-growth.js';
import {createLogger} from '../../adapters/log/logger.js';
import {fileCertificates} from '../../cli/serve/file-certificates.js';
import {builtinResourceMap} from '../../engine/builtin-resources.js';
import {type Engine, NotImplementedError} from '../../engine/types.js';
import {logSink} from '../../webhook/audit/log-sink.js';
import {createAdmissionServer, createMetrics, noFilters, noRoles} from '../../webhook/index.js';

/**
 * The admission server around an engine that allows everything: what a request costs without any policy work. Takes
 * the folder of certificates as its argument and prints where it listens.
 */
const absent = () => Promise.reject(new NotImplementedError('not part of the bench'));
const nothing = {results: []} as const;
const engine: Engine = {
  validate: () => nothing,
  mutate: request => ({...nothing, object: request.object, patch: []}),
  generate: absent,
  verifyAndPatchImages: request => ({results: [], object: request.object, patch: []}),
  applyBackgroundChecks: () => nothing,
  contextLoader: () => {
    throw new NotImplementedError('not part of the bench');
  },
};
growHeapSlowly();
const log = createLogger({format: 'text', verbosity: 2});
const server = createAdmissionServer({
  engine,
  resources: () => builtinResourceMap,
  roles: noRoles,
  filters: () => noFilters,
  policyReview: {review: () => ({allowed: true, errors: [], warnings: []})},
  policies: {has: () => false},
  audit: logSink(log),
  certificates: await fileCertificates(process.argv[2], '127.0.0.1', Date.now()),
  readiness: () => ({ready: true, reasons: []}),
  metrics: createMetrics({version: 'bench'}),
  log,
  clock: systemClock,
});
await server.listen(0, '127.0.0.1');
process.stdout.write(`serves admission on https://127.0.0.1:${server.address()?.port}\n`);
