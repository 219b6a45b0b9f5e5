export {type Anchor, type AnchorKind, hasAnchor, parseAnchor} from './anchor.js';
export {compilePattern} from './compile-pattern.js';
export {
  type AnyPatternOptions,
  type AnyPatternResult,
  evaluateAnyPattern,
  type PatternMessageOptions,
  patternMessage,
  type RuleMessage,
} from './messages.js';
export {compileScalarPattern, type ScalarTest} from './scalar.js';
export type {CompiledPattern, PatternResult} from './types.js';
