import type {Budget} from '../budget.js';
import {pick} from './char-set.js';
import type {RegexTree} from './regex-tree.js';

export interface RandomTextOptions {
  /** Uniform in [0, 1). */
  readonly draw: () => number;
  /** A step and a byte per character. */
  readonly budget: Budget;
  readonly maxLength: number;
}

/** A random text that the expression matches; `undefined` when it would be longer than allowed. */
export function randomText(tree: RegexTree, options: RandomTextOptions): string | undefined {
  const parts: string[] = [];
  const fits = generate(tree, parts, options);
  return fits ? parts.join('') : undefined;
}

function generate(tree: RegexTree, parts: string[], options: RandomTextOptions): boolean {
  options.budget.step();
  switch (tree.kind) {
    case 'set':
      options.budget.bytes(1);
      parts.push(pick(tree.set, options.draw));
      return parts.length <= options.maxLength;
    case 'sequence':
      return tree.items.every(item => generate(item, parts, options));
    case 'choice':
      return generate(tree.options[Math.floor(options.draw() * tree.options.length)]!, parts, options);
    case 'repeat': {
      const {min, max} = tree;
      const count = min + Math.floor(options.draw() * (Math.max(min, max) - min + 1));
      for (let i = 0; i < count; i++) if (!generate(tree.item, parts, options)) return false;
      return true;
    }
  }
}
