import {authzContexts, envoyLibrary, httpAuthzLibrary, jwtLibrary} from '../../cel/authz/libraries.js';
import {createEnvironment} from '../../cel/compile/environment.js';
import type {Environment} from '../../cel/environment.js';
import {apiServerExtensionLibraries, extensionLibraries} from '../../cel/extensions/index.js';
import {
  apiServerLibraries,
  authorizerLibrary,
  kubernetesLibraries,
  mutationLibraries,
} from '../../cel/kubernetes/index.js';
import {kyvernoContexts, kyvernoLibraries} from '../../cel/kyverno/index.js';
import type {Library} from '../../cel/library/library.js';
import {dynType, opaque, type Type} from '../../cel/types/type.js';
import type {Value} from '../../cel/values/value.js';
import type {RegexEngine} from '../../regex/types.js';
import type {CelPolicyType} from '../model.js';
import type {KindEnvironment} from './kind-environment.js';
import {
  exceptionObject,
  exceptionsType,
  namespaceObjects,
  namespaceType,
  nativeRequest,
  policyRequest,
  requestParts,
  requestType,
} from './request-objects.js';
import {variablesType} from './variables-object.js';

export interface EnvironmentQuery {
  readonly type: CelPolicyType;
  /** Of a policy of a namespace. */
  readonly namespace: string | undefined;
  readonly regex: RegexEngine;
}

const shared: Readonly<Record<string, Type>> = {
  object: dynType,
  oldObject: dynType,
  request: requestType,
  namespaceObject: namespaceType,
  variables: variablesType,
};

const authorizerVariables: Readonly<Record<string, Type>> = {
  authorizer: opaque('kubernetes.authorization.Authorizer'),
  'authorizer.requestResource': opaque('kubernetes.authorization.ResourceCheck'),
};

const objects: Library = {
  name: 'kyverno.policy.objects',
  objects: [policyRequest, ...requestParts, ...namespaceObjects, exceptionObject],
};
const nativeObjects: Library = {
  name: 'kubernetes.admission.objects',
  objects: [nativeRequest, ...requestParts, ...namespaceObjects],
};

/** Cost units of one expression of the kinds that Kubernetes' own environment is the base of. */
const costLimit = 1_000_000;

const environments = new WeakMap<RegexEngine, Map<string, Environment>>();

/** The environment that a kind's expressions are compiled in. Made once per kind. */
export function policyEnvironment({type, namespace, regex}: EnvironmentQuery): KindEnvironment {
  const namespaced = namespace !== undefined;
  const environment = once(regex, `${type} ${namespaced}`, () => createPolicyEnvironment(type, namespaced, regex));
  const contexts = kyvernoContexts({namespace});
  return {
    environment,
    contexts,
    has: {exceptions: hasExceptions(type), params: false, generator: type === 'generating', authorizer: false},
  };
}

/** An exception frees images as such: expressions are told nothing of it. */
function hasExceptions(type: CelPolicyType): boolean {
  return type !== 'imageValidating';
}

function createPolicyEnvironment(type: EnvironmentQuery['type'], namespaced: boolean, regex: RegexEngine): Environment {
  const onKubernetes = type === 'validating' || type === 'mutating' || type === 'imageValidating';
  return createEnvironment({
    libraries: [
      ...extensionLibraries,
      ...kubernetesLibraries,
      ...(type === 'mutating' ? mutationLibraries : []),
      objects,
      ...kyvernoLibraries({type, namespaced}),
    ],
    variables: {...shared, ...(hasExceptions(type) && {exceptions: exceptionsType})},
    twoVariableMacros: onKubernetes,
    homogeneousLiterals: type !== 'generating',
    literalValidators: onKubernetes,
    lenientOrValue: type !== 'imageValidating',
    ...(onKubernetes && {costLimit}),
    regex,
  });
}

/** Modes that judge what a proxy asks instead of admission requests. */
export type ProxyMode = 'HTTP' | 'Envoy';

export function isProxyMode(mode: string): mode is ProxyMode {
  return mode === 'HTTP' || mode === 'Envoy';
}

/** The environment of policies for proxies: `object` is the proxy's question, expressions come to its answer or null. */
export function proxyEnvironment({
  mode,
  regex,
}: {
  readonly mode: ProxyMode;
  readonly regex: RegexEngine;
}): KindEnvironment {
  const environment = once(regex, `proxy ${mode}`, () =>
    createEnvironment({
      libraries: [
        ...extensionLibraries,
        ...kubernetesLibraries,
        objects,
        ...kyvernoLibraries({type: 'validating', namespaced: false}),
        mode === 'HTTP' ? httpAuthzLibrary : envoyLibrary,
        jwtLibrary,
      ],
      variables: {...shared, exceptions: exceptionsType},
      twoVariableMacros: true,
      homogeneousLiterals: true,
      literalValidators: true,
      lenientOrValue: true,
      costLimit,
      regex,
    }),
  );
  const {envoy, jwt} = authzContexts;
  const own: Readonly<Record<string, Value>> = {jwt: jwt!, ...(mode === 'Envoy' && {envoy: envoy!})};
  const has = {exceptions: true, params: false, generator: false, authorizer: false};
  return {environment, contexts: {...kyvernoContexts({}), ...own}, has};
}

export interface NativeQuery {
  /** Whether the policy has a paramKind. */
  readonly params: boolean;
  readonly mutating: boolean;
  readonly regex: RegexEngine;
}

/** The environment of the API server's own policies. */
export function nativeEnvironment({params, mutating, regex}: NativeQuery): KindEnvironment {
  const environment = once(regex, `native ${params} ${mutating}`, () =>
    createEnvironment({
      libraries: [
        ...apiServerExtensionLibraries,
        ...apiServerLibraries,
        authorizerLibrary,
        ...(mutating ? mutationLibraries : []),
        nativeObjects,
      ],
      variables: {...shared, ...authorizerVariables, ...(params && {params: dynType})},
      twoVariableMacros: true,
      homogeneousLiterals: true,
      literalValidators: true,
      lenientOrValue: true,
      costLimit,
      regex,
    }),
  );
  return {environment, contexts: {}, has: {exceptions: false, params, generator: false, authorizer: true}};
}

/** What the API server compiles match conditions of webhooks in. */
export function apiServerEnvironment(regex: RegexEngine): Environment {
  return once(regex, 'api server', () =>
    createEnvironment({
      libraries: [...apiServerExtensionLibraries, ...apiServerLibraries, authorizerLibrary, nativeObjects],
      variables: {object: dynType, oldObject: dynType, request: requestType, namespaceObject: namespaceType},
      twoVariableMacros: true,
      homogeneousLiterals: true,
      literalValidators: true,
      lenientOrValue: false,
      costLimit,
      regex,
    }),
  );
}

function once(regex: RegexEngine, key: string, create: () => Environment): Environment {
  let known = environments.get(regex);
  if (known === undefined) environments.set(regex, (known = new Map()));
  let environment = known.get(key);
  if (environment === undefined) known.set(key, (environment = create()));
  return environment;
}
