import type {Json} from '../json/types.js';

/** Names by nesting level, made once: names put together at run time are slow as keys. */
const levels: Array<{readonly element: string; readonly index: string}> = [];

/** `element`, `elementIndex` of the innermost loop, and `element0`, `elementIndex0`, … by nesting level. */
export function elementVariables(element: Json, index: number, depth: number): Readonly<Record<string, Json>> {
  const names = (levels[depth] ??= {element: `element${depth}`, index: `elementIndex${depth}`});
  return {element, elementIndex: index, [names.element]: element, [names.index]: index};
}
