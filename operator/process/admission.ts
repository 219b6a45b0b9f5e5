import {createPolicyReview} from '../../webhook/policy-review/review-object.js';
import {certificateCheck, readinessOf} from '../../webhook/readiness.js';
import {createAdmissionServer} from '../../webhook/server.js';
import type {AdmissionServer} from '../../webhook/types.js';
import {restoreNulls} from '../config/restore-nulls.js';
import {type FeatureSet, joinSinks} from '../feature-set.js';
import {createWorkerRights} from '../permissions/worker-rights.js';
import {eventSink} from '../serving/event-sink.js';
import type {Tracing} from '../telemetry/tracing.js';
import type {Certificates} from './certificates.js';
import type {Foundations} from './foundations.js';
import type {Judgement} from './judgement.js';

export interface AdmissionOptions {
  readonly certificates: Certificates;
  readonly features: FeatureSet;
  readonly tracing: Tracing | undefined;
  /** Why not everything that judges is loaded. */
  readonly incomplete: () => string | undefined;
  /** Reads the kinds of the API server anew. */
  readonly catchUp: () => Promise<void>;
  readonly onAnswer: () => void;
}

/** The server that the API server asks. */
export function createAdmission({settings, flags, environment, log, clock, metrics, resources, events, workers}: Foundations, judgement: Judgement, {certificates: {tls}, features, tracing, incomplete, catchUp, onAnswer}: AdmissionOptions): AdmissionServer {
  const {cache, cel, engine, roles, filters, compile, celCompile, exceptions} = judgement;
  const {namespace, serviceAccountName} = environment;
  return createAdmissionServer({
    engine,
    resources,
    roles: {rolesOf: (user, where) => roles.rolesOf(user, where)},
    filters,
    policyReview: createPolicyReview({
      ...{resources, compile, exceptions, unknownKinds: 'refuse', catchUp, restore: restoreNulls},
      cel: celCompile,
      rights: createWorkerRights({client: workers.of('background'), account: flags.backgroundServiceAccountName || `system:serviceaccount:${namespace}:${serviceAccountName}`, clock, log}),
    }),
    cel: cel.serving,
    policies: {has: key => cache.policy(key)?.status === 'served'},
    audit: joinSinks([eventSink({events, config: () => settings.config, uidOf: policy => (cel.cache.policy(policy.kind, policy.key) ?? cache.policy(policy.key))?.uid}), ...features.sinks]),
    ...(features.observer !== undefined && {observer: features.observer}),
    certificates: tls,
    readiness: readinessOf([incomplete, certificateCheck(tls, clock)]),
    complete: () => incomplete() === undefined,
    metrics,
    onAnswer,
    traces: tracing,
    log,
    clock,
    limits: {auditCapacity: flags.maxAuditCapacity, auditWorkers: flags.maxAuditWorkers},
    get dumpPayload() {
      return flags.dumpPayload;
    },
    get dumpPatches() {
      return flags.dumpPatches;
    },
  });
}
