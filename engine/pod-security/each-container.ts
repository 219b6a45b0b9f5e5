import type {JsonObject} from '../json/types.js';
import type {FieldError} from './field-error.js';
import {type ContainerList, containerAt, containerLists, type PodView} from './pod-view.js';
import {objectAt} from './read.js';

/** What a check found: undefined when the Pod is fine, so that good Pods cost no list. */
export type Found = readonly FieldError[] | undefined;
export type PodCheck = (pod: PodView) => Found;

/** One container: `security` is its securityContext, `list` and `index` its place. */
export type ContainerTest = (
  container: JsonObject,
  security: JsonObject | undefined,
  list: ContainerList,
  index: number,
  pod: PodView,
) => FieldError | Found;

/** Init containers, containers, ephemeral containers, in this order. */
export function eachContainer(pod: PodView, test: ContainerTest, found?: FieldError[]): FieldError[] | undefined {
  let errors = found;
  for (const list of containerLists) {
    const containers = pod[list];
    for (let index = 0; index < containers.length; index++) {
      pod.budget.step();
      const container = containerAt(containers, index);
      const error = test(container, objectAt(container, 'securityContext'), list, index, pod);
      if (error === undefined) continue;
      errors ??= [];
      if (isList(error)) errors.push(...error);
      else errors.push(error);
    }
  }
  return errors;
}

function isList(error: FieldError | readonly FieldError[]): error is readonly FieldError[] {
  return Array.isArray(error);
}

export function containerCheck(test: ContainerTest): PodCheck {
  return pod => eachContainer(pod, test);
}

/** What the Pod itself gets wrong, then its containers. */
export function podThenContainers(own: PodCheck, test: ContainerTest): PodCheck {
  return pod => {
    const found = own(pod);
    return eachContainer(pod, test, found === undefined ? undefined : [...found]);
  };
}
