import type {FailurePolicy} from '../engine/types.js';

export type AdmissionHandlerName = 'validate' | 'mutate' | 'cel' | 'policy-review' | 'policy-mutate' | 'verify-lease';

export interface AdmissionRoute {
  readonly handler: AdmissionHandlerName;
  /** The path's pattern: a label of bounded number. */
  readonly pattern: string;
  readonly webhook: 'validate' | 'mutate';
  /** Absent on bare paths: policies of both take part, errors are judged as Fail. */
  readonly failurePolicy?: FailurePolicy;
  /** What an error leads to, where that is not the policies' own failure policy. */
  readonly errors?: FailurePolicy;
  /** Fine-grained paths: the one policy, `name` or `namespace/name`. CEL paths: the policy names. */
  readonly policies?: readonly string[];
  /** Of CEL paths: the kind the names belong to. */
  readonly kind?: string;
}

export type HealthRoute =
  | {readonly handler: 'liveness'; readonly pattern: string}
  | {readonly handler: 'readiness'; readonly pattern: string};

export type Route = AdmissionRoute | HealthRoute;

type Failure = Pick<AdmissionRoute, 'failurePolicy' | 'errors'>;

/**
 * `bootstrap`: policies that fail closed, on kinds a cluster needs to come up. Their verdicts count, but nothing that
 * goes wrong on our side may stand in the way.
 */
const failurePolicies: ReadonlyArray<readonly [string, Failure]> = [
  ['fail', {failurePolicy: 'Fail'}],
  ['ignore', {failurePolicy: 'Ignore'}],
  ['bootstrap', {failurePolicy: 'Fail', errors: 'Ignore'}],
];

/** Decides what an error of ours means for a request on this path. */
export function errorPolicy(route: AdmissionRoute): FailurePolicy | undefined {
  return route.errors ?? route.failurePolicy;
}

const reviewPaths = [
  '/policyvalidate',
  '/exceptionvalidate',
  '/celexception/validate',
  '/globalcontextvalidate',
  '/cleanupvalidate',
];

const celPaths: ReadonlyArray<readonly [prefix: string, kind: string, webhook: 'validate' | 'mutate']> = [
  ['/vpol', 'ValidatingPolicy', 'validate'],
  ['/nvpol', 'NamespacedValidatingPolicy', 'validate'],
  ['/mpol', 'MutatingPolicy', 'mutate'],
  ['/nmpol', 'NamespacedMutatingPolicy', 'mutate'],
  ['/mpol-existing', 'MutatingPolicy', 'validate'],
  ['/nmpol-existing', 'NamespacedMutatingPolicy', 'validate'],
  ['/ivpol/validate', 'ImageValidatingPolicy', 'validate'],
  ['/nivpol/validate', 'NamespacedImageValidatingPolicy', 'validate'],
  ['/ivpol/mutate', 'ImageValidatingPolicy', 'mutate'],
  ['/nivpol/mutate', 'NamespacedImageValidatingPolicy', 'mutate'],
  ['/gpol', 'GeneratingPolicy', 'validate'],
  ['/ngpol', 'NamespacedGeneratingPolicy', 'validate'],
];

const fixedRoutes = new Map<string, Route>();
const prefixRoutes: Array<readonly [prefix: string, route: (tail: readonly string[]) => AdmissionRoute | undefined]> =
  [];

for (const webhook of ['validate', 'mutate'] as const) {
  fixedRoutes.set(`/${webhook}`, {handler: webhook, pattern: `/${webhook}`, webhook});
  for (const [segment, failure] of failurePolicies) {
    const path = `/${webhook}/${segment}`;
    fixedRoutes.set(path, {handler: webhook, pattern: path, webhook, ...failure});
    const pattern = `${path}/finegrained/*policy`;
    prefixRoutes.push([
      `${path}/finegrained/`,
      tail =>
        tail.length > 2 ? undefined : {handler: webhook, pattern, webhook, ...failure, policies: [tail.join('/')]},
    ]);
  }
}
for (const path of reviewPaths) fixedRoutes.set(path, {handler: 'policy-review', pattern: path, webhook: 'validate'});
fixedRoutes.set('/policymutate', {handler: 'policy-mutate', pattern: '/policymutate', webhook: 'mutate'});
fixedRoutes.set('/verifymutate', {
  handler: 'verify-lease',
  pattern: '/verifymutate',
  webhook: 'mutate',
  failurePolicy: 'Ignore',
});
for (const name of ['liveness', 'readiness'] as const) {
  fixedRoutes.set(`/health/${name}`, {handler: name, pattern: `/health/${name}`} as HealthRoute);
}
for (const [prefix, kind, webhook] of celPaths) {
  const pattern = `${prefix}/*policies`;
  prefixRoutes.push([`${prefix}/`, policies => ({handler: 'cel', pattern, webhook, kind, policies})]);
}

/** The route of a path without its query, or `undefined`. */
export function findRoute(path: string): Route | undefined {
  const fixed = fixedRoutes.get(path);
  if (fixed !== undefined) return fixed;
  for (const [prefix, build] of prefixRoutes) {
    if (!path.startsWith(prefix)) continue;
    const tail = path.slice(prefix.length).split('/');
    if (tail.every(segment => segment !== '')) return build(tail.map(decodeSegment));
  }
  return undefined;
}

function decodeSegment(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Every path pattern served, for documentation and tests. */
export function servedPatterns(): string[] {
  const patterns = [...fixedRoutes.keys()];
  for (const [, build] of prefixRoutes) patterns.push(build(['x'])!.pattern);
  return patterns;
}
