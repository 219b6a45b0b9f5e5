import {expect} from 'vitest';
import {Budget, defaultLimits} from '../../budget.js';
import type {JsonObject} from '../../json/types.js';
import {viewPod} from '../pod-view.js';
import {registeredChecks} from '../registry.js';
import {compileStandard, type StandardCheck, violationsOf} from '../standard.js';

/** Every version at which a check begins or changes, the one before it, and the newest. */
const boundaries = [...new Set(registeredChecks.flatMap(check => check.versions.map(({since}) => since)))];
export const minors = [...new Set(boundaries.flatMap(minor => [Math.max(0, minor - 1), minor]))].sort((a, b) => a - b);
const versions = [
  ...minors.map(minor => [minor, `v1.${minor}`] as const),
  [Number.POSITIVE_INFINITY, 'latest'] as const,
];

/** A check that objects from one minor version of 1.x to another, both included. */
export type Objection = readonly [check: string, since: number, until?: number];

export interface Case {
  readonly name: string;
  readonly pods: ReadonlyArray<readonly [where: string, pod: JsonObject]>;
  readonly baseline?: readonly Objection[];
  /** Instead of `baseline` at the restricted level. */
  readonly restricted?: readonly Objection[];
}

const standards = versions.map(([minor, version]) => ({
  minor,
  version,
  baseline: compileStandard('baseline', version),
  restricted: compileStandard('restricted', version),
}));

function failing(pod: JsonObject, standard: readonly StandardCheck[]): string {
  const view = viewPod(pod, [], new Budget(defaultLimits, () => 0));
  return (violationsOf(standard, view) ?? []).map(({check}) => check.source.id).join(' ');
}

function expected(objections: readonly Objection[], minor: number): string {
  return objections
    .filter(([, since, until = Number.POSITIVE_INFINITY]) => minor >= since && minor <= until)
    .map(([check]) => check)
    .join(' ');
}

export function one(pod: JsonObject): Case['pods'] {
  return [['the Pod', pod]];
}

export function both(
  name: string,
  allowed: ReadonlyArray<readonly [string, Case['pods']]>,
  bad: readonly Case[],
): Case[] {
  return [
    ...allowed.map(([what, pods]) => ({name: `${name}: ${what} is allowed`, pods})),
    ...bad.map(item => ({...item, name: `${name}: ${item.name}`})),
  ];
}

export const always = (check: string): Pick<Case, 'baseline'> => ({baseline: [[check, 0]]});
export const strict = (check: string, since = 0, until?: number): Pick<Case, 'restricted'> => ({
  restricted: [until === undefined ? [check, since] : [check, since, until]],
});

/** Judges each Pod at both levels and every version, and compares which checks object. */
export function expectVerdicts({pods, baseline = [], restricted = baseline}: Case): void {
  const wanted = standards.map(
    ({minor, version}) => `${version}: ${expected(baseline, minor)} / ${expected(restricted, minor)}`,
  );
  for (const [where, pod] of pods) {
    const got = standards.map(
      standard => `${standard.version}: ${failing(pod, standard.baseline)} / ${failing(pod, standard.restricted)}`,
    );
    expect([where, ...got]).toEqual([where, ...wanted]);
  }
}
