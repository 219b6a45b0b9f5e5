import type {Json} from '../json/types.js';

export interface YamlDuplicate {
  /** Keys and list indexes from the document's root to the key that occurs again. */
  readonly path: readonly string[];
  /** Line of the later occurrence, 1-based in the whole text. */
  readonly line: number;
  /** The two maps were merged; otherwise the later one stands. */
  readonly merged: boolean;
}

export interface YamlProblem {
  readonly message: string;
  /** 1-based, in the whole text. */
  readonly line: number;
  readonly column: number;
}

export interface YamlDocument {
  /** `null` when `error` is set. */
  readonly value: Json;
  /** Line of the document's first content, 1-based in the whole text. */
  readonly line: number;
  readonly duplicates: readonly YamlDuplicate[];
  readonly error?: YamlProblem;
}

export interface YamlOptions {
  /** Of the whole text, in UTF-16 units. Default 32 Mi; `parseYaml` 2 Mi. */
  readonly maxLength?: number;
  /** Whether two maps under one repeated key are merged; equal sub-keys with different values are then an error. */
  readonly mergeDuplicateKeys?: (path: readonly string[]) => boolean;
}

/** A fault in YAML text, with its place in the text that was read. */
export class YamlError extends SyntaxError {
  override readonly name = 'YamlError';

  constructor(readonly problem: YamlProblem) {
    super(`invalid YAML at line ${problem.line}, column ${problem.column}: ${problem.message}`);
  }
}
