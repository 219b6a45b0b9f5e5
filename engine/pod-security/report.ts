import {parseImageReference} from '../image/parse-image.js';
import type {FieldError} from './field-error.js';
import {imageOf} from './pod-view.js';
import type {Violation} from './standard.js';

/** `(Forbidden reason: privileged, field error list: [spec.… is forbidden, forbidden values found: true])(…)`. */
export function describeViolations(violations: readonly Violation[], path: readonly string[]): string {
  const prefix = path.map(key => `${key}.`).join('');
  return violations
    .map(violation => {
      const errors = violation.errors.map(error => describeError(error, prefix)).join(', ');
      return `(Forbidden reason: ${reasonOf(violation)}, field error list: [${errors}])`;
    })
    .join('');
}

function reasonOf({check: {source}, errors}: Violation): string {
  if (source.reasons === undefined) return source.reason;
  const distinct = new Set(errors.map(({path, shown}) => (path.startsWith('metadata.') ? path : shown)));
  return distinct.size === 1 ? source.reason : source.reasons;
}

/** `prefix`: where the Pod stands in its controller, `spec.template.` for instance. */
function describeError(error: FieldError, prefix: string): string {
  const path = `${prefix}${error.path}`;
  if (error.type === 'required') return `${path}: Required value`;
  return error.shown === undefined
    ? `${path}: Forbidden`
    : `${path} is forbidden, forbidden values found: ${error.shown}`;
}

export interface Standard {
  readonly level: string;
  readonly version: string;
}

/** Properties of a report's result. */
export function violationProperties(
  {level, version}: Standard,
  violations: readonly Violation[],
): Record<string, string> {
  const all = violations.flatMap(violation => [...otherControl(violation), violation]);
  all.sort((a, b) => a.check.order - b.check.order);
  return {
    standard: level,
    version,
    controls: all.map(({check}) => check.source.id).join(','),
    controlsJSON: JSON.stringify(
      all.map(({check: {source}, errors}) => ({ID: source.id, Name: source.control, Images: imagesOf(errors)})),
    ),
  };
}

/** A weaker check of another control is listed too: who excludes the violation has to name both. */
function otherControl({check, weaker}: Violation): Violation[] {
  return weaker === undefined || weaker.check.source.control === check.source.control ? [] : [weaker];
}

/** Images of the containers at fault, with registry and tag. */
function imagesOf(errors: readonly FieldError[]): string[] {
  const images = new Set<string>();
  for (const {container} of errors) {
    const image = container === undefined ? '' : imageOf(container);
    if (image !== '') images.add(parseImageReference(image, {defaultRegistry: 'docker.io'})?.reference ?? image);
  }
  return [...images];
}
