import {allowed, failed} from '../answers.js';
import type {GroupVersionKind} from '../../engine/types.js';
import {errorPolicy} from '../routes.js';
import {errorText, type AdmissionContext, type Layer} from '../context.js';
import type {RequestFilters} from '../types.js';

/** Reports and work items of the operator itself: judging them would feed back. */
const ownKinds: ReadonlySet<string> = new Set([
  'AdmissionReport',
  'ClusterAdmissionReport',
  'BackgroundScanReport',
  'ClusterBackgroundScanReport',
  'UpdateRequest',
]);

export function requestFilters(filters: () => RequestFilters): Layer {
  return (context, next) => {
    if (isOwn(context.request.kind)) return allowed;
    try {
      if (excluded(context, filters())) return allowed;
    } catch (error) {
      return failed(errorPolicy(context.route), `failed to apply the request filters: ${errorText(error)}`);
    }
    return next(context);
  };
}

/** Other groups may have kinds of the same names, which are judged like any object. */
function isOwn({group, kind}: GroupVersionKind): boolean {
  return ownKinds.has(kind) && (group === 'kyverno.io' || group.endsWith('.kyverno.io'));
}

function excluded(context: AdmissionContext, filters: RequestFilters): boolean {
  if (filters.excludesUser(context.user!)) return true;
  const {request} = context;
  const {group, version, kind} = context.topLevelKind ?? request.kind;
  const {subResource, namespace, name} = request;
  return filters.excludesResource({group, version, kind, subResource, namespace, name});
}
