import type {FieldError} from './field-error.js';
import type {Exclusion} from './exclusion.js';
import type {PodCheck} from './each-container.js';
import type {PodView} from './pod-view.js';
import {type Level, type RegisteredCheck, registeredChecks} from './registry.js';

/** A check in the version that a standard asks for. */
export interface StandardCheck {
  readonly source: RegisteredCheck;
  readonly order: number;
  readonly run: PodCheck;
  /** The weaker check that this one stands for. */
  readonly overridden: StandardCheck | undefined;
}

export interface Violation {
  readonly check: StandardCheck;
  /** Never empty. */
  readonly errors: readonly FieldError[];
  /** What the overridden check finds: it counts as soon as the stronger one is freed of everything. */
  readonly weaker: Violation | undefined;
}

/**
 * The checks of a level at a version (`v1.24`, `latest`, empty = latest), in Kubernetes' order. A restricted check
 * takes the place of the baseline check that it overrides. Privileged has none.
 */
export function compileStandard(level: Level, version: string): readonly StandardCheck[] {
  if (level === 'privileged') return [];
  const minor = minorOf(version);
  const active = new Map<string, Omit<StandardCheck, 'overridden'>>();
  registeredChecks.forEach((source, order) => {
    if (level === 'baseline' && source.level === 'restricted') return;
    const run = source.versions.findLast(({since}) => since <= minor)?.check;
    if (run !== undefined) active.set(source.id, {source, order, run});
  });
  const overridden = new Set([...active.values()].map(({source}) => source.overrides));
  return [...active.values()]
    .filter(({source}) => !overridden.has(source.id))
    .map(check => {
      const weaker = check.source.overrides === undefined ? undefined : active.get(check.source.overrides);
      return {...check, overridden: weaker === undefined ? undefined : {...weaker, overridden: undefined}};
    });
}

function minorOf(version: string): number {
  const minor = /^v1\.(\d+)$/.exec(version)?.[1];
  return minor === undefined ? Number.POSITIVE_INFINITY : Number(minor);
}

/** Everything in which a Pod breaks a standard; undefined when nothing. */
export function violationsOf(standard: readonly StandardCheck[], pod: PodView): readonly Violation[] | undefined {
  let violations: Violation[] | undefined;
  for (const check of standard) {
    const violation = violationOf(check, pod);
    if (violation !== undefined) (violations ??= []).push(violation);
  }
  return violations;
}

function violationOf(check: StandardCheck, pod: PodView): Violation | undefined {
  const errors = check.run(pod);
  if (errors === undefined || errors.length === 0) return undefined;
  return {check, errors, weaker: check.overridden === undefined ? undefined : violationOf(check.overridden, pod)};
}

/** What is left when exclusions have freed what each of them frees by itself. */
export function reduceViolations(
  violations: readonly Violation[],
  exclusions: readonly Exclusion[],
): readonly Violation[] {
  if (exclusions.length === 0) return violations;
  return violations
    .map(violation => reduced(violation, exclusions))
    .filter(violation => violation !== undefined)
    .sort((a, b) => a.check.order - b.check.order);
}

function reduced(violation: Violation, exclusions: readonly Exclusion[]): Violation | undefined {
  const {control} = violation.check.source;
  const errors = violation.errors.filter(error => !exclusions.some(exclusion => exclusion.frees(control, error)));
  const weaker = violation.weaker === undefined ? undefined : reduced(violation.weaker, exclusions);
  return errors.length === 0 ? weaker : {...violation, errors, weaker};
}
