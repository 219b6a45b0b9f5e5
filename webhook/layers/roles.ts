import type {AdmissionUser, EngineRequest} from '../../engine/types.js';
import {failed} from '../answers.js';
import {errorPolicy} from '../routes.js';
import {errorText, type AdmissionContext, type Layer} from '../context.js';
import type {RoleLookup} from '../types.js';

/** Looks up the requester's roles; from here on the request has the engine's shape. */
export function requesterRoles(lookup: RoleLookup): Layer {
  return (context, next) => {
    const {request} = context;
    let found: ReturnType<RoleLookup['rolesOf']>;
    try {
      found = lookup.rolesOf(request.user, request.namespace);
    } catch (error) {
      return failed(errorPolicy(context.route), `failed to look up the roles of the requester: ${errorText(error)}`);
    }
    context.user = {...request.user, roles: found.roles, clusterRoles: found.clusterRoles};
    context.engineRequest = engineRequest(context, context.user);
    return next(context);
  };
}

function engineRequest(context: AdmissionContext, user: AdmissionUser): EngineRequest {
  const {request} = context;
  return {
    uid: request.uid,
    kind: context.topLevelKind ?? request.kind,
    resource: request.resource,
    subResource: request.subResource,
    namespace: request.namespace,
    name: request.name,
    operation: request.operation,
    object: request.object,
    oldObject: request.oldObject,
    user,
    dryRun: request.dryRun,
    raw: request.raw,
  };
}
