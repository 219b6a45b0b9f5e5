import type {JsonObject} from '../../json/types.js';

/** A policy and what loading it has to tell: `path` and a part of the message of each fault, in order, and no other. */
export interface CheckCase {
  readonly title: string;
  readonly policy: JsonObject;
  readonly errors?: ReadonlyArray<readonly [string, string]>;
  readonly warnings?: ReadonlyArray<readonly [string, string]>;
}

/** Faults as pairs of path and message, the message cut down to what is expected where it contains that. */
export function summary(
  items: readonly {readonly path: string; readonly message: string}[],
  expected: CheckCase['errors'] = [],
) {
  return items.map(({path, message}, index) => {
    const part = expected[index]?.[1];
    return [path, part !== undefined && message.includes(part) ? part : message];
  });
}
