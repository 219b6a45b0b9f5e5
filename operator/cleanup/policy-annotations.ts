/** On a clean-up policy: `"true"` deletes nothing and tells what would go. */
export const dryRunAnnotation = 'cleanup.kyverno.io/dry-run';
/** On a clean-up policy: `25%`; a run that would delete a larger share of what it looked at deletes nothing. */
export const maxShareAnnotation = 'cleanup.kyverno.io/max-share';

export interface Guards {
  readonly dryRun: boolean;
  readonly maxShare: number | undefined;
  /** What is wrong with an annotation; the run is then a dry one. */
  readonly problem?: string;
}

/** A guard that cannot be read spares everything: nothing is deleted on a guess. */
export function readGuards(annotations: Readonly<Record<string, string>>): Guards {
  const dryRun = annotations[dryRunAnnotation];
  const share = annotations[maxShareAnnotation];
  if (dryRun !== undefined && dryRun !== 'true' && dryRun !== 'false') {
    return {dryRun: true, maxShare: undefined, problem: `annotation ${dryRunAnnotation} must be "true" or "false": nothing is deleted`};
  }
  if (share === undefined) return {dryRun: dryRun === 'true', maxShare: undefined};
  const percent = /^(\d{1,3})\s*%$/.exec(share.trim());
  const value = percent === null ? Number.NaN : Number(percent[1]) / 100;
  if (!(value >= 0 && value <= 1)) {
    return {dryRun: true, maxShare: undefined, problem: `annotation ${maxShareAnnotation} must be a percentage such as "25%": nothing is deleted`};
  }
  return {dryRun: dryRun === 'true', maxShare: value};
}
