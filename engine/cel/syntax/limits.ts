/** What the parser reads at most; the evaluator of the API server refuses the same. */
export const limits = {
  /** Code points of an expression. */
  size: 100_000,
  /** Levels of the tree, and of brackets around an expression. */
  depth: 250,
  /** Arguments of one call. */
  arguments: 1_000,
  /** Issues per expression. */
  issues: 100,
  /** Characters of an issue's message. */
  message: 1_000,
} as const;
