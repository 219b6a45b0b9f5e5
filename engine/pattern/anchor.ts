export type AnchorKind = 'conditional' | 'global' | 'equality' | 'negation' | 'existence' | 'addIfAbsent';

export interface Anchor {
  readonly kind: AnchorKind;
  /** The key without the anchor. */
  readonly key: string;
}

const kinds: ReadonlyMap<string, AnchorKind> = new Map([
  ['', 'conditional'],
  ['<', 'global'],
  ['=', 'equality'],
  ['X', 'negation'],
  ['^', 'existence'],
  ['+', 'addIfAbsent'],
]);

/** Reads `(k)`, `<(k)`, `=(k)`, `X(k)`, `^(k)`, `+(k)`; `undefined` for a plain key. */
export function parseAnchor(key: string): Anchor | undefined {
  const text = key.trim();
  if (!text.endsWith(')')) return undefined;
  const open = text.indexOf('(');
  if (open > 1 || open < 0 || text.length - open < 3) return undefined;
  const kind = kinds.get(text.slice(0, open));
  return kind && {kind, key: text.slice(open + 1, -1)};
}

export function hasAnchor(key: string): boolean {
  return parseAnchor(key) !== undefined;
}
