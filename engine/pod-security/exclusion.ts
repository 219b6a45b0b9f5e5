import {isObject, type Json, type JsonObject, own} from '../json/types.js';
import {compileGlobs, globMatch, type TextTest} from '../values/glob.js';
import {type FieldError, starredPath} from './field-error.js';
import {imageOf} from './pod-view.js';

/** One `exclude` entry of a rule or `podSecurity` entry of an exception. */
export interface Exclusion {
  /** Whether this entry alone frees a field error of a control. */
  frees(control: string, error: FieldError): boolean;
}

/** What one exception frees a rule from. */
export interface Exemption {
  /** `namespace/name`. */
  readonly key: string;
  readonly exclusions: readonly Exclusion[];
}

/**
 * Compiles `{controlName, images, restrictedField, values}`. An entry with images frees containers of these images, as
 * they are written; one without frees fields of the Pod itself. `restrictedField` limits it to one field, `values` to
 * values that all match.
 */
export function compileExclusion(raw: JsonObject): Exclusion {
  const control = text(raw, 'controlName');
  const images = texts(raw, 'images');
  const field = text(raw, 'restrictedField');
  const values = texts(raw, 'values');
  const isImage: TextTest | undefined = images.length === 0 ? undefined : compileGlobs(images);
  const isValue: TextTest | undefined = values.length === 0 ? undefined : compileGlobs(values);
  return {
    frees(name, error) {
      if (name === '' || name !== control) return false;
      if (!concerns(error, isImage)) return false;
      if (field !== '' && !namesField(field, error.path)) return false;
      if (isValue === undefined) return true;
      return error.needs === 'every' ? error.values.every(isValue) : error.values.some(isValue);
    },
  };
}

/** A container's annotation stands in the Pod's metadata, so either kind of entry reaches it. */
function concerns(error: FieldError, isImage: TextTest | undefined): boolean {
  const {container} = error;
  if (isImage === undefined) return container === undefined || isAnnotation(error.path);
  return container !== undefined && isImage(imageOf(container));
}

function isAnnotation(path: string): boolean {
  return path.startsWith('metadata.annotations[');
}

/** Annotations are named `metadata.annotations[key]`, the key quoted or not and with wildcards. */
function namesField(field: string, path: string): boolean {
  if (!isAnnotation(path)) return field === path || field === starredPath(path);
  const key = /^metadata\.annotations\[(["']?)(.+)\1\]$/.exec(field)?.[2];
  return key !== undefined && globMatch(key, path.slice('metadata.annotations['.length, -1));
}

function text(raw: JsonObject, key: string): string {
  const value = own(raw, key);
  return typeof value === 'string' ? value : '';
}

function texts(raw: JsonObject, key: string): string[] {
  const value = own(raw, key);
  if (!Array.isArray(value)) return [];
  return value.filter((item: Json) => item !== null && !isObject(item) && !Array.isArray(item)).map(String);
}
