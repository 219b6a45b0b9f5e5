import type {JsonObject} from '../json/types.js';
import type {Found} from './each-container.js';
import {type FieldError, forbidden} from './field-error.js';
import {containerAt, containerLists, nameOf, type PodView} from './pod-view.js';
import {textAt} from './read.js';

export interface AnnotationRule {
  /** Names of a container's own annotation: this and the container's name. */
  readonly prefix: string;
  /** Whether an annotation of this name is looked at. */
  readonly concerns: (key: string, pod: PodView) => boolean;
  readonly allows: (value: string) => boolean;
}

/** Annotations that choose a forbidden profile, in the order of their names. */
export function annotationErrors(pod: PodView, rule: AnnotationRule): Found {
  if (pod.annotations === undefined) return undefined;
  let errors: FieldError[] | undefined;
  for (const key of Object.keys(pod.annotations)) {
    pod.budget.step();
    if (!rule.concerns(key, pod)) continue;
    const value = textAt(pod.annotations, key);
    if (rule.allows(value)) continue;
    const container = key.startsWith(rule.prefix) ? containerNamed(pod, key.slice(rule.prefix.length)) : undefined;
    (errors ??= []).push(forbidden(`metadata.annotations[${key}]`, value, container));
  }
  return errors?.sort((a, b) => (a.path < b.path ? -1 : 1));
}

export function containerNamed(pod: PodView, name: string): JsonObject | undefined {
  for (const list of containerLists) {
    for (let index = 0; index < pod[list].length; index++) {
      pod.budget.step();
      const container = containerAt(pod[list], index);
      if (nameOf(container) === name) return container;
    }
  }
  return undefined;
}
