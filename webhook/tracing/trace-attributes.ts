import type {AdmissionContext} from '../context.js';
import type {AdmissionAnswer} from '../types.js';
import type {TraceEnd} from './request-trace.js';
import type {SpanAttributes} from '../../adapters/tracing/types.js';

const longestText = 512;

/** What is said of the request as a whole; objects and their data never are. */
export function traceEnd(context: AdmissionContext, answer: AdmissionAnswer): TraceEnd {
  const {request, route, topLevelKind, user} = context;
  const {kind, resource} = request;
  const attributes: SpanAttributes = {
    'kyverno.decision.id': request.uid,
    'http.route': route.pattern,
    'admission.request.uid': request.uid,
    'admission.request.name': request.name,
    'admission.request.namespace': request.namespace,
    'admission.request.operation': request.operation,
    'admission.request.dryrun': request.dryRun,
    'admission.request.kind.group': kind.group,
    'admission.request.kind.version': kind.version,
    'admission.request.kind.kind': kind.kind,
    'admission.request.resource.group': resource.group,
    'admission.request.resource.version': resource.version,
    'admission.request.resource.resource': resource.resource,
    'admission.request.subresource': request.subResource,
    'admission.request.user.name': request.user.username,
    'admission.request.user.uid': request.user.uid ?? '',
    'admission.request.user.groups': request.user.groups,
    'admission.request.roles': user?.roles ?? [],
    'admission.request.clusterroles': user?.clusterRoles ?? [],
    'admission.request.group': topLevelKind?.group ?? '',
    'admission.request.version': topLevelKind?.version ?? '',
    'admission.request.kind': topLevelKind?.kind ?? '',
    'admission.request.filtered': context.results === undefined && answer.allowed && answer.error === undefined,
    'admission.response.uid': request.uid,
    'admission.response.allowed': answer.allowed,
    'admission.response.warnings': answer.warnings ?? [],
    'admission.response.patchtype': answer.patch === undefined ? '' : 'JSONPatch',
    ...(answer.message !== undefined && {'admission.response.result.message': answer.message.trim().slice(0, longestText)}),
  };
  return {name: `ADMISSION ${request.operation} ${kind.kind}`, attributes, ...(answer.error !== undefined && {error: answer.error.slice(0, longestText)})};
}
