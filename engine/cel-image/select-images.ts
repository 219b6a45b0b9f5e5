import type {RuleRun} from '../context/rule-run.js';
import {compileGlobs} from '../values/glob.js';
import {namesOf, possibleNames} from './reference-forms.js';
import type {CompiledImages} from './types.js';

/** Whether a policy means an image, by any of the texts that may name it. Throws EvalError where that cannot be told. */
export function isMeant({references}: CompiledImages, image: string, host: RuleRun): boolean {
  if (references.length === 0) return true;
  const forms = possibleNames(image);
  return references.some(test =>
    forms.some(form => {
      host.budget.step();
      return test.type === 'glob' ? test.regex.test(form) : test.program.evaluate([form], host) === true;
    }),
  );
}

/** Whether an exception names an image: with wildcards, the whole text, by a text that names just it. */
export function isExemptImage(patterns: readonly string[]): (image: string) => boolean {
  if (patterns.length === 0) return () => false;
  const fits = compileGlobs(patterns);
  return image => namesOf(image).some(fits);
}
