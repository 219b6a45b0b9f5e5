import type {ApiCallRequest, ContextLoader, Scope} from '../context-loader.js';
import {EvalError} from '../diagnostic.js';

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
      throw new EvalError(`a policy of namespace ${namespace} may not read ${what} of namespace ${wanted || '""'}`, 'scope');
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
  // A write with the operator's rights, and in dry runs too. The review is a question, asked by POST.
  if (request.method !== 'GET' && segments[at + 2] !== 'localsubjectaccessreviews') {
    throw new EvalError(`a policy of namespace ${namespace} may not ${request.method} to the API server`, 'scope');
  }
  const subresource = segments[at + 4];
  if (subresource !== undefined && leadsOut.has(subresource)) {
    throw new EvalError(`a policy of namespace ${namespace} may not use the subresource ${subresource}`, 'scope');
  }
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
    if (decoded === '' || decoded === '.' || decoded === '..' || /[/\\%]|\p{Cc}/u.test(decoded)) {
      throw new EvalError(`urlPath ${urlPath} holds a segment that is not allowed: ${JSON.stringify(decoded)}`, 'scope');
    }
    return decoded;
  });
}
