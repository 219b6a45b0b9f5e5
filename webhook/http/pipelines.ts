import {allowed} from '../answers.js';
import {type AuditJob, createAuditRun} from '../audit/audit-job.js';
import {type AuditQueue, createAuditQueue} from '../audit/audit-queue.js';
import {after, composeLayers, type Handler, type Layer} from '../context.js';
import {guarded, shielded} from '../deadline.js';
import {celHandler} from '../handlers/cel.js';
import {mutateHandler} from '../handlers/mutate.js';
import {policyReviewHandler} from '../handlers/policy-review.js';
import {validateHandler} from '../handlers/validate.js';
import {verifyLeaseHandler} from '../handlers/verify-lease.js';
import {admissionMetrics} from '../layers/admission-metrics.js';
import {observation} from '../layers/observation.js';
import {operationFilter} from '../layers/operation-filter.js';
import {payloadDump} from '../layers/payload-dump.js';
import {protection} from '../layers/protection.js';
import {requestFilters} from '../layers/request-filters.js';
import {requesterRoles} from '../layers/roles.js';
import {subResourceFilter} from '../layers/sub-resource-filter.js';
import {topLevelKind} from '../layers/top-level-kind.js';
import {describeRequest, logOutcome} from '../log-lines.js';
import type {AdmissionHandlerName} from '../routes.js';
import type {AdmissionLimits, AdmissionServerOptions} from '../types.js';

export interface Pipelines {
  readonly handlers: Readonly<Record<Exclude<AdmissionHandlerName, 'cel'>, Handler>> & {readonly cel?: Handler};
  readonly audit: AuditQueue<AuditJob>;
}

/** While more audit work waits, answers do not wait for more of it. */
const mostWaiting = 8;

/** Every admission path as one function of the decoded review. The order of layers is the contract. */
export function createPipelines(options: AdmissionServerOptions, limits: AdmissionLimits): Pipelines {
  const {clock, log, metrics, engine, policies, filters} = options;
  const audit = createAuditQueue<AuditJob>({
    capacity: limits.auditCapacity,
    maxBytes: limits.auditBytes,
    sizeOf: job => job.size,
    workers: limits.auditWorkers,
    timeoutMs: limits.auditTimeoutMs,
    run: createAuditRun({engine, sink: options.audit, timeoutMs: limits.auditTimeoutMs, clock, log, metrics, traces: options.traces}),
    describe: job => describeRequest(job.request),
    clock,
    log,
    metrics,
  });
  const submit = (job: AuditJob) => void audit.submit(job);
  const dump: readonly Layer[] = [payloadDump(log, () => options.dumpPayload === true)];
  const dumpPatches = () => options.dumpPatches === true;
  const shared = {engine, policies, submit, metrics, log, clock};
  const measured = admissionMetrics({metrics, clock, onAnswer: options.onAnswer});

  const observed = options.observer === undefined ? [] : [observation(options.observer, {clock, log})];

  function resourceLayers(own: readonly Layer[]): Layer[] {
    return [
      topLevelKind(options.resources),
      measured,
      ...own,
      requesterRoles(options.roles),
      ...dump,
      protection(filters),
      requestFilters(filters),
      ...observed,
    ];
  }
  const policyLayers: readonly Layer[] = [measured, subResourceFilter, ...dump];

  const build = (layers: readonly Layer[], handler: Handler): Handler => {
    const judge = shielded(composeLayers(layers, guarded(handler, clock)));
    return context =>
      after(judge(context), answer => {
        logOutcome(log, context, answer);
        return answer;
      });
  };
  return {
    audit,
    handlers: {
      validate: build(
        resourceLayers([]),
        validateHandler({...shared, auditTimeoutMs: limits.auditTimeoutMs, auditsAtOnce: () => audit.waiting <= mostWaiting}),
      ),
      mutate: build(
        resourceLayers([operationFilter]),
        mutateHandler({...shared, dumpPatches}),
      ),
      ...(options.cel !== undefined && {
        cel: build(resourceLayers([]), celHandler({...shared, cel: options.cel, dumpPatches})),
      }),
      'policy-review': build(policyLayers, policyReviewHandler(options.policyReview)),
      'policy-mutate': build(policyLayers, () => allowed),
      'verify-lease': build([], verifyLeaseHandler(clock)),
    },
  };
}
