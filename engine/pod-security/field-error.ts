import type {Json, JsonObject} from '../json/types.js';
import type {ContainerList} from './pod-view.js';

/** One field of a Pod that breaks a control. */
export interface FieldError {
  /** Place in a Pod: `spec.containers[0].securityContext.privileged`. */
  readonly path: string;
  /** `required`: something must be set; `forbidden`: what is set must not be. */
  readonly type: 'required' | 'forbidden';
  /** The value as messages print it; undefined = none is printed. */
  readonly shown: string | undefined;
  /** What the `values` of an exclusion are compared with. */
  readonly values: readonly string[];
  /** Whether each of `values` has to be excluded, or one of them is enough. */
  readonly needs: 'every' | 'some';
  /** The container it belongs to; undefined for fields of the Pod. */
  readonly container: JsonObject | undefined;
}

export function forbidden(path: string, value: Json, container?: JsonObject): FieldError {
  const text = String(value);
  return {path, type: 'forbidden', shown: text === '' ? undefined : text, values: [text], needs: 'every', container};
}

/** Several values of one list, sorted and printed as Go prints a slice. */
export function forbiddenSet(path: string, values: Iterable<string>, container?: JsonObject): FieldError {
  const sorted = [...new Set(values)].sort();
  return {path, type: 'forbidden', shown: `[${sorted.join(' ')}]`, values: sorted, needs: 'every', container};
}

/** `meaning`: what the absent field stands for; an exclusion of any of these covers its absence. */
export function required(path: string, meaning: readonly string[], container?: JsonObject): FieldError {
  return {path, type: 'required', shown: undefined, values: meaning, needs: 'some', container};
}

/** A volume's source; an exclusion may name its type or one of the texts in it. */
export function forbiddenVolume(path: string, values: readonly string[]): FieldError {
  return {path, type: 'forbidden', shown: undefined, values, needs: 'some', container: undefined};
}

export function fieldPath(list: ContainerList, index: number, field: string): string {
  return `spec.${list}[${index}].${field}`;
}

/** `spec.containers[2].x` → `spec.containers[*].x`, as exclusions name fields. */
export function starredPath(path: string): string {
  return path.replace(/\[\d+\]/g, '[*]');
}
