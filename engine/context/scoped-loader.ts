import type {ApiCallRequest, CollectionQuery, ContextLoader, ObjectQuery, Scope} from '../context-loader.js';
import {EvalError} from '../diagnostic.js';
import {confineAccess, scopeImages} from './scoped-images.js';

export interface ScopeOptions {
  /** Lets namespaced policies reach the network (services, registries, names); an installation's choice, off by default. */
  readonly allowServiceCalls: boolean;
}

/**
 * The door with a doorkeeper: what a namespaced policy may reach is decided here and nowhere else. A namespaced policy
 * never reads outside its namespace, whatever its expressions come to.
 */
export function scopeLoader(host: ContextLoader, scope: Scope, options: ScopeOptions): ContextLoader {
  if (scope.kind === 'cluster') return host;
  const {namespace} = scope;
  const confine = (wanted: string, what: string) => {
    if (wanted !== namespace) {
      throw new EvalError(
        `a policy of namespace ${namespace} may not read ${what} of namespace ${wanted || '""'}`,
        'scope',
      );
    }
  };
  return {
    configMap(where, name, load) {
      confine(where, 'a ConfigMap');
      return host.configMap(where, name, load);
    },
    apiCall(request, load) {
      checkApiCall(request, namespace, options);
      return host.apiCall(request, load);
    },
    globalReference() {
      throw new EvalError(`a policy of namespace ${namespace} may not read global context entries`, 'scope');
    },
    imageData(reference, load) {
      if (!options.allowServiceCalls) {
        throw new EvalError(`a policy of namespace ${namespace} may not ask registries`, 'scope');
      }
      if (load.access !== undefined) confineAccess(load.access, namespace);
      return host.imageData(reference, load);
    },
    namespaceLabels(name, load) {
      confine(name, 'the labels');
      return host.namespaceLabels(name, load);
    },
    lookupHost(name, load) {
      if (!options.allowServiceCalls) {
        throw new EvalError(`a policy of namespace ${namespace} may not look up host names`, 'scope');
      }
      return host.lookupHost(name, load);
    },
    resourceGet(query, load) {
      if (isHome(query, namespace)) return host.resourceGet(query, load);
      checkCollection(query, namespace);
      checkSegment(query.name);
      return host.resourceGet(query, load);
    },
    resourceList(query, load) {
      checkCollection(query, namespace);
      return host.resourceList(query, load);
    },
    resourcePost(request, load) {
      checkCollection(request, namespace);
      checkWrite('POST', request.resource, namespace);
      return host.resourcePost(request, load);
    },
    resourceOfKind: (apiVersion, kind, load) => host.resourceOfKind(apiVersion, kind, load),
    kindSchema: (apiVersion, kind, load) => host.kindSchema?.(apiVersion, kind, load),
    openApi: (groupVersion, load) => host.openApi?.(groupVersion, load),
    httpCall(request, load) {
      if (!options.allowServiceCalls) {
        throw new EvalError(
          'http calls are not allowed in namespaced policies: set --allowHTTPInNamespacedPolicies to enable',
          'scope',
        );
      }
      return host.httpCall(request, load);
    },
    // Whoever may demand signatures has to reach the registries that hold them, and what comes back is a verdict.
    get imageDefaults() {
      return host.imageDefaults;
    },
    images: host.images && scopeImages(host.images, namespace),
    now: () => host.now(),
    random: () => host.random(),
  };
}

/** Subresources behind which there is more than data of the namespace: networks, processes, credentials. */
const leadsOut: ReadonlySet<string> = new Set(['proxy', 'exec', 'attach', 'portforward', 'token']);

function checkApiCall(request: ApiCallRequest, namespace: string, options: ScopeOptions): void {
  if (request.service !== undefined) {
    if (request.urlPath !== undefined) throw new EvalError('a call has either urlPath or service', 'scope');
    if (options.allowServiceCalls) return;
    throw new EvalError(`a policy of namespace ${namespace} may not call services`, 'scope');
  }
  const segments = pathSegments(request.urlPath ?? '');
  const at = segments[0] === 'api' ? 2 : segments[0] === 'apis' ? 3 : -1;
  if (at === -1 || segments[at] !== 'namespaces' || segments[at + 1] !== namespace || segments.length < at + 3) {
    throw new EvalError(`path ${request.urlPath ?? ''} is not inside namespace ${namespace} of its policy`, 'scope');
  }
  if (request.method !== 'GET') checkWrite(request.method, segments[at + 2], namespace);
  checkSubresource(segments[at + 4], namespace);
}

/** A write with the operator's rights, and in dry runs too. The review is a question, asked by POST. */
function checkWrite(method: string, resource: string | undefined, namespace: string): void {
  if (resource === 'localsubjectaccessreviews') return;
  throw new EvalError(`a policy of namespace ${namespace} may not ${method} to the API server`, 'scope');
}

function checkSubresource(subresource: string | undefined, namespace: string): void {
  if (subresource !== undefined && leadsOut.has(subresource)) {
    throw new EvalError(`a policy of namespace ${namespace} may not use the subresource ${subresource}`, 'scope');
  }
}

/** The Namespace object itself: expressions have it as `namespaceObject`. */
function isHome({group, resource, subresource, namespace: within, name}: ObjectQuery, namespace: string): boolean {
  return group === '' && resource === 'namespaces' && (subresource ?? '') === '' && within === '' && name === namespace;
}

/** The namespace is part of the path that is made of the query: cluster-scoped objects are not below one. */
function checkCollection(query: CollectionQuery, namespace: string): void {
  if (query.namespace !== namespace) {
    throw new EvalError(
      `a policy of namespace ${namespace} may not use ${query.resource} of namespace ${query.namespace || '""'}`,
      'scope',
    );
  }
  for (const part of [query.group, query.version, query.resource]) if (part !== '') checkSegment(part);
  checkSubresource(query.subresource, namespace);
}

/** A server that decodes a path before it takes it apart would see more segments than we judged. */
function checkSegment(text: string): void {
  if (!isSegment(text)) throw new EvalError(`${JSON.stringify(text.slice(0, 100))} is no name of an object`, 'scope');
}

/** Whether a decoded text is one segment of a path on the API server, and nothing more. */
function isSegment(text: string): boolean {
  return text !== '' && text !== '.' && text !== '..' && !/[/\\%]|\p{Cc}/u.test(text);
}

/** Decoded segments of the path part; `.`, `..`, encoded slashes, control characters and empty segments are refused. */
export function pathSegments(urlPath: string): string[] {
  const path = urlPath.split(/[?#]/, 1)[0] ?? '';
  if (!path.startsWith('/')) throw new EvalError(`urlPath ${urlPath} must start with /`, 'scope');
  const trimmed = path.endsWith('/') ? path.slice(1, -1) : path.slice(1);
  return trimmed.split('/').map(segment => {
    let decoded: string;
    try {
      decoded = decodeURIComponent(segment);
    } catch {
      throw new EvalError(`urlPath ${urlPath} is not validly percent-encoded`, 'scope');
    }
    if (!isSegment(decoded)) {
      throw new EvalError(
        `urlPath ${urlPath} holds a segment that is not allowed: ${JSON.stringify(decoded)}`,
        'scope',
      );
    }
    return decoded;
  });
}
