import {ownPath} from '../../engine/json/types.js';
import type {EngineRequest} from '../../engine/types.js';
import type {RequestFilters} from '../../webhook/types.js';
import type {OperatorConfig} from '../config/config-map.js';
import {compileResourceFilters} from '../config/resource-filters.js';
import {compileUserExclusions} from '../config/user-exclusions.js';

export interface FilterOptions {
  readonly protectManagedResources: boolean;
  /** Users below this prefix are the operator itself. */
  readonly ownServiceAccounts: string;
}

/** Requests that no policy sees, as the ConfigMap says at this moment. */
export function requestFilters(config: OperatorConfig, options: FilterOptions): RequestFilters {
  const filtered = compileResourceFilters(config.resourceFilters);
  const excluded = compileUserExclusions(config.userExclusions);
  return {
    excludesUser: user => excluded(user),
    excludesResource: resource => filtered(resource),
    ...(options.protectManagedResources && {protects: (request: EngineRequest) => isManaged(request) && !isOwn(request, options)}),
  };
}

function isManaged(request: EngineRequest): boolean {
  return [request.object, request.oldObject].some(
    object => ownPath(object, 'metadata', 'labels', 'app.kubernetes.io/managed-by') === 'kyverno',
  );
}

function isOwn(request: EngineRequest, options: FilterOptions): boolean {
  const username = request.user?.username ?? '';
  if (username.startsWith(options.ownServiceAccounts)) return true;
  return request.operation === 'DELETE' && username === 'system:serviceaccount:kube-system:namespace-controller';
}
