/** Inclusive code point ranges, sorted and apart from each other. */
export type CharSet = readonly (readonly [number, number])[];

/** What negated classes and `.` draw from: printable ASCII. */
export const printable: CharSet = [[0x20, 0x7e]];
export const digits: CharSet = [[0x30, 0x39]];
export const wordCharacters: CharSet = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
export const blanks: CharSet = [
  [0x09, 0x0a],
  [0x0c, 0x0d],
  [0x20, 0x20],
];

const letters: CharSet = [
  [0x41, 0x5a],
  [0x61, 0x7a],
];

/** The classes written `[:name:]` inside brackets. */
export const namedClasses: ReadonlyMap<string, CharSet> = new Map<string, CharSet>([
  ['alnum', [...digits, ...letters]],
  ['alpha', letters],
  ['ascii', [[0x20, 0x7e]]],
  [
    'blank',
    [
      [0x09, 0x09],
      [0x20, 0x20],
    ],
  ],
  ['cntrl', [[0x00, 0x1f]]],
  ['digit', digits],
  ['graph', [[0x21, 0x7e]]],
  ['lower', [[0x61, 0x7a]]],
  ['print', printable],
  [
    'punct',
    [
      [0x21, 0x2f],
      [0x3a, 0x40],
      [0x5b, 0x60],
      [0x7b, 0x7e],
    ],
  ],
  [
    'space',
    [
      [0x09, 0x0d],
      [0x20, 0x20],
    ],
  ],
  ['upper', [[0x41, 0x5a]]],
  ['word', wordCharacters],
  [
    'xdigit',
    [
      [0x30, 0x39],
      [0x41, 0x46],
      [0x61, 0x66],
    ],
  ],
]);

export function union(sets: readonly CharSet[]): CharSet {
  const sorted = sets.flat().sort((a, b) => a[0] - b[0]);
  const result: [number, number][] = [];
  for (const [from, to] of sorted) {
    const last = result.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}

/** The printable characters outside a set; when it covers them all, what lies above ASCII. */
export function complement(set: CharSet): CharSet {
  const inside = gaps(set, 0x20, 0x7e);
  return inside.length > 0 ? inside : gaps(set, 0xa1, 0xd7ff);
}

function gaps(set: CharSet, from: number, to: number): CharSet {
  const result: [number, number][] = [];
  let next = from;
  for (const [low, high] of union([set])) {
    if (low > to) break;
    if (low > next) result.push([next, low - 1]);
    next = Math.max(next, high + 1);
  }
  if (next <= to) result.push([next, to]);
  return result;
}

/** One character, all equally likely; `draw` is uniform in [0, 1). */
export function pick(set: CharSet, draw: () => number): string {
  const size = set.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  let index = Math.floor(draw() * size);
  for (const [from, to] of set) {
    if (index <= to - from) return String.fromCodePoint(from + index);
    index -= to - from + 1;
  }
  return '';
}
