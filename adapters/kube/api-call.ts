export type ApiOperation = 'create' | 'get' | 'list' | 'update' | 'update_status' | 'patch' | 'delete' | 'delete_collection' | 'watch';

/** What a request to the API server is about, for counting. */
export interface ApiCall {
  readonly operation: ApiOperation;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty for cluster-scoped objects and for whole kinds. */
  readonly namespace: string;
}

/** Reads it off method and path (percent-encoded, without query); `undefined` for paths that are no resource's. */
export function apiCall(method: string, path: string): ApiCall | undefined {
  const [root, ...rest] = path.split('/').slice(1);
  let group = '';
  if (root === 'apis') group = rest.shift() ?? '';
  else if (root !== 'api') return undefined;
  const version = rest.shift();
  let namespace = '';
  // `/namespaces/x` is a Namespace, `/namespaces/x/pods` is in it.
  if (rest[0] === 'namespaces' && rest.length > 2 && rest[2] !== 'status' && rest[2] !== 'finalize') {
    namespace = decoded(rest[1] ?? '');
    rest.splice(0, 2);
  }
  const [resource, name, subresource] = rest;
  if (version === undefined || resource === undefined || resource === '') return undefined;
  return {operation: operationOf(method, name, subresource), group: decoded(group), version: decoded(version), resource: decoded(resource), namespace};
}

function operationOf(method: string, name: string | undefined, subresource: string | undefined): ApiOperation {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return subresource === 'status' ? 'update_status' : 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === undefined ? 'delete_collection' : 'delete';
    default:
      return name === undefined ? 'list' : 'get';
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
