/** An operator of a pattern's text; `=` is one that has none. */
export type Comparison = '=' | '!' | '<' | '<=' | '>' | '>=';

/** Whether a value that stands so to the literal (below 0, 0, above 0) passes. */
export function holds(comparison: Comparison, order: number): boolean {
  switch (comparison) {
    case '=':
      return order === 0;
    case '!':
      return order !== 0;
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
  }
}
