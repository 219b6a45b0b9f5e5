import type {Streams} from './streams.js';
import {functionHelp} from './signatures.js';

/** `kyverno jp function`: the functions that policies have beyond the standard language, all or those named. */
export function functionCommand(names: readonly string[], {output}: Pick<Streams, 'output'>): void {
  const wanted = new Set(names);
  for (const {name, signature, note} of functionHelp()) {
    if (wanted.size > 0 && !wanted.has(name)) continue;
    output.write(`Name: ${name}\n  Signature: ${signature}\n  Note:      ${note}\n\n`);
  }
}
