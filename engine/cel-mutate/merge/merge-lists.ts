import type {Json} from '../../json/types.js';
import type {ListType} from '../schema/types.js';
import {itemIdentity} from './list-items.js';

/** Merges two elements of the same identity; a left one that is there twice counts as missing. */
type MergeItems = (left: Json | undefined, right: Json) => Json;

/**
 * Elements of both lists, each identity of the right one once: in the right one's order where elements are in both,
 * elements of the left one alone keep their place before the next shared one (structured-merge-diff, typed/merge.go).
 * The right list is valid; `fault` is thrown for an element of the left one without identity.
 */
export function mergeLists(
  left: readonly Json[],
  right: readonly Json[],
  type: ListType,
  {mergeItems, fault}: {readonly mergeItems: MergeItems; readonly fault: (message: string) => Error},
): Json[] {
  const idOf = (item: Json, index: number): string => {
    const identity = itemIdentity(type, item);
    if ('fault' in identity) throw fault(`element ${index}: ${identity.fault}`);
    return identity.id;
  };
  const leftIds = left.map(idOf);
  const rightIds = right.map(idOf);
  const leftItems = new Map<string, Json | undefined>();
  for (const [at, id] of leftIds.entries()) leftItems.set(id, leftItems.has(id) ? undefined : left[at]);
  const inRight = new Set(rightIds);
  const shared = rightIds.filter(id => leftItems.has(id));
  const merged = new Set<string>();
  const result: Json[] = [];
  let nextShared = 0;
  let l = 0;
  let r = 0;
  const takeRight = (): void => {
    const id = rightIds[r]!;
    merged.add(id);
    result.push(mergeItems(leftItems.get(id), right[r]!));
    r++;
    if (shared[nextShared] === id) nextShared++;
  };
  while (l < left.length || r < right.length) {
    if (l < left.length) {
      const id = leftIds[l]!;
      if (r < right.length && id === rightIds[r]) {
        takeRight();
        l++;
        continue;
      }
      if (r < right.length && inRight.has(id) && nextShared < shared.length && shared[nextShared] !== id) {
        l++;
        continue;
      }
      if (!inRight.has(id)) {
        result.push(left[l]!);
        l++;
        continue;
      }
      if (merged.has(id)) l++;
    }
    if (r < right.length) takeRight();
  }
  return result;
}
