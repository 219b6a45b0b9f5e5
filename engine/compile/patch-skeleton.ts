import {isObject, type Json, own} from '../json/types.js';
import {replaceAllVariables} from '../policy/expressions.js';
import type {JsonPatchOperation} from '../types.js';
import {parseYaml} from '../yaml/parse.js';

/** Unlikely as a part of a path, and a plain word in YAML. */
const hole = 'kyverno-hole';

/** Whether a patch that came out of a text is the one that its author wrote. */
export type SkeletonTest = (operations: readonly JsonPatchOperation[]) => boolean;

/**
 * Values are put into the text of `patchesJson6902` before it is parsed, so a value that holds quotes and line breaks
 * could add operations of its own. The operations and paths are read off the text with its variables left blank; texts
 * that make their operations by variables are not held to anything.
 */
export function patchSkeleton(text: string): SkeletonTest {
  const written = parsed(replaceAllVariables(text, hole));
  const anything: SkeletonTest = () => true;
  if (!Array.isArray(written)) return anything;
  const expected = written.map(item => (isObject(item) ? [own(item, 'op'), own(item, 'path'), own(item, 'from')] : undefined));
  if (expected.includes(undefined)) return anything;
  return operations =>
    operations.length === expected.length &&
    operations.every(({op, path, from}, index) => {
      const [wantedOp, wantedPath, wantedFrom] = expected[index] ?? [];
      return fits(wantedOp, op) && fits(wantedPath, path) && (from === undefined || fits(wantedFrom, from));
    });
}

function fits(wanted: Json | undefined, actual: string): boolean {
  return wanted === actual || (typeof wanted === 'string' && wanted.includes(hole));
}

function parsed(text: string): Json | undefined {
  try {
    return parseYaml(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
