import {deepEqual} from '../json/equal.js';
import {isObject, type Json, own} from '../json/types.js';

export type ListEdit =
  | {readonly kind: 'keep' | 'change' | 'replace'; readonly from: number; readonly to: number}
  | {readonly kind: 'remove'; readonly from: number}
  | {readonly kind: 'add'; readonly to: number};

/** Beyond this many pairs the middle of two lists is aligned by position only. */
const maxPairs = 10_000;
const stepCost = 2;
const replaceCost = 3;

/** The cheapest edits, in order, that turn one list into another; ties are broken the same way always. */
export function alignLists(from: readonly Json[], to: readonly Json[]): ListEdit[] {
  const edits: ListEdit[] = [];
  const shorter = Math.min(from.length, to.length);
  let head = 0;
  while (head < shorter && deepEqual(from[head], to[head])) {
    edits.push({kind: 'keep', from: head, to: head});
    head++;
  }
  let tail = 0;
  while (tail < shorter - head && deepEqual(from[from.length - 1 - tail], to[to.length - 1 - tail])) tail++;
  const fromEnd = from.length - tail;
  const toEnd = to.length - tail;
  const pairs = (fromEnd - head) * (toEnd - head);
  if (pairs > maxPairs) alignByPosition(from, to, head, fromEnd, toEnd, edits);
  else if (pairs > 0) alignByCost(from, to, head, fromEnd, toEnd, edits);
  else {
    for (let i = head; i < fromEnd; i++) edits.push({kind: 'remove', from: i});
    for (let j = head; j < toEnd; j++) edits.push({kind: 'add', to: j});
  }
  for (let k = 0; k < tail; k++) edits.push({kind: 'keep', from: fromEnd + k, to: toEnd + k});
  return edits;
}

/** `name` where it is text: two maps with different names are different things, not one that changed. */
function identity(value: Json): string | undefined {
  if (!isObject(value)) return undefined;
  const name = own(value, 'name');
  return typeof name === 'string' ? name : undefined;
}

function pairEdit(a: Json, b: Json): 'keep' | 'change' | 'replace' {
  if (deepEqual(a, b)) return 'keep';
  const sameShape =
    (isObject(a) && isObject(b) && identity(a) === identity(b)) || (Array.isArray(a) && Array.isArray(b));
  return sameShape ? 'change' : 'replace';
}

function pairCost(a: Json, b: Json): number {
  const edit = pairEdit(a, b);
  if (edit === 'keep') return 0;
  return edit === 'change' || !(isObject(a) && isObject(b)) ? stepCost : replaceCost;
}

function alignByPosition(
  from: readonly Json[],
  to: readonly Json[],
  start: number,
  fromEnd: number,
  toEnd: number,
  edits: ListEdit[],
): void {
  const shared = Math.min(fromEnd, toEnd);
  for (let i = start; i < shared; i++) edits.push({kind: pairEdit(from[i]!, to[i]!), from: i, to: i});
  for (let i = shared; i < fromEnd; i++) edits.push({kind: 'remove', from: i});
  for (let j = shared; j < toEnd; j++) edits.push({kind: 'add', to: j});
}

function alignByCost(
  from: readonly Json[],
  to: readonly Json[],
  start: number,
  fromEnd: number,
  toEnd: number,
  edits: ListEdit[],
): void {
  const rows = fromEnd - start;
  const columns = toEnd - start;
  const width = columns + 1;
  // cost[i * width + j]: cheapest way to turn the rest of `from` after i into the rest of `to` after j.
  const cost = new Int32Array((rows + 1) * width);
  const pair = new Int32Array(rows * columns);
  for (let i = rows; i >= 0; i--) {
    for (let j = columns; j >= 0; j--) {
      if (i === rows || j === columns) {
        cost[i * width + j] = (rows - i + columns - j) * stepCost;
        continue;
      }
      const here = pairCost(from[start + i]!, to[start + j]!);
      pair[i * columns + j] = here;
      cost[i * width + j] = Math.min(
        here + cost[(i + 1) * width + j + 1]!,
        stepCost + cost[(i + 1) * width + j]!,
        stepCost + cost[i * width + j + 1]!,
      );
    }
  }
  let i = 0;
  let j = 0;
  while (i < rows || j < columns) {
    const best = cost[i * width + j]!;
    if (i < rows && j < columns && best === pair[i * columns + j]! + cost[(i + 1) * width + j + 1]!) {
      edits.push({kind: pairEdit(from[start + i]!, to[start + j]!), from: start + i++, to: start + j++});
    } else if (i < rows && best === stepCost + cost[(i + 1) * width + j]!) {
      edits.push({kind: 'remove', from: start + i++});
    } else {
      edits.push({kind: 'add', to: start + j++});
    }
  }
}
