/**
 * Why a node did not match. Made only when something does not match: the path is put together while the failure
 * travels up (`at`), so that a passing match builds none, and texts are rendered once the path is known.
 */
export interface Failure {
  /** `fail` and `negation` are mismatches, `skip` an anchor that did not hold, `pathless` one without a place, `invalid` a pattern that means nothing. */
  readonly kind: 'fail' | 'negation' | 'skip' | 'pathless' | 'invalid';
  /** From the innermost segment to the outermost. */
  readonly segments: string[];
  readonly text: (path: string) => string;
}

export function failure(kind: Failure['kind'], text: (path: string) => string): Failure {
  return {kind, segments: [], text};
}

/** The same failure, seen from the parent of `segment`. */
export function at(segment: string, inner: Failure): Failure {
  inner.segments.push(segment);
  return inner;
}

/** Absolute path of a failure that was found below `base` (which ends with `/`). */
export function pathOf(found: Failure, base = '/'): string {
  let path = base;
  for (let index = found.segments.length - 1; index >= 0; index--) path += `${found.segments[index]}/`;
  return path;
}

export function textOf(found: Failure, base = '/'): string {
  return found.text(pathOf(found, base));
}

/** One skip out of many, their texts joined. */
export function combineSkips(skips: readonly Failure[]): Failure {
  return failure('skip', path => skips.map(skip => textOf(skip, path)).join('; '));
}
