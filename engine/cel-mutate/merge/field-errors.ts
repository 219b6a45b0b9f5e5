import {stringifyJson} from '../../json/stringify.js';
import {isNumber, type Json} from '../../json/types.js';

/** A fault at a place of an object. `path` as in `.spec.containers[name="app"].ports`. */
export interface FieldError {
  readonly path: string;
  readonly message: string;
}

/** One fault on its line, several as an indented list (structured-merge-diff, typed/helpers.go). */
export function fieldErrorsText(errors: readonly FieldError[]): string {
  const lines = errors.map(({path, message}) => (path === '' ? message : `${path}: ${message}`));
  return lines.length === 1 ? lines[0]! : ['errors:', ...lines.map(line => `  ${line}`)].join('\n');
}

/** A value as messages show it: JSON, cut where it is long. */
export function shown(value: Json): string {
  const text = stringifyJson(value);
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** Equal for equal values, whatever the form of their numbers. */
export function identityOf(value: Json): string {
  if (isNumber(value)) return `n${typeof value === 'object' ? value.value : value}`;
  return typeof value === 'string' ? `s${value}` : stringifyJson(value);
}
