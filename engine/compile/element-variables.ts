import type {Json} from '../json/types.js';

/** `element`, `elementIndex` of the innermost loop, and `element0`, `elementIndex0`, … by nesting level. */
export function elementVariables(element: Json, index: number, depth: number): Readonly<Record<string, Json>> {
  return {element, elementIndex: index, [`element${depth}`]: element, [`elementIndex${depth}`]: index};
}
