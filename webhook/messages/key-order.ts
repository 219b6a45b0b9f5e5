const letter = /\p{L}/u;
const digit = /\p{Nd}/u;

/** The Go YAML library's order of map keys: text, but runs of digits count as numbers and letters come last. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  return less([...a], [...b]) ? -1 : 1;
}

function less(a: readonly string[], b: readonly string[]): boolean {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index++) {
    const left = a[index]!;
    const right = b[index]!;
    if (left === right) continue;
    const leftIsLetter = letter.test(left);
    const rightIsLetter = letter.test(right);
    if (leftIsLetter && rightIsLetter) return left < right;
    if (leftIsLetter || rightIsLetter) return rightIsLetter;
    const lead = leadingNumber(a, b, index);
    const leftRun = digitRun(a, index, lead);
    const rightRun = digitRun(b, index, lead);
    if (leftRun.value !== rightRun.value) return leftRun.value < rightRun.value;
    if (leftRun.end !== rightRun.end) return leftRun.end < rightRun.end;
    return left < right;
  }
  return a.length < b.length;
}

/** 1 when the digits before `index` are no mere leading zeros, so that a zero here counts. */
function leadingNumber(a: readonly string[], b: readonly string[], index: number): number {
  if (a[index] !== '0' && b[index] !== '0') return 0;
  for (let back = index - 1; back >= 0 && digit.test(a[back]!); back--) if (a[back] !== '0') return 1;
  return 0;
}

function digitRun(
  text: readonly string[],
  start: number,
  lead: number,
): {readonly value: number; readonly end: number} {
  let value = lead;
  let end = start;
  while (end < text.length && digit.test(text[end]!)) value = value * 10 + (text[end++]!.charCodeAt(0) - 48);
  return {value, end};
}
